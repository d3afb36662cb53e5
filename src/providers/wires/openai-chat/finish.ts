import type { FinishReason } from "../../../core/model.ts";

/** What each vendor's `finish_reason` means; a word that is not here is no terminal marker that we know. */
export const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  end_turn: "stop",
  eos: "stop",
  tool_calls: "tool-calls",
  tool_use: "tool-calls",
  function_call: "tool-calls",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  model_context_window_exceeded: "length",
  content_filter: "content-filter",
  sensitive: "content-filter",
  safety: "content-filter",
  refusal: "refused",
};

/** A `finish_reason` with which a vendor says that it failed. */
export const failedFinishes: readonly string[] = [
  "insufficient_system_resource",
  "network_error",
  "error",
  "malformed_function_call",
];
