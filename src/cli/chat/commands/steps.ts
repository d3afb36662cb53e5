import type { PlanStep } from "../../../core/run/events.ts";
import { findResultNumber } from "../../../core/store/conversations/move-numbers.ts";
import { listTurnRuns } from "../../../core/store/conversations/turn-runs.ts";
import type { ConversationStore } from "../../../core/store/store.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import { planSigns, renderPlanTitle, toPurpose } from "../../../render/plan-lines.ts";
import { describeState } from "../../../render/plan-states.ts";
import { toTypedQuestion } from "../../../render/typed-question.ts";
import { createLine, type Line } from "../../terminal/text/line.ts";
import type { Chat } from "../chat.ts";
import { expandRun, expandStep, pageLines } from "../steps/expand-step.ts";
import type { Step } from "../steps/step.ts";
import { type ChatCommand, commandError } from "./chat-command.ts";

export const trace: ChatCommand = {
  name: "/trace",
  runsAtOnce: true,
  argument: "[RUN]",
  help: { zh: "显示一次运行的追踪，默认是最近一次", en: "shows the trace of a run; without an ID, of the last run" },
  async complete({ duet, conversation: { id: conversationId, branch } }) {
    if (conversationId === undefined) return [];
    const store = await duet.store();
    const mine = new Set(await listTurnRuns(store, conversationId, branch));
    const runs = (await store.runs({ conversationId })).filter(({ id }) => mine.has(id));
    return runs
      .toReversed()
      .map(({ id, question }) => ({ text: id, help: toShortLine(toTypedQuestion(question), 60) }));
  },
  async run(chat, argument) {
    const [{ findTrace }, { renderTrace }] = await Promise.all([
      import("../../trace/trace-command.ts"),
      import("../../trace/trace-lines.ts"),
    ]);
    const { locale } = chat.settings;
    const wanted = argument === "" ? await findLastRun(chat) : argument;
    const found = wanted === undefined ? undefined : await findTrace(await chat.duet.store(), wanted);
    if (found) chat.write(...renderTrace(found, { locale, verbose: chat.config.agent.verbose }));
    else if (wanted === undefined)
      chat.write(say(locale, { zh: "这个对话还没有运行。", en: "This conversation has no run yet." }));
    else throw unknownRunError(wanted);
    return undefined;
  },
};

/** Returns the last run of this chat, or else the last of the current conversation. */
async function findLastRun({ duet, conversation }: Chat): Promise<string | undefined> {
  const { id, branch, runId } = conversation;
  if (runId !== undefined || id === undefined) return runId;
  return (await listTurnRuns(await duet.store(), id, branch)).at(-1);
}

function unknownRunError(run: string): Error {
  const shown = toShortLine(run, 60);
  return commandError(
    { zh: `没有编号以 ${shown} 开头的运行`, en: `There is no run whose ID starts with ${shown}` },
    { zh: "不给编号时显示最近一次运行：/trace", en: "Omit the ID to show the last run: /trace" },
  );
}

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
  zh: "还没有计划。Plan 模式先列出步骤，由你确认后执行：/plan 问题 只用这一次，/mode plan 一直使用。",
  en: "There is no plan yet. Plan mode lists its steps first and runs them after you confirm: /plan QUESTION for one question, /mode plan for all.",
};

/** Returns the last plan of the current conversation. */
async function findLastPlan(
  { duet, conversation: { id: conversationId, branch } }: Chat,
  signal: AbortSignal,
): Promise<readonly PlanStep[] | undefined> {
  if (conversationId === undefined) return undefined;
  const store: ConversationStore = await duet.store();
  const runs = await listTurnRuns(store, conversationId, branch);
  for (const id of runs.slice(-maxPlanRuns).reverse()) {
    signal.throwIfAborted();
    const found = id === undefined ? undefined : (await store.trace(id))?.plan;
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
        { text: `${tool} · ${say(locale, describeState(step))}`, styles: ["dim"] },
      ];
    }),
  ];
}

export const expand: ChatCommand = {
  name: "/expand",
  runsAtOnce: true,
  argument: "[N [PAGE|all]]",
  help: {
    zh: "展开一个步骤，长的结果分页；不给编号时展开上一次运行的全部步骤",
    en: "shows a step in full, a long one page by page; without a number, all steps of the last run",
  },
  complete: async ({ steps }) =>
    steps.listRunSteps().map(({ number, name }) => ({ text: String(number), help: toShortLine(name, 80) })),
  async run(chat, argument) {
    if (argument === "") return void expandRun(chat);
    const [number = "", page = "1", ...more] = argument.split(/\s+/);
    const step = findStep(more.length > 0 ? argument : number, chat);
    await expandPage(chat, step, page);
    return undefined;
  },
};

