import { isDeepStrictEqual } from "node:util";
import type { PlanStep } from "../core/run/events.ts";
import type { JsonObject } from "../kit/json.ts";
import { type Locale, say, type Text } from "../kit/locale.ts";
import { sanitizeLine, showBlanks, toShortLine } from "../kit/text/sanitize.ts";
import { takeStart } from "../kit/text/truncate.ts";
import { describeState } from "./plan-states.ts";

/** Limits the purpose of a step, in UTF-16 units. */
const longestPurpose = 160;
/**
 * Limits the parameters of a step, in UTF-16 units. Users must see all of what they confirm, but a page of text must not fill
 * the screen.
 */
const longestParameters = 2_000;

/** Returns the lines that a `plan` event adds to what was shown before. */
export type PlanLines = (steps: readonly PlanStep[]) => string[];

/** Shows a plan as a numbered list when it is new or has changed, and from then on each step whose state changes. */
export function createPlanLines(locale: Locale): PlanLines {
  let before: readonly PlanStep[] = [];
  return (steps) => {
    const isKnown = isSamePlan(steps, before);
    const changed = steps.filter(({ state }, index) => state !== before[index]?.state);
    before = steps;
    return isKnown ? changed.map((step) => renderState(step, locale)) : renderPlan(steps, locale);
  };
}

/** Returns true when both plans have the same steps, whatever the states of the steps. */
export function isSamePlan(steps: readonly PlanStep[], before: readonly PlanStep[]): boolean {
  return steps.length === before.length && steps.every((step, index) => isSame(step, before[index]));
}

function isSame(a: PlanStep, b: PlanStep | undefined): boolean {
  return a.description === b?.description && a.tool === b.tool && isDeepStrictEqual(a.parameters, b.parameters);
}

/** Renders a plan as a numbered list with the purpose, tool and parameters of each step. A plan without steps has no lines. */
export function renderPlan(steps: readonly PlanStep[], locale: Locale): string[] {
  if (steps.length === 0) return [];
  return [
    renderPlanTitle(steps, locale),
    ...steps.map(
      (step) => `  ${step.step}. ${toConsentSign(step)}${toPurpose(step)}${call(step, locale)}${mark(step, locale)}`,
    ),
    ...(steps.some(isAwaitingConsent) ? [say(locale, consentNote)] : []),
  ];
}

/** Counts the steps without those that were left out to shorten the plan. */
export function renderPlanTitle(listed: readonly PlanStep[], locale: Locale): string {
  const steps = listed.filter(({ reason }) => reason !== "dropped");
  return say(locale, { zh: `📋 计划（${steps.length} 步）`, en: `📋 Plan (${count(steps.length)})` });
}

function call({ tool, parameters }: PlanStep, locale: Locale): string {
  return tool === "" ? "" : ` · ${sanitizeLine(tool)} ${renderWhole(JSON.stringify(parameters), locale)}`;
}

/** Returns true when the plan's list shows all of the step's parameters. */
export function isShownWhole(parameters: JsonObject): boolean {
  return JSON.stringify(parameters).length <= longestParameters;
}

function renderWhole(json: string, locale: Locale): string {
  if (json.length <= longestParameters) return showBlanks(sanitizeLine(json), locale);
  const head = takeStart(json, longestParameters);
  const left = json.length - head.length;
  const note = { zh: `（另有 ${left} 个字符未显示）`, en: ` (${left} more characters not shown)` };
  return `${showBlanks(sanitizeLine(head), locale)}…${say(locale, note)}`;
}

/** Returns the sign before a step that needs consent, which the consent to the plan gives. */
export function toConsentSign({ consent }: PlanStep): string {
  return consent === true ? "🔐 " : "";
}

function isAwaitingConsent({ consent, state }: PlanStep): boolean {
  return consent === true && state === "pending";
}

const consentNote: Text = {
  zh: "  带 🔐 的步骤需要你的同意；确认计划就是同意它们照此执行。",
  en: "  A step with 🔐 needs your consent. A yes to the plan is consent to run it exactly so.",
};

export function toPurpose({ description }: PlanStep): string {
  return toShortLine(description, longestPurpose);
}

/** When a plan is changed during the run, some of its steps already have a state. */
function mark(step: PlanStep, locale: Locale): string {
  return step.state === "pending" ? "" : ` (${say(locale, describeState(step))})`;
}

function renderState(step: PlanStep, locale: Locale): string {
  const { zh, en } = describeState(step);
  const line = { zh: `步骤 ${step.step} ${zh}：${toPurpose(step)}`, en: `step ${step.step} ${en}: ${toPurpose(step)}` };
  return `${planSigns[step.state]} ${say(locale, line)}`;
}

export const planSigns: Record<PlanStep["state"], string> = {
  pending: "◻",
  running: "▶",
  done: "☑",
  failed: "☒",
  skipped: "⏭",
};

function count(steps: number): string {
  return steps === 1 ? "1 step" : `${steps} steps`;
}
