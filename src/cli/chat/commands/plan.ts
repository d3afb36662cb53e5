import type { ConversationStore } from "../../../app/open-duet.ts";
import type { PlanStep } from "../../../core/events.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import { planSigns, renderPlanTitle, states, toPurpose } from "../../../render/plan-lines.ts";
import { createLine, type Line } from "../../terminal/text/line.ts";
import type { Chat } from "../chat-state.ts";
import type { ChatCommand } from "./chat-command.ts";

/** Limits how many of a conversation's last runs are searched for a plan. */
const maxPlanRuns = 50;

export const plan: ChatCommand = {
  name: "/plan",
  argument: "[QUESTION]",
  help: {
    zh: "以 Plan 模式提一个问题；不带问题时显示上一个计划",
    en: "asks one question in plan mode; without a question, shows the last plan",
  },
  async run(chat, argument, signal) {
    if (argument !== "") {
      await chat.ask(argument, "plan");
      return undefined;
    }
    const { locale } = chat.settings;
    const steps = await findLastPlan(chat, signal);
    chat.write(...(steps === undefined ? [say(locale, noPlanText)] : renderPlan(steps, locale)));
    return undefined;
  },
};

const noPlanText: Text = {
  zh: "还没有计划。Plan 模式先列出步骤，由您确认后执行：/plan 问题 只用这一次，/mode plan 一直使用。",
  en: "There is no plan yet. Plan mode lists its steps first and runs them after you confirm: /plan QUESTION for one question, /mode plan for all.",
};

/** Returns the last plan of the current conversation. */
async function findLastPlan(
  { duet, conversationId }: Chat,
  signal: AbortSignal,
): Promise<readonly PlanStep[] | undefined> {
  if (conversationId === undefined) return undefined;
  const store: ConversationStore = await duet.store();
  const runs = await store.runs({ conversationId });
  for (const { id } of runs.slice(-maxPlanRuns).reverse()) {
    signal.throwIfAborted();
    const found = (await store.trace(id))?.plan;
    if (found && found.length > 0) return found;
  }
  return undefined;
}

function renderPlan(steps: readonly PlanStep[], locale: Locale): Line[] {
  return [
    createLine(renderPlanTitle(steps, locale), "strong"),
    ...steps.map((step): Line => {
      const tool = step.tool === "" ? "" : ` · ${toShortLine(step.tool, 80)}`;
      return [
        { text: `  ${planSigns[step.state]} ${step.step}. ${toPurpose(step)}` },
        { text: `${tool} · ${say(locale, states[step.state])}`, styles: ["dim"] },
      ];
    }),
  ];
}
