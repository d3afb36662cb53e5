import type { AgentEvent } from "../../../core/events.ts";
import { type Locale, say, type Text } from "../../../kit/errors.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import { renderSeconds, toCallName } from "../../../render/event-lines.ts";
import { createLine, type Line } from "../../terminal/text/width.ts";

/** A thought that is over, by the name that model-invocation.md gives it. */
export function renderThoughtTitle({ number, elapsedMs, state }: Step, locale: Locale): string {
  const cut = state === "failed" ? say(locale, { zh: "，已中断", en: ", cut off" }) : "";
  return `${say(locale, { zh: "💡 思考过程", en: "💡 Thought" })} #${number} (${renderSeconds(elapsedMs)}${cut})`;
}

/** Whether a step succeeded; one that still runs has none yet. */
function renderSign({ state }: Step): string {
  return state === "running" ? "…" : state === "done" ? "✓" : "✗";
}

/** Something of a run that is shown as one line and can be opened again by its number. */
export interface Step {
  /** From 1 on, through the whole chat. */
  readonly number: number;
  readonly kind: "thought" | "tool" | "plan";
  /** A model's or a tool's name; empty for a plan. */
  readonly name: string;
  /** What a tool was given, as JSON; else empty. */
  readonly input: string;
  /** What was thought, what the tool gave, the plan's lines. Never longer than the book keeps. */
  readonly text: string;
  /** How many UTF-16 units of its input and text the book did not keep; absent when it has all. */
  readonly missing?: number | undefined;
  readonly state: "running" | "done" | "failed";
  /** Milliseconds from its first event to its last; of a thought from the start of its model's turn. */
  readonly elapsedMs: number;
}

/** The steps of a chat, so that any can be opened again; the oldest are forgotten, so it never grows for ever. */
export interface StepLog {
  /** Reads a run's events, in order. */
  handle(event: AgentEvent): void;
  find(number: number): Step | undefined;
  /** Those of the run that is going on, else of the last one. */
  ofRun(): readonly Step[];
  /** The step of a call of this run. */
  ofCall(callId: string): Step | undefined;
  /** The thought that is growing, else the last one of this run. */
  thought(): Step | undefined;
  /** The plan of this run. */
  plan(): Step | undefined;
}

/** Each of them opened, a blank line between them. */
export function expandAll(steps: readonly Step[], locale: Locale): Line[] {
  return steps.flatMap((step, index) => (index === 0 ? expandStep(step, locale) : [[], ...expandStep(step, locale)]));
}

/** A step with everything that the book keeps of it: its title, what a tool was given, and its whole text. */
export function expandStep(step: Step, locale: Locale): Line[] {
  const { input, text, missing, kind, state } = step;
  const heading = (name: Text): Line => createLine(`  ${say(locale, name)}`, "dim");
  return [
    [{ text: titleOf(step, locale), styles: [state === "failed" ? "bad" : "strong"] }],
    ...(input === "" ? [] : [heading(inputName), ...linesOf(input)]),
    ...(kind === "tool" && text !== "" ? [heading(resultName)] : []),
    ...(text === "" ? [] : linesOf(text)),
    ...(missing === undefined ? [] : [heading(notKept(missing))]),
  ];
}

function titleOf(step: Step, locale: Locale): string {
  if (step.kind === "thought") return `${renderThoughtTitle(step, locale)} ${toShortLine(step.name, 80)}`.trimEnd();
  const time = renderSeconds(step.elapsedMs);
  if (step.kind === "plan") return `${say(locale, { zh: "📋 计划", en: "📋 Plan" })} #${step.number} (${time})`;
  return `${renderSign(step)} 🔧 ${toCallName(step.name, locale)} #${step.number} (${time})`;
}

function linesOf(text: string): Line[] {
  return text.split(/\r?\n/).map((line) => createLine(`  ${line}`));
}

const inputName: Text = { zh: "输入：", en: "Input:" };
const resultName: Text = { zh: "结果：", en: "Result:" };

function notKept(units: number): Text {
  return { zh: `（另有 ${units} 个字符没有保留）`, en: `(${units} more characters were not kept)` };
}
