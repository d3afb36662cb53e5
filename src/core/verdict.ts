import type { Verdict } from "./events.ts";

/** Whether it is a limit that ends the tool calls, rather than a model or a result: such an end is told by a notice too. */
export function isLimit({ reason }: Pick<Verdict, "reason">): boolean {
  return reason.endsWith("-limit") || reason === "repetition";
}
