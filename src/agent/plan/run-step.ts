import { isDeepStrictEqual } from "node:util";
import type { PlanStep } from "../../core/events.ts";
import type { Message, ToolCall } from "../../core/messages.ts";
import { answerCalls, canAskUser, createApprove, type User } from "../../core/questions/user.ts";
import { getFailureKind } from "../../core/tools/failure-kind.ts";
import type { Tool, ToolFailure } from "../../core/tools/tool.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { sleep } from "../../kit/async/timeout.ts";
import type { DuetError } from "../../kit/errors.ts";
import type { JsonObject } from "../../kit/json.ts";
import { say, type Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { isShownWhole } from "../../render/plan-lines.ts";
import { toAnswerMessage } from "../answer/write-answer.ts";
import { fence } from "../context/fence.ts";
import { act, type Observation } from "../loop/act.ts";
import { reportModelFailure } from "../loop/decide.ts";
import { createRepetition } from "../loop/repetition.ts";
import type { DecideResult } from "../loop/run-result.ts";
import { runTurn } from "../loop/run-turn.ts";
import { toPlaceholderValues } from "../prompts/prompt-values.ts";
import type { Run, RunInput } from "../run.ts";
import { describeUnknownTool } from "./parse-plan.ts";
import type { Plan } from "./plan.ts";
import { createStepRequest } from "./plan-requests.ts";
import { fillReferences, findUnresolvedValues } from "./references.ts";

/** Says how a step ended. `stop` ends the whole plan. */
export type StepEnd =
  | { end: "done"; result: string }
  | { end: "failed"; why: string }
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
  for (;;) {
    const limit = plan.limit("trouble" in ready ? "turn" : "call");
    if (limit) return { end: "stop", reason: limit };
    if ("trouble" in ready) {
      if (fillings++ === mostFillings) return { end: "failed", why: ready.trouble.text };
      try {
        ready = await fillFromModel(run, plan, { step, tool, trouble: ready.trouble });
      } catch (thrown) {
        return toFailedStep(run, plan, thrown);
      }
      continue;
    }
    const observation = await call(run, plan, step, ready);
    if (observation.result.ok) return { end: "done", result: getResultText(observation) };
    if (run.services.clock.decideSignal.aborted) return { end: "stop", reason: "time-limit" };
    const { error } = observation.result;
    if (error?.code === "invalid_arguments" && canCorrect(run, step)) {
      ready = { trouble: { text: observation.text, touchesPlan: !isConfirmed(run) } };
    } else if (retries < run.input.planPolicy.retries && canHelp(tool, ready.arguments, error)) {
      await ignoreRejection(
        sleep(firstPauseMs * 2 ** retries++, run.services.clock.decideSignal),
        "the loop looks at the signal after the pause",
      );
      run.services.clock.callerSignal.throwIfAborted();
    } else return { end: "failed", why: error?.message ?? observation.text };
  }
}

async function call(
  run: Run,
  plan: Plan,
  { step, tool, parameters }: PlanStep,
  filled: FilledStep,
): Promise<Observation> {
  const toolCall: ToolCall = {
    id: `step_${step}`,
    name: tool,
    argumentsText: JSON.stringify(filled.written),
    arguments: filled.arguments,
  };
  // What a plan repeats, it repeats on purpose.
  const planned: Run = {
    input: run.input,
    state: { ...run.state, repetition: createRepetition(["*"]) },
    services: { ...run.services, user: approveAsPlanned(run, plan, parameters, filled) },
  };
  const [observation] = await act(planned, [toolCall], step, run.input.limits.maxToolCalls - plan.toolCalls);
  run.services.clock.callerSignal.throwIfAborted();
  if (observation === undefined) throw new Error(`The call of step ${step} was not observed.`);
  plan.observe(observation);
  return observation;
}

/**
 * A person who confirmed a plan has approved only a call that runs as it was shown, in full. Other calls need a new
 * confirmation.
 */
