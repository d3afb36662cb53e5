import type { PlanStep } from "../core/run/events.ts";
import type { Text } from "../kit/locale.ts";

const states: Record<PlanStep["state"], Text> = {
  pending: { zh: "待执行", en: "pending" },
  running: { zh: "执行中", en: "running" },
  done: { zh: "已完成", en: "done" },
  failed: { zh: "失败", en: "failed" },
  skipped: { zh: "未执行", en: "not run" },
};

/** A step that a plan did not come to needs no other reason. */
const reasons: Partial<Record<NonNullable<PlanStep["reason"]>, Text>> = {
  limit: { zh: "达到上限", en: "limit reached" },
  dependency: { zh: "缺少结果", en: "no result" },
  dropped: { zh: "计划太长", en: "plan too long" },
  consent: { zh: "未获同意", en: "no consent" },
};

/** Names the state of a step, with the reason where the step was not run. */
export function describeState({ state, reason }: Pick<PlanStep, "state" | "reason">): Text {
  const why = reason && reasons[reason];
  const { zh, en } = states[state];
  return { zh: why ? `${zh}，${why.zh}` : zh, en: why ? `${en}, ${why.en}` : en };
}
