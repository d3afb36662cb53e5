import type { Verdict } from "./events.ts";

/** Returns true when a limit ends the tool calls, rather than a model or a result. Such an end is also reported by a notice. */
export function isLimit({ reason }: Pick<Verdict, "reason">): boolean {
  return reason.endsWith("-limit") || reason === "repetition";
}
