import type { PlanStep } from "../../core/events.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { states } from "../../render/plan-lines.ts";
import type { Plan } from "./plan.ts";

/** Limits the reason of a failure, in characters. The result of its call contains the full text. */
const longestWhy = 500;

/** Lists the steps with their states and errors for a model, one per line. */
export function renderStates({ steps, failures }: Pick<Plan, "steps" | "failures">, locale: Locale): string {
  return steps
    .map(({ step, description, tool, state }) => {
      const why = failures.get(step);
      return `${step}. ${description}${tool && ` (${tool})`}: ${say(locale, states[state])}${why ? ` (${toShortLine(why, longestWhy)})` : ""}`;
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

function mark({ state }: PlanStep, locale: Locale): string {
  return state === "pending" ? "" : ` (${say(locale, states[state])})`;
}
