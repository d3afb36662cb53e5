import { isDeepStrictEqual } from "node:util";
import type { Message, ToolCall } from "../../core/model/messages.ts";
import type { Turn } from "../../core/model/model.ts";
import type { DuetError } from "../../kit/errors.ts";
import { say, type Text } from "../../kit/locale.ts";
import { toAnswerMessage } from "../answer/hand-over.ts";
import { fence } from "../context/fence.ts";
import { toQuestionContent } from "../context/question-content.ts";
import { countCallsLeft } from "../limits/reached-limit.ts";
import { act } from "../loop/calls/act.ts";
import { reportModelFailure } from "../loop/decide-result.ts";
import type { DecideResult } from "../loop/run-result.ts";
import { runTurn } from "../loop/turn/run-turn.ts";
import { toPlaceholderValues } from "../prompts/prompt-values.ts";
import type { Run, RunServices } from "../run.ts";
import { mostSteps, type ParsedPlan, parsePlan } from "./parse-plan.ts";
import type { Draft, Plan, PlannedStep } from "./plan.ts";
import {
  createCorrectionRequest,
  createFoundToolsRequest,
  createRepairRequest,
  createRevisionRequest,
  createSearchHint,
} from "./plan-requests.ts";
import { noticeNoNewPlan, noticeNoPlan, noticePlanByRules, noticeUnchangedPlan, renderStates } from "./plan-texts.ts";
import { findUnresolvedValues } from "./references.ts";

/** Holds a plan, or the reason why there is none. */
export type DraftResult = { draft: Draft } | { stop: DecideResult["reason"]; error?: DuetError };

/** Has the function-call model plan. A method throws when the run was cancelled, or has nothing to answer from. */
export interface Planner {
  /** Makes the first plan. */
  begin(): Promise<DraftResult>;
  /** Plans again with the changes that the reader wants. */
  revise(words: string): Promise<DraftResult>;
  /** Plans the rest again after a step that failed. */
  repair(): Promise<DraftResult>;
}

/** Limits how often an unusable plan is returned to the model for correction. */
const mostCorrections = 2;

/** Limits how often planning may be postponed to find tools. */
const mostSearches = 2;

/** Limits how many problems of a plan are reported. */
const mostProblems = 20;

export function createPlanner(run: Run, plan: Plan): Planner {
  const messages = createOpeningMessages(run);

  function ask(request: string): void {
    messages.push({ role: "assistant", content: planJson(plan), toolCalls: [] }, { role: "user", content: request });
  }

  return {
    async begin() {
      // A model that goes by rules reads no prompt: asking it would only use up iterations.
      if (run.services.models.functionCall.followsPrompts === false)
        return { draft: toStepwiseDraft(run, noticePlanByRules) };
      return draftPlan(run, plan, {
        messages,
        reason: reasons.first,
        otherwise: () => toStepwiseDraft(run, noticeNoPlan),
      });
    },
    async revise(words) {
      if (run.services.models.functionCall.followsPrompts === false)
        return { draft: toStepwiseDraft(run, noticePlanByRules) };
      plan.excuseTurn();
      ask(say(run.input.language, createRevisionRequest(words, findFirstOpen(plan), countToolSteps(run))));
      const isUnderWay = plan.observations.length > 0;
      const before = plan.waiting();
      const createFallback = (): Draft =>
        isUnderWay ? toUnchangedDraft(run, before) : toStepwiseDraft(run, noticeNoPlan);
      const drafted = await draftPlan(run, plan, { messages, reason: reasons.revise, otherwise: createFallback });
      if ("draft" in drafted && isSamePlan(drafted.draft, before)) noticeUnchangedPlan(run);
      return drafted;
    },
    repair() {
      const { marker, language } = run.input;
      const { observations } = plan;
      const results = toAnswerMessage("", { observations, turns: run.state.steps }, marker, language).trim();
      const states = fence(renderStates(plan, language), marker);
      const left = { first: findFirstOpen(plan), calls: countToolSteps(run) };
      ask(say(language, createRepairRequest({ states, results, ...left })));
      return draftPlan(run, plan, { messages, reason: reasons.repair, otherwise: () => toUnchangedDraft(run, []) });
    },
  };
}

