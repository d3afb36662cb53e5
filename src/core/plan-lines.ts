import type { PlanStep } from "./events.ts";
import { type Locale, say, type Text } from "./locale.ts";
import { shortLine } from "./short-line.ts";

const longest = 160;

/** The lines that a `plan` event adds to what was shown before. */
export type PlanLines = (steps: readonly PlanStep[]) => string[];

/** Shows a plan as a numbered list when it is new or has changed, and from then on each step whose state changes. */
export function createPlanLines(locale: Locale): PlanLines {
  let before: readonly PlanStep[] = [];
  return (steps) => {
    const isKnown = steps.length === before.length && steps.every((step, index) => isSame(step, before[index]));
    const changed = steps.filter(({ state }, index) => state !== before[index]?.state);
    before = steps;
    return isKnown ? changed.map((step) => stateLine(step, locale)) : planList(steps, locale);
  };
}

function isSame(a: PlanStep, b: PlanStep | undefined): boolean {
  return a.description === b?.description && a.tool === b.tool && shown(a) === shown(b);
}

/** A plan as a numbered list: what each step is for, its tool and its parameters in short. */
export function planList(steps: readonly PlanStep[], locale: Locale): string[] {
  const title = say(locale, { zh: `📋 计划（${steps.length} 步）`, en: `📋 Plan (${count(steps.length)})` });
  return [title, ...steps.map((step) => `  ${step.step}. ${purpose(step)}${call(step)}${mark(step, locale)}`)];
}

function call(step: PlanStep): string {
  return step.tool === "" ? "" : ` · ${step.tool} ${shown(step)}`;
}

function shown({ parameters }: PlanStep): string {
  return shortLine(JSON.stringify(parameters), longest);
}

function purpose({ description }: PlanStep): string {
  return shortLine(description, longest);
}

/** Steps of a plan that was changed on the way have a state already. */
function mark({ state }: PlanStep, locale: Locale): string {
  return state === "pending" ? "" : ` (${say(locale, states[state])})`;
}

function stateLine(step: PlanStep, locale: Locale): string {
  const { zh, en } = states[step.state];
  const line = { zh: `步骤 ${step.step} ${zh}：${purpose(step)}`, en: `step ${step.step} ${en}: ${purpose(step)}` };
  return `${signs[step.state]} ${say(locale, line)}`;
}

const signs: Record<PlanStep["state"], string> = { pending: "◻", running: "▶", done: "☑", failed: "☒", skipped: "⏭" };

/** The states of a step as a reader knows them. */
export const states: Record<PlanStep["state"], Text> = {
  pending: { zh: "待执行", en: "pending" },
  running: { zh: "执行中", en: "running" },
  done: { zh: "已完成", en: "done" },
  failed: { zh: "失败", en: "failed" },
  skipped: { zh: "已跳过", en: "skipped" },
};

function count(steps: number): string {
  return steps === 1 ? "1 step" : `${steps} steps`;
}
