import type { ToolFailure } from "./tool.ts";

/**
 * Says what a failure means for another try of the same call:
 * - `lost`: it may pass by itself, but nobody knows whether the call took effect, because no answer came or its server ended.
 * - `temporary`: it may pass by itself, and the call had no effect.
 * - `final`: the same call would only fail again.
 * - `unclear`: none of these is known.
 */
export type FailureKind = "lost" | "temporary" | "final" | "unclear";

/** A server that asks for fewer calls (`rate_limit`) is obeyed where it is called. */
const failureKinds: Readonly<Record<ToolFailure["code"], FailureKind>> = {
  timeout: "lost",
  network: "lost",
  server: "lost",
  overloaded: "temporary",
  unavailable: "temporary",
  invalid_arguments: "final",
  unknown_tool: "final",
  cancelled: "final",
  denied: "final",
  config: "final",
  auth: "final",
  quota: "final",
  invalid_request: "final",
  model_not_found: "final",
  content_filter: "final",
  rate_limit: "unclear",
  context_overflow: "unclear",
  bad_response: "unclear",
  invalid_output: "unclear",
  tool: "unclear",
  internal: "unclear",
  tool_changed: "unclear",
  // Only the run itself may decide to call again.
  outcome_unknown: "final",
};

export function getFailureKind({ code, retryable }: ToolFailure): FailureKind {
  return retryable === false ? "final" : failureKinds[code];
}