/** Returns the number of the first step that has not begun, or of the one that would come next. */
function findFirstOpen(plan: Plan): number {
  return plan.steps.length - plan.waiting().length + 1;
}

/** Returns how many steps of a plan may still use a tool. */
function countToolSteps(run: Run): number {
  return Math.min(countCallsLeft(run), mostSteps);
}

function createOpeningMessages(run: Run): Message[] {
  const {
    input: { language: locale, marker },
    services: {
      models,
      catalog: { tools },
    },
  } = run;
  const { finder } = run.services.catalog;
  const offer = [...tools.values()].map(({ name, description, inputSchema }) =>
    JSON.stringify({ name, description, parameters: inputSchema }),
  );
  // What a server says of its tools is from outside, like their results.
  const list = fence(offer.join("\n"), marker);
  const hint = finder ? `\n${say(locale, createSearchHint(finder.name))}` : "";
  const calls = String(countToolSteps(run));
  const variables = { ...toPlaceholderValues(run), calls, tools: list + hint };
  const content = run.services.prompts.render("plan", { model: models.functionCall, locale }, variables);
  return [
    { role: "system", content },
    ...run.state.plainHistory,
    { role: "user", content: toQuestionContent(run, { text: run.state.question, reader: models.functionCall }) },
  ];
}

/** Returns the plan in the format in which the model writes plans. */
function planJson({ steps }: Plan): string {
  return JSON.stringify({
    steps: steps.map(({ step, description, tool, parameters }) => ({ step, description, tool, parameters })),
  });
}

interface Request {
  /** Gets what is found on the way. */
  messages: Message[];
  reason: Text;
  /** Returns the draft to use when no reply is usable, and notifies the reader. */
  otherwise(): Draft;
}

/** Asks until the reply is a plan that can be used. */
async function draftPlan(run: Run, plan: Plan, { messages, reason, otherwise }: Request): Promise<DraftResult> {
  const dialogue = [...messages];
  let corrections = 0;
  let searches = 0;
  let tooLong: readonly PlannedStep[] = [];
  for (;;) {
    const limit = plan.limit("planning");
    if (limit) return { stop: limit };
    let turn: Turn;
    try {
      turn = await planTurn(run, dialogue, corrections === 0 ? reason : reasons.correct);
    } catch (thrown) {
      if (run.services.clock.callerSignal.aborted) throw thrown;
      if (run.services.clock.decideSignal.aborted) return { stop: "time-limit" };
      if (plan.observations.length === 0) throw thrown;
      return { stop: "model-failed", error: reportModelFailure(run, thrown) };
    }
    if (turn.finish === "refused" || turn.finish === "content-filter") return { stop: "model-refused" };
    const read = await readTurn(run, plan, turn);
    const wanted = "draft" in read ? findSearches(run.services, read.draft) : [];
    if (wanted.length > 0 && searches++ < mostSearches) {
      const exchange = await searchForPlan(run, wanted, turn.message.content);
      messages.push(...exchange);
      dialogue.push(...exchange);
      continue;
    }
    if ("draft" in read) return { draft: { ...read.draft, dropped: findDropped(tooLong, read.draft.steps) } };
    if (tooLong.length === 0) tooLong = read.tooLong ?? [];
    if (corrections++ === mostCorrections) return { draft: otherwise() };
    const request = say(run.input.language, createCorrectionRequest(fence(listOf(read.problems), run.input.marker)));
    const content = turn.message.content.trim() || "…";
    dialogue.push({ role: "assistant", content, toolCalls: [] }, { role: "user", content: request });
  }
}

/**
 * Returns the steps with a tool of a plan that was too long which the shorter one has neither by their words nor by their call. A
 * call that is filled in later says nothing of its step.
 */
function findDropped(tooLong: readonly PlannedStep[], steps: readonly PlannedStep[]): PlannedStep[] {
  const isKept = ({ tool, description, parameters }: PlannedStep): boolean => {
    const isKnown = findUnresolvedValues(parameters).length === 0;
    return steps.some(
      (step) =>
        step.tool === tool &&
        (step.description === description || (isKnown && isDeepStrictEqual(step.parameters, parameters))),
    );
  };
  return tooLong.filter((one) => one.tool !== "" && !isKept(one));
}

