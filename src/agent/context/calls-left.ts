import type { Text } from "../../kit/locale.ts";
import { formatCount } from "../../kit/text/format-count.ts";

/** Returns the line behind the results of a round that says how many calls and rounds are left. */
export function describeCallsLeft(calls: number, rounds: number): Text {
  return {
    zh: `这个问题还可以调用 ${calls} 次工具，还有 ${rounds} 轮。`,
    en: `Left for this question: ${formatCount(calls, "tool call")}, ${formatCount(rounds, "round")}.`,
  };
}

const leftLine =
  /\n(?:这个问题还可以调用 \d+ 次工具，还有 \d+ 轮。|Left for this question: [\d,]+ tool calls?, [\d,]+ rounds?\.)$/;

/** Removes that line from the end of a result: it held for that question alone. */
export function removeCallsLeft(text: string): string {
  return text.replace(leftLine, "");
}
