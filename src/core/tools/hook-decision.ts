/** Holds what hooks decided about a call before it is made. It is recorded with the run. */
export interface HookDecision {
  decision?: "allow" | "ask" | "deny" | undefined;
  /** Names the hook that decided, as a rule. */
  rule: string;
  reason?: string | undefined;
}

/** Is what a recorded decision looks like. A run reads only what it wrote. */
export function isHookDecision(value: unknown): value is HookDecision {
  return typeof value === "object" && value !== null && "rule" in value && typeof value.rule === "string";
}

/** Returns the name under which a run records what hooks decided about a call before it was made. */
export function toCallHookName(callId: string): string {
  return `hook:${callId}`;
}