/** Lists the problems; one may quote what a server says about its tools. */
function listOf(problems: readonly string[]): string {
  return problems
    .slice(0, mostProblems)
    .map((problem) => `- ${problem}`)
    .join("\n");
}

async function planTurn(run: Run, messages: Message[], reason: Text): Promise<Turn> {
  run.state.statistics.addIteration();
  return runTurn(run, {
    phase: "plan",
    step: run.state.statistics.iterations,
    role: "functionCall",
    model: run.services.models.functionCall,
    reason: say(run.input.locale, reason),
    request: { messages, tools: [] },
    signal: run.services.clock.decideSignal,
    // The plan is shown as a whole, once it is known to be one.
    onText() {},
  });
}

type ReadDraft = { draft: Draft } | Extract<ParsedPlan, { problems: string[] }>;

async function readTurn(run: Run, plan: Plan, turn: Turn): Promise<ReadDraft> {
  if (turn.finish === "length") return { problems: [say(run.input.language, cutOff)] };
  const parsed = await parsePlan(turn.message.content, {
    tools: { get: run.services.catalog.findTool, keys: () => run.services.catalog.tools.keys() },
    first: findFirstOpen(plan),
    known: new Set(plan.results.keys()),
    mostCalls: countToolSteps(run),
    locale: run.input.language,
  });
  return "problems" in parsed ? parsed : { draft: { steps: parsed.steps, stepwise: false } };
}

/**
 * Is true when the model wrote the same steps again. Steps that were restored in place of a new plan do not count, because the
 * reader has been notified of them already.
 */
function isSamePlan({ steps, stepwise: isStepwise }: Draft, before: readonly PlannedStep[]): boolean {
  return !isStepwise && steps !== before && isDeepStrictEqual(steps, before);
}

function toStepwiseDraft(run: Run, notice: (run: Run) => void): Draft {
  notice(run);
  const description = say(run.input.locale, { zh: "逐步决定并执行", en: "Decide and act step by step" });
  return { steps: [{ description, tool: "", parameters: {} }], stepwise: true };
}

function toUnchangedDraft(run: Run, steps: PlannedStep[]): Draft {
  noticeNoNewPlan(run);
  return { steps, stepwise: false };
}

const reasons = {
  first: { zh: "分析任务，制定执行计划", en: "reading the task and making a plan" },
  correct: { zh: "计划不可用，请模型修正", en: "the plan is not usable; asking the model to correct it" },
  revise: { zh: "按修改意见重新规划", en: "planning again with the requested changes" },
  repair: { zh: "步骤失败，重新规划其余步骤", en: "a step failed; replanning the remaining steps" },
} satisfies Record<string, Text>;

const cutOff: Text = {
  zh: "回复在结束之前达到输出上限；请给出更短的计划",
  en: "the reply reached the output limit before it was complete; give a shorter plan",
};

/** Returns the steps of a draft that search for tools. The real plan is made once the tools are known. */
export function findSearches({ catalog }: RunServices, { steps }: Draft): PlannedStep[] {
  return catalog.finder === undefined ? [] : steps.filter(({ tool }) => tool === catalog.finder?.name);
}

/** Makes these searches; gives the draft and what was found as the planning model reads them. */
export async function searchForPlan(run: Run, searches: readonly PlannedStep[], draft: string): Promise<Message[]> {
  const calls = searches.map(
    ({ tool, parameters }, index): ToolCall => ({
      id: `search_${run.state.callIds.size + index}`,
      name: tool,
      argumentsText: JSON.stringify(parameters),
      arguments: parameters,
    }),
  );
  const found = await act(run, calls, run.state.statistics.iterations, 0);
  run.services.clock.callerSignal.throwIfAborted();
  const text = fence(found.map((observation) => observation.text).join("\n\n"), run.input.marker);
  return [
    { role: "assistant", content: draft, toolCalls: [] },
    { role: "user", content: say(run.input.language, createFoundToolsRequest(text)) },
  ];
}
