import type { Notice } from "../../core/notice.ts";
import { say, type Text } from "../../kit/locale.ts";
import type { Run } from "../run.ts";

export function noticeNoPlan(run: Run): void {
  tell(run, "warning", "plan-unusable", {
    zh: "模型没有给出可用的计划，改为逐步决定并执行。",
    en: "The model returned no usable plan; deciding step by step instead.",
  });
}

/** Notifies the reader that no model was asked for a plan. */
export function noticePlanByRules(run: Run): void {
  tell(run, "info", "plan-by-rules", {
    zh: "离线规则不制定计划，逐步决定并执行。",
    en: "The offline rules do not make plans; deciding and acting step by step.",
  });
}

/** Notifies the reader that no new plan was made and the earlier one stays in force. */
export function noticeNoNewPlan(run: Run): void {
  tell(run, "warning", "plan-unusable", {
    zh: "模型没有给出可用的新计划，按原计划继续其余步骤。",
    en: "The model returned no usable new plan; continuing with the previous plan.",
  });
}

/** Notifies the reader that the model wrote the same plan again. */
export function noticeUnchangedPlan(run: Run): void {
  tell(run, "info", "plan-unchanged", { zh: "计划没有变化。", en: "The plan is unchanged." });
}

/** Notifies the reader that no more changes are possible after `most` of them. */
export function noticeNoMoreChanges(run: Run, most: number): void {
  tell(run, "warning", "plan-changes-used-up", {
    zh: `计划已修改 ${most} 次，本次运行不再接受修改；计划保持不变，等待确认。`,
    en: `The plan was changed ${most} times; this run accepts no more changes. The plan is unchanged and waiting for confirmation.`,
  });
}

function tell(run: Run, level: Notice["level"], code: string, text: Text): void {
  run.services.emit({ type: "notice", level, code, message: say(run.input.locale, text) });
}
