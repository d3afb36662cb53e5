import type { ToolCall } from "../../core/model/messages.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { formatCount } from "../../kit/text/format-count.ts";
import { truncateMiddle } from "../../kit/text/truncate.ts";
import { fence } from "../context/fence.ts";

/** Limits the arguments that are shown, in UTF-16 units: a reference may stand for a whole result, which is there to be read already. */
const longestShown = 1000;

/**
 * Returns the arguments with which a step of a plan was called where it was written with references to earlier results, for behind its
 * own result. What took the place of the references comes from tools, so it is fenced as results are.
 */
export function renderFilledArguments(
  { isFilled, arguments: filled }: ToolCall,
  marker: string,
  locale: Locale,
): string {
  if (isFilled !== true || filled === undefined) return "";
  const shown = truncateMiddle(JSON.stringify(filled), longestShown, (missing) => say(locale, describeGap(missing)));
  return `\n${say(locale, title)} ${fence(shown, marker)}`;
}

const title: Text = {
  zh: "参数中引用的前面步骤的结果已经填入，实际使用的是：",
  en: "The references in the arguments were replaced by the results of earlier steps; the call was made with:",
};

function describeGap(missing: number): Text {
  return { zh: `…[省略 ${missing} 个字符]…`, en: `…[${formatCount(missing, "character")} left out]…` };
}
