import { noticeKinds } from "../../core/notices/notice-kinds.ts";
import type { Notice, PlanStep } from "../../core/run/events.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { describeState } from "../../render/plan-states.ts";
import type { Run, RunInput } from "../run.ts";
import type { Plan } from "./plan.ts";

export function noticeNoPlan(run: Run): void {
  run.services.emit(noticeKinds.planUnusable("first", run.input.locale));
}

/** Notifies the reader that no model was asked for a plan. */
export function noticePlanByRules(run: Run): void {
  emitNotice(run, "info", "plan-by-rules", {
    zh: "离线规则不制定计划，逐步决定并执行。",
    en: "The offline rules do not make plans; deciding and acting step by step.",
  });
}

/** Notifies the reader that no new plan was made and the earlier one stays in force. */
export function noticeNoNewPlan(run: Run): void {
  run.services.emit(noticeKinds.planUnusable("next", run.input.locale));
}

/** Notifies the reader that the model wrote the same plan again. */
export function noticeUnchangedPlan(run: Run): void {
  emitNotice(run, "info", "plan-unchanged", { zh: "计划没有变化。", en: "The plan is unchanged." });
}

/** Notifies the reader that no more changes are possible after `most` of them. */
export function noticeNoMoreChanges(run: Run, most: number): void {
  emitNotice(run, "warning", "plan-changes-used-up", {
    zh: `计划已修改 ${most} 次，本次运行不再接受修改；计划保持不变，等待确认。`,
    en: `The plan was changed ${most} times; this run accepts no more changes. The plan is unchanged and waiting for confirmation.`,
  });
}

/** Tells whoever gets the result of the run before, too, that its user did not want the plan with which this run goes on. */
export function noticeNotGoneOn({ input: { locale }, services }: Run): void {
  const why = { zh: "新的计划没有得到同意。", en: "the new plan was declined." };
  services.emit({ ...noticeKinds.notGoneOn(why, locale), forLog: true });
}

/** Says that a plan was declined. What the run before has done stays done. */
export function renderDeclined({ language, goesOn }: Pick<RunInput, "language" | "goesOn">): string {
  if (goesOn)
    return say(language, { zh: "计划已取消，没有再执行。", en: "The plan was cancelled; nothing more was run." });
  return say(language, { zh: "计划已取消，没有执行。", en: "The plan was cancelled; nothing was run." });
}

function emitNotice(run: Run, level: Notice["level"], code: string, text: Text): void {
  run.services.emit({ type: "notice", level, code, message: say(run.input.locale, text) });
}

/** Limits the reason of a failure, in characters. The result of its call contains the full text. */
const longestWhy = 500;

/** Lists the steps with their states and errors for a model, one per line. */
export function renderStates({ steps, failures }: Pick<Plan, "steps" | "failures">, locale: Locale): string {
  return steps
    .map((planned) => {
      const { step, description, tool } = planned;
      const why = failures.get(step);
      return `${step}. ${description}${tool && ` (${tool})`}: ${say(locale, describeState(planned))}${why ? ` (${toShortLine(why, longestWhy)})` : ""}`;
    })
    .join("\n");
}

/** Renders a plan that waits for confirmation as an answer: the steps and how to reply. */
export function renderPendingPlan(steps: readonly PlanStep[], locale: Locale): string {
  const list = steps.map((step) => `${step.step}. ${step.description}${call(step)}${mark(step, locale)}`).join("\n");
  return say(locale, {
    zh: `计划如下，等待确认：\n\n${list}\n\n在同一对话中以 plan 模式回复：y 确认执行，n 取消，或写出修改意见。`,
    en: `This plan is waiting for confirmation:\n\n${list}\n\nReply in the same conversation, in plan mode: y to run it, n to cancel it, or what to change.`,
  });
}

/** Renders the call as code, where no citation is looked for. */
function call({ tool, parameters }: PlanStep): string {
  if (tool === "") return "";
  return ` — \`${tool}\` \`${JSON.stringify(parameters).replaceAll("`", "\\u0060")}\``;
}

function mark(step: PlanStep, locale: Locale): string {
  return step.state === "pending" ? "" : ` (${say(locale, describeState(step))})`;
}