function approveAsPlanned(
  { services: { user, clock } }: Run,
  { isConfirmed: isAgreed }: Plan,
  planned: JsonObject,
  filled: FilledStep,
): User | undefined {
  const wasSeen = isAgreed && isShownWhole(planned) && isDeepStrictEqual(filled.arguments, planned);
  if (!wasSeen) return user;
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

/** Holds the parameters of a step in usable form, or the problem that prevents their use. */
type ReadyStep = FilledStep | { trouble: StepProblem };

interface FilledStep {
  arguments: JsonObject;
  /**
   * Holds the parameters as the model wrote them. What references added comes from outside, and a model reads it fenced, in its
   * own result.
   */
  written: JsonObject;
}

interface StepProblem {
  /** Holds the text for the model. */
  text: string;
  /** Is true when parameters that the plan gives in full are wrong too. */
  touchesPlan: boolean;
}

/** Fills the references of a step from what earlier steps brought, so that the tool takes the result. */
export async function fillFromResults(input: RunInput, plan: Plan, step: PlanStep, tool: Tool): Promise<ReadyStep> {
  let trouble = "";
  for (const whole of ["json", "text"] as const) {
    const { parameters, missing } = fillReferences(step.parameters, plan.results, whole);
    if (missing.length > 0)
      return { trouble: { text: say(input.language, describeNotFound(missing)), touchesPlan: false } };
    const problems = (await tool.check?.(parameters).catch(() => [])) ?? [];
    if (problems.length === 0) return { arguments: parameters, written: step.parameters };
    trouble ||= problems.map(({ path, text }) => `- ${path}: ${say(input.language, text)}`).join("\n");
  }
  return { trouble: { text: trouble, touchesPlan: false } };
}

export interface UnfilledStep {
  step: PlanStep;
  tool: Tool;
  trouble: StepProblem;
}

/** Has the function-call model make the step's call. Throws what the model throws. */
export async function fillFromModel(run: Run, plan: Plan, { step, tool, trouble }: UnfilledStep): Promise<ReadyStep> {
  const { name, description, inputSchema } = tool;
  run.state.statistics.addIteration();
  const turn = await runTurn(run, {
    phase: "decide",
    step: run.state.statistics.iterations,
    role: "functionCall",
    model: run.services.models.functionCall,
    reason: say(run.input.locale, describeReason(step.step)),
    request: { messages: createFillingMessages(run, plan, step, trouble), tools: [{ name, description, inputSchema }] },
    signal: run.services.clock.decideSignal,
    onText: (text) => run.services.emit({ type: "thought-delta", text }),
  });
  const call = turn.finish === "tool-calls" ? turn.message.toolCalls.find((one) => one.name === name) : undefined;
  if (call?.arguments === undefined) {
    const said = toShortLine(call?.argumentsText ?? turn.message.content, 200);
    return { trouble: { ...trouble, text: say(run.input.language, describeNoCall(said)) } };
  }
  const filled = trouble.touchesPlan ? call.arguments : withPlanned(step, call.arguments);
  return { arguments: filled, written: filled };
}

/** Restores the parameters that the plan gives in full. They stay as planned and, where somebody was asked, as confirmed. */
function withPlanned({ parameters }: PlanStep, filled: JsonObject): JsonObject {
  const planned = Object.entries(parameters).filter(
    ([name, value]) => findUnresolvedValues({ [name]: value }).length === 0,
  );
  return { ...filled, ...Object.fromEntries(planned) };
}

function createFillingMessages(run: Run, plan: Plan, step: PlanStep, { text }: StepProblem): Message[] {
  const {
    input: { language: locale, marker },
    services: { models },
  } = run;
  const parameters = JSON.stringify(step.parameters);
  // What is wrong may be in the words of a server or of its schema.
  const request = createStepRequest({ ...step, parameters, trouble: fence(text, marker) });
  const done = toAnswerMessage(run.state.question, plan.observations, marker, locale);
  return [
    {
      role: "system",
      content: run.services.prompts.render("decide", { model: models.functionCall, locale }, toPlaceholderValues(run)),
    },
    ...run.state.history,
    { role: "user", content: `${done}\n\n${say(locale, request)}` },
  ];
}

function describeReason(step: number): Text {
  return {
    zh: `根据前面的结果补全步骤 ${step} 的参数`,
    en: `filling in the parameters of step ${step} from the results so far`,
  };
}

function describeNotFound(places: readonly string[]): Text {
  const list = places.join(", ");
  return { zh: `还没有值的参数：${list}`, en: `Parameters without a value yet: ${list}` };
}

function describeNoCall(said: string): Text {
  return {
    zh: `上一次没有给出可用的调用：${said || "空"}`,
    en: `The last reply held no call to use: ${said || "nothing"}`,
  };
}