/** Shows one page of a step, and offers the next one. */
async function expandPage(chat: Chat, step: Step, page: string): Promise<void> {
  const { locale } = chat.settings;
  const lines = expandStep(await findWhole(step, chat), locale);
  const pages = Math.ceil(lines.length / pageLines);
  if (page.toLowerCase() === "all" || pages === 1) {
    chat.offerNext(undefined);
    return chat.write(...lines);
  }
  const at = /^\d{1,6}$/.test(page) ? Number(page) : 0;
  if (at < 1 || at > pages) throw noPageError(page, pages);
  chat.write(...lines.slice((at - 1) * pageLines, at * pageLines));
  chat.write(createLine(`  ${say(locale, describePage(step, at, pages))}`, "dim"));
  chat.offerNext(at < pages ? `/expand ${step.number} ${at + 1}` : undefined);
}

function describePage({ number }: Step, at: number, pages: number): Text {
  const [zh, en] =
    at < pages ? [`/expand ${number} ${at + 1} 下一页，`, `/expand ${number} ${at + 1}: the next one, `] : ["", ""];
  return {
    zh: `第 ${at} 页，共 ${pages} 页：${zh}/expand ${number} all 全部`,
    en: `Page ${at} of ${pages}: ${en}/expand ${number} all: everything`,
  };
}

function noPageError(page: string, pages: number): Error {
  const shown = toShortLine(page, 40);
  return commandError(
    { zh: `没有第 "${shown}" 页`, en: `There is no page "${shown}"` },
    { zh: `可选：1 到 ${pages}、all。`, en: `Allowed: 1 to ${pages}, all.` },
  );
}

/** Returns the step with the whole result, where a model was given parts of it and the conversation holds the rest. */
async function findWhole(step: Step, { duet, conversation: { id, branch } }: Chat): Promise<Step> {
  const n = findResultNumber(step.text);
  if (step.kind !== "tool" || n === undefined || id === undefined) return step;
  const text = await (await (await duet.store()).load(id, branch))?.results?.get(n);
  return text === undefined ? step : { ...step, text, missing: undefined };
}

function findStep(argument: string, { steps }: Chat): Step {
  const [, digits] = /^#?(\d{1,9})$/.exec(argument) ?? [];
  const step = digits === undefined ? undefined : steps.find(Number(digits));
  if (step) return step;
  const shown = toShortLine(argument, 40);
  const numbers = steps.listRunSteps().map(({ number }) => number);
  const there =
    numbers.length === 0
      ? { zh: "现在还没有步骤。", en: "There are no steps yet." }
      : { zh: `上一次运行的步骤：${numbers.join("、")}。`, en: `The last run has: ${numbers.join(", ")}.` };
  throw commandError({ zh: `没有步骤 "${shown}"`, en: `There is no step "${shown}"` }, there);
}

export const fold: ChatCommand = {
  name: "/fold",
  argument: "",
  help: {
    zh: "把最新回答的步骤列表折叠成一行，再用一次则展开",
    en: "folds the step list of the latest answer to one line; a second /fold opens it",
  },
  run({ settings: { locale }, steps, toggleSteps, write }) {
    const isDone = toggleSteps();
    if (isDone === false)
      throw commandError(
        {
          zh: "步骤列表已不在屏幕上，无法折叠",
          en: "The step list is no longer on the screen and cannot be folded",
        },
        { zh: "/expand 重新显示全部步骤。", en: "/expand shows all steps again." },
      );
    const none =
      steps.listRunSteps().length === 0
        ? { zh: "还没有可以折叠的步骤。", en: "There is no step to fold yet." }
        : { zh: "纯文本输出不能折叠。", en: "Plain output cannot be folded." };
    if (isDone === undefined) write(say(locale, none));
    return undefined;
  },
};

export const cost: ChatCommand = {
  name: "/cost",
  runsAtOnce: true,
  argument: "",
  help: { zh: "显示本次聊天的用量与费用", en: "shows what this chat has used and cost" },
  run(chat) {
    chat.write(...chat.bill.renderLines(chat.settings.locale));
    return undefined;
  },
};
