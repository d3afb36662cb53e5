import { isDeepStrictEqual } from "node:util";
import type { Message, ToolCall } from "../../core/model/messages.ts";
import { answerCalls, canAskUser, createApprove, type User } from "../../core/questions/user.ts";
import type { PlanStep } from "../../core/run/events.ts";
import { getFailureKind } from "../../core/tools/failure-kind.ts";
import { isRefusedCall } from "../../core/tools/refused-call.ts";
import type { Tool, ToolFailure } from "../../core/tools/tool.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { sleep } from "../../kit/async/timeout.ts";
import type { DuetError } from "../../kit/errors.ts";
import type { JsonObject } from "../../kit/json.ts";
import { say, type Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { isShownWhole } from "../../render/plan-lines.ts";
import { toAnswerMessage } from "../answer/hand-over.ts";
import { fence } from "../context/fence.ts";
import { toQuestionContent } from "../context/question-content.ts";
import { countCallsLeft } from "../limits/reached-limit.ts";
import { act } from "../loop/calls/act.ts";
import type { Observation } from "../loop/calls/observe-call.ts";
import { createRepetition } from "../loop/calls/repetition.ts";
import { reportModelFailure } from "../loop/decide-result.ts";
import { recordCalls } from "../loop/record-step.ts";
import type { DecideResult } from "../loop/run-result.ts";
import { runTurn } from "../loop/turn/run-turn.ts";
import { toPlaceholderValues } from "../prompts/prompt-values.ts";
import type { Run, RunInput } from "../run.ts";
import { describeUnknownTool } from "./parse-plan.ts";
import type { Plan } from "./plan.ts";
import { createStepRequest } from "./plan-requests.ts";
import { describeMissing, fillReferences, findUnresolvedValues, joinResults } from "./references.ts";

/** Says how a step ended. `refused` means that a person's consent was missing, and `stop` ends the whole plan. */
export type StepEnd =
  | { end: "done"; result: string }
  | { end: "failed" | "refused"; why: string }
  | { end: "stop"; reason: DecideResult["reason"]; error?: DuetError };

/** Limits how often the model may fill in the parameters of one step. */
const mostFillings = 2;

/** Is the pause before the first retry of a step, in milliseconds. It doubles each time. */
const firstPauseMs = 250;

/** Carries out one step that has a tool: fills in its parameters, calls the tool, and tries again where that may help. */
export async function runStep(run: Run, plan: Plan, step: PlanStep): Promise<StepEnd> {
  const tool = run.services.catalog.findTool(step.tool);
  if (tool === undefined)
    return {
      end: "failed",
      why: say(run.input.language, describeUnknownTool(step.tool, [...run.services.catalog.tools.keys()])),
    };
  let ready: ReadyStep = await fillFromResults(run.input, plan, step, tool);
  let fillings = 0;
  let retries = 0;
  const results: string[] = [];
  for (;;) {
    const limit = plan.limit("step");
    if (limit) return { end: "stop", reason: limit };
    if ("trouble" in ready) {
      if (fillings++ === mostFillings) return { end: "failed", why: toWhy(ready.trouble) };
      try {
        ready = await fillFromModel(run, plan, { step, tool, trouble: ready.trouble });
      } catch (thrown) {
        return toFailedStep(run, plan, thrown);
      }
      continue;
    }
    const { calls } = ready;
    const observations = await makeCalls(run, plan, step, calls);
    results.push(...observations.filter(({ result }) => result.ok).map(getResultText));
    const failed = observations.filter(({ result }) => !result.ok);
    const [first] = failed;
    if (first === undefined) return { end: "done", result: joinResults(results) };
    if (run.services.clock.decideSignal.aborted) return { end: "stop", reason: "time-limit" };
    // A no that says what to do instead is a failure, after which the rest is planned anew.
    const refused = failed.find(({ result }) => isRefusedCall(result) && result.permission?.instead === undefined);
    if (refused) return toRefusedStep(plan, refused, results.length > 0);
    if (failed.some(({ isOverLimit }) => isOverLimit)) return { end: "stop", reason: "tool-call-limit" };
    const { error } = first.result;
    if (error?.code === "invalid_arguments" && canCorrect(run, step)) {
      ready = { trouble: { quoted: first.text, touchesPlan: !isConfirmed(run) } };
      continue;
    }
    const mayRetry = failed.every(({ call, result }) => canHelp(tool, call.arguments ?? {}, result.error));
    if (!mayRetry || retries >= run.input.planPolicy.retries)
      return { end: "failed", why: error?.message ?? first.text };
    await ignoreRejection(
      sleep(firstPauseMs * 2 ** retries++, run.services.clock.decideSignal),
      "the loop looks at the signal after the pause",
    );
    run.services.clock.callerSignal.throwIfAborted();
    ready = { calls: calls.filter((_, index) => observations[index]?.result.ok === false) };
  }
}

/** A step of which other calls have run has failed; one that did nothing was not run. */
function toRefusedStep(plan: Plan, { result, text }: Observation, hasResults: boolean): StepEnd {
  plan.refuse();
  return { end: hasResults ? "failed" : "refused", why: result.shown ?? text };
}

async function makeCalls(run: Run, plan: Plan, step: PlanStep, filled: readonly FilledCall[]): Promise<Observation[]> {
  const calls = filled.map(
    (one): ToolCall => ({
      id: `step_${step.step}`,
      name: step.tool,
      argumentsText: JSON.stringify(one.written),
      arguments: one.arguments,
      ...(!isDeepStrictEqual(one.arguments, one.written) && { isFilled: true }),
    }),
  );
  const wasSeen = isSeenInPlan(plan, step.parameters, filled);
  const { sending } = run.state;
  // What a plan repeats, it repeats on purpose.
  const planned: Run = {
    input: run.input,
    state: { ...run.state, repetition: createRepetition(["*"]), sending: wasSeen ? sending.forSeenCalls() : sending },
    services: { ...run.services, user: wasSeen ? approveAsPlanned(run) : run.services.user },
  };
  const observations = await act(planned, calls, step.step, countCallsLeft(run));
  recordCalls(run, observations);
  for (const observation of observations) plan.observe(step, observation);
  run.services.clock.callerSignal.throwIfAborted();
  return observations;
}

/**
 * Is true when a person has confirmed the plan and seen these calls in it, in full and as they run. Other calls need a new
 * confirmation.
 */
function isSeenInPlan({ isConfirmed: isAgreed }: Plan, planned: JsonObject, filled: readonly FilledCall[]): boolean {
  return isAgreed && isShownWhole(planned) && filled.every((one) => isDeepStrictEqual(one.arguments, planned));
}

function approveAsPlanned({ services: { user, clock } }: Run): User {
  const approve = createApprove(user, clock.callerSignal);
  return answerCalls(user, async (request) => (request.onlyOnce ? approve?.(request) : "once"));
}

/** Returns what later steps may refer to: the whole result, with its sources under their numbers. */
function getResultText({ result, text }: Observation): string {
  return result.sources?.length ? text : result.text;
}

/**
 * Is true when the same call may succeed, and does no harm if the first one took effect after all: a call that was lost is made
 * again only where the tool may be called twice.
 */
function canHelp(tool: Tool, args: JsonObject, error: ToolFailure | undefined): boolean {
  const isHarmless = tool.canRepeat?.(args) === true;
  const kind = error && getFailureKind(error);
  if (kind === "lost") return isHarmless;
  if (tool.annotations.destructive === true && !isHarmless) return false;
  return kind !== "final";
}

/** Is false for a step that was confirmed in full: changing it would need a new plan. */
function canCorrect(run: Run, { parameters }: PlanStep): boolean {
  return !isConfirmed(run) || findUnresolvedValues(parameters).length > 0;
}

/** Is true when a person confirms what is carried out, so that a model may not change it. */
function isConfirmed({ services: { user }, input: { planPolicy } }: Run): boolean {
  return canAskUser(user, "plan") || planPolicy.unattended === "stop";
}

function toFailedStep(run: Run, plan: Plan, thrown: unknown): StepEnd {
  if (run.services.clock.callerSignal.aborted) throw thrown;
  if (run.services.clock.decideSignal.aborted) return { end: "stop", reason: "time-limit" };
  if (plan.observations.length === 0) throw thrown;
  return { end: "stop", reason: "model-failed", error: reportModelFailure(run, thrown) };
}

/** Holds the calls of a step in usable form, or the problem that prevents them. */
type ReadyStep = { calls: readonly FilledCall[] } | { trouble: StepProblem };

interface FilledCall {
  arguments: JsonObject;
  /**
   * Holds the parameters as the model wrote them. What references added comes from outside, and a model reads it fenced, in its
   * own result.
   */
  written: JsonObject;
}

interface StepProblem {
  /** Says what the model has to do about it. */
  duty?: string;
  /** Holds what a tool, a schema or a reply said, which is fenced. */
  quoted?: string;
  /** Is true when parameters that the plan gives in full are wrong too. */
  touchesPlan: boolean;
}

/** Fills the references of a step from what earlier steps brought, so that the tool takes the result. */
export async function fillFromResults(input: RunInput, plan: Plan, step: PlanStep, tool: Tool): Promise<ReadyStep> {
  let trouble = "";
  for (const whole of ["json", "text"] as const) {
    const { parameters, missing } = fillReferences(step.parameters, plan.results, whole);
    if (missing.length > 0)
      return { trouble: { duty: say(input.language, describeMissing(missing)), touchesPlan: false } };
    const problems = (await tool.check?.(parameters).catch(() => [])) ?? [];
    if (problems.length === 0) return { calls: [{ arguments: parameters, written: step.parameters }] };
    trouble ||= problems.map(({ path, text }) => `- ${path}: ${say(input.language, text)}`).join("\n");
  }
  return { trouble: { quoted: trouble, touchesPlan: false } };
}

export interface UnfilledStep {
  step: PlanStep;
  tool: Tool;
  trouble: StepProblem;
}

/** Has the function-call model make the step's calls, in a turn that no limit of turns counts. Throws what the model throws. */
export async function fillFromModel(run: Run, plan: Plan, { step, tool, trouble }: UnfilledStep): Promise<ReadyStep> {
  const { name, description, inputSchema } = tool;
  run.state.statistics.addIteration();
  plan.excuseTurn();
  const turn = await runTurn(run, {
    phase: "decide",
    kind: "fill",
    step: run.state.statistics.iterations,
    role: "functionCall",
    model: run.services.models.functionCall,
    reason: say(run.input.locale, describeReason(step.step)),
    request: { messages: createFillingMessages(run, plan, step, trouble), tools: [{ name, description, inputSchema }] },
    signal: run.services.clock.decideSignal,
    onText: (text) => run.services.emit({ type: "thought-delta", text }),
  });
  const asked = turn.finish === "tool-calls" ? turn.message.toolCalls.filter((one) => one.name === name) : [];
  plan.remark(turn.message.content);
  const unreadable = asked.find((one) => one.arguments === undefined);
  if (asked.length === 0 || unreadable) {
    const said = toShortLine(unreadable?.argumentsText ?? turn.message.content, 200);
    return { trouble: { ...trouble, quoted: said, duty: say(run.input.language, noCall) } };
  }
  const calls = asked.map(({ arguments: given = {} }): FilledCall => {
    const filled = trouble.touchesPlan ? given : withPlanned(step, given);
    return { arguments: filled, written: filled };
  });
  return { calls };
}

/** Restores the parameters that the plan gives in full. They stay as planned and, where somebody was asked, as confirmed. */
function withPlanned({ parameters }: PlanStep, filled: JsonObject): JsonObject {
  const planned = Object.entries(parameters).filter(
    ([name, value]) => findUnresolvedValues({ [name]: value }).length === 0,
  );
  return { ...filled, ...Object.fromEntries(planned) };
}

function createFillingMessages(run: Run, plan: Plan, step: PlanStep, { duty, quoted }: StepProblem): Message[] {
  const {
    input: { language: locale, marker },
    services: { models },
  } = run;
  const parameters = JSON.stringify(step.parameters);
  // What is wrong may be in the words of a server or of its schema.
  const trouble = [duty, quoted && fence(quoted, marker)].filter(Boolean).join("\n");
  const request = createStepRequest({ ...step, parameters, trouble, calls: countCallsLeft(run) });
  const { observations } = plan;
  const done = toAnswerMessage(run.state.question, { observations, turns: run.state.steps }, marker, locale);
  return [
    {
      role: "system",
      content: run.services.prompts.render("decide", { model: models.functionCall, locale }, toPlaceholderValues(run)),
    },
    ...run.state.plainHistory,
    {
      role: "user",
      content: toQuestionContent(run, {
        text: `${done}\n\n${say(locale, request)}`,
        reader: models.functionCall,
        observations,
      }),
    },
  ];
}

function describeReason(step: number): Text {
  return {
    zh: `根据前面的结果补全步骤 ${step} 的参数`,
    en: `filling in the parameters of step ${step} from the results so far`,
  };
}

const noCall: Text = {
  zh: "上一次的回复里没有可用的调用，回复是：",
  en: "The last reply held no call to use. It was:",
};

function toWhy({ duty, quoted }: StepProblem): string {
  return [duty, quoted].filter(Boolean).join(" ");
}
