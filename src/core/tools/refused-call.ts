import type { ToolResult } from "./tool.ts";

/** Is true when a call was not run because a person did not consent to it, or could not be asked. */
export function isRefusedCall({ permission }: Pick<ToolResult, "permission">): boolean {
  const decision = permission?.decision;
  return decision === "declined" || decision === "dismissed" || decision === "unanswered";
}
