import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import { renderSeconds, toCallName } from "../../../render/event-lines.ts";
import { createLine, type Line } from "../../terminal/text/line.ts";
import type { Chat } from "../chat.ts";
import type { Step } from "./step.ts";

/** Names a finished thought as docs/development/model-invocation.md does. */
export function renderThoughtTitle({ number, elapsedMs, state }: Step, locale: Locale): string {
  const cut = state === "failed" ? say(locale, { zh: "，已中断", en: ", cut off" }) : "";
  return `${say(locale, { zh: "💡 思考过程", en: "💡 Thought" })} #${number} (${renderSeconds(elapsedMs)}${cut})`;
}

/** Returns the success or failure mark, and nothing for a step that is still running. */
function renderSign({ state }: Step): string {
  return state === "running" ? "…" : state === "done" ? "✓" : "✗";
}

/** Counts the lines of a page. */
export const pageLines = 60;

/** Expands each step as far as one page goes, with a blank line between them. */
export function expandAll(steps: readonly Step[], locale: Locale): Line[] {
  return steps.flatMap((step, index) => {
    const lines = expandStep(step, locale);
    const more = lines.length - pageLines;
    const rest = more > 0 ? [createLine(`  ${say(locale, describeMore(step.number, more))}`, "dim")] : [];
    return [...(index === 0 ? [] : [[]]), ...lines.slice(0, pageLines), ...rest];
  });
}

function describeMore(number: number, lines: number): Text {
  return {
    zh: `还有 ${lines} 行：/expand ${number} 2`,
    en: `${lines} more lines: /expand ${number} 2`,
  };
}

/** Expands a step to everything that the log holds: its title, the tool's input and the whole text. */
export function expandStep(step: Step, locale: Locale): Line[] {
  const { input, text, missing, kind, state } = step;
  const createHeading = (name: Text): Line => createLine(`  ${say(locale, name)}`, "dim");
  return [
    [{ text: renderTitle(step, locale), styles: [state === "failed" ? "bad" : "strong"] }],
    ...(input === "" ? [] : [createHeading(inputName), ...indentLines(input)]),
    ...(kind === "tool" && text !== "" ? [createHeading(resultName)] : []),
    ...(text === "" ? [] : indentLines(text)),
    ...(missing === undefined ? [] : [createHeading(describeMissing(missing))]),
  ];
}

/** Names a step with its number and its time. */
export function renderTitle(step: Step, locale: Locale): string {
  if (step.kind === "thought") return `${renderThoughtTitle(step, locale)} ${toShortLine(step.name, 80)}`.trimEnd();
  const time = renderSeconds(step.elapsedMs);
  if (step.kind === "plan") return `${say(locale, { zh: "📋 计划", en: "📋 Plan" })} #${step.number} (${time})`;
  return `${renderSign(step)} 🔧 ${toCallName(step.name, locale)} #${step.number} (${time})`;
}

function indentLines(text: string): Line[] {
  return text.split(/\r?\n/).map((line) => createLine(`  ${line}`));
}

const inputName: Text = { zh: "输入：", en: "Input:" };
const resultName: Text = { zh: "结果：", en: "Result:" };

function describeMissing(units: number): Text {
  return { zh: `（另有 ${units} 个字符没有保留）`, en: `(${units} more characters were not kept)` };
}

/** Opens every step of the last run again. */
export function expandRun({ steps, settings: { locale }, write }: Pick<Chat, "steps" | "settings" | "write">): void {
  const shown = steps.listRunSteps();
  if (shown.length === 0) write(say(locale, { zh: "还没有可以展开的步骤。", en: "There are no steps to show yet." }));
  else write(...expandAll(shown, locale));
}
