import type { Message } from "../../core/model/messages.ts";
import type { ToolChoice, Turn } from "../../core/model/model.ts";
import { type DuetError, toDuetError } from "../../kit/errors.ts";
import { toQuestionContent } from "../context/question-content.ts";
import { askForMore } from "../limits/ask-for-more.ts";
import { countCallsLeft, findReachedLimit, getProgress } from "../limits/reached-limit.ts";
import { toPlaceholderValues } from "../prompts/prompt-values.ts";
import { canAnswerWhileDeciding, type Run } from "../run.ts";
import { act } from "./calls/act.ts";
import { addClientMessages } from "./calls/client-calls.ts";
import { updateInstruction } from "./calls/client-instruction.ts";
import type { Observation } from "./calls/observe-call.ts";
import { reportModelFailure, toDecideResult } from "./decide-result.ts";
import { decideTurn } from "./decide-turn.ts";
import { addMessages } from "./deliver-messages.ts";
import { listEarlierCalls } from "./earlier-steps.ts";
import { askEvaluator, evaluate, type JudgedVerdict } from "./evaluate.ts";
import { explainVerdict } from "./explain-verdict.ts";
import { recordStep } from "./record-step.ts";
import type { AnswerResult, DecideResult } from "./run-result.ts";

/**
 * Decides and acts in a loop. Ends with the reason to answer. Throws only when the run was cancelled, or when the function-call
 * model failed before there was anything to show.
 */
export async function decideAndAct(run: Run): Promise<DecideResult> {
  const messages = createOpeningMessages(run);
  const earlier = listEarlierCalls(run);
  const observations: Observation[] = [...earlier];
  /** Counts consecutive rounds that only asked for known results. */
  let circles = 0;
  for (let step = 1; ; step++) {
    run.state.statistics.addIteration();
    const before = run.state.answer.written;
    let turn: Turn;
    try {
      turn = await decideTurn(run, {
        messages,
        tools: run.services.catalog.definitions(),
        step,
        isFirst: observations.length === 0,
        toolChoice: chooseToolChoice(run, observations.length === earlier.length),
      });
    } catch (thrown) {
      if (run.services.clock.callerSignal.aborted) throw thrown;
      const began = run.state.answer.written !== before;
      if (began) return toBrokenOffResult(run, observations, toDuetError(thrown));
      if (run.services.clock.decideSignal.aborted)
        return toDecideResult(run, { observations, reason: "time-limit", error: findErrorBeforeTimeout(thrown) });
      if (observations.length === 0) throw thrown;
      return toDecideResult(run, { observations, reason: "model-failed", error: reportModelFailure(run, thrown) });
    }
    const isDone = turn.finish !== "tool-calls" || turn.message.toolCalls.length === 0;
    // With one model the text of this turn is the answer, and what was said meanwhile comes too late.
    const late = isDone && !canAnswerWhileDeciding(run) ? await addMessages(run, step, turn.message) : [];
    if (late.length > 0 && findReachedLimit(getProgress(run), run.input.limits) === undefined) {
      messages.push(turn.message, ...late);
      continue;
    }
    if (isDone) return toDecideResult(run, { observations, ...toEnding(run, turn, before) });
    const { length } = turn.message.toolCalls;
    if (length > countCallsLeft(run)) await askForMore(run, "tool-call-limit");
    const round = await act(run, turn.message.toolCalls, step, countCallsLeft(run));
    const results = recordStep(run, turn.message, round, countCallsLeft(run));
    run.services.clock.callerSignal.throwIfAborted();
    // What finds tools brings nothing for the answer.
    const gathered = round.filter(({ call }) => call.name !== run.services.catalog.finder?.name);
    observations.push(...gathered);
    messages.push(turn.message, ...results, ...addClientMessages(run));
    updateInstruction(run, messages);
    circles = isCircle(round) ? circles + 1 : 0;
    const { verdict, custom } = await evaluateRound(run, {
      round,
      gathered,
      observations,
      isCircle: circles >= 2,
    });
    if (verdict.verdict === "answer") {
      if (await askForMore(run, verdict.reason)) {
        messages.push(...(await addMessages(run, step)));
        continue;
      }
      return toDecideResult(run, { observations, reason: verdict.reason, custom });
    }
    const message = explainVerdict(verdict, {
      limits: run.input.limits,
      locale: run.input.locale,
      results: "some",
      custom,
    });
    run.services.emit({ type: "evaluation", ...verdict, message });
    messages.push(...(await addMessages(run, step)));
  }
}

interface GatheredRound {
  /** `round` holds all calls of the last turn, and `gathered` those of them that were more than a search for tools. */
  round: readonly Observation[];
  gathered: readonly Observation[];
  observations: readonly Observation[];
  isCircle: boolean;
}

async function evaluateRound(
  run: Run,
  { round, gathered, observations, isCircle }: GatheredRound,
): Promise<JudgedVerdict> {
  const progress = getProgress(run);
  const {
    input: { limits },
  } = run;
  if (gathered.length > 0) {
    const ruled = evaluate(progress, { observations: gathered, isCircle }, limits);
    return askEvaluator(run, ruled, { round: gathered, observations });
  }
  // Tools that were found are no result to stop at.
  const goesOn = { ...limits, stopWhenSufficient: false };
  return { verdict: evaluate(progress, { observations: round, isCircle }, goesOn) };
}

function isCircle(round: readonly Observation[]): boolean {
  return round.some(({ isRepeated }) => isRepeated) && !round.some(({ isNews }) => isNews);
}

function createOpeningMessages(run: Run): Message[] {
  const {
    input: { language: locale },
    services: { models, catalog },
  } = run;
  const name = canAnswerWhileDeciding(run) ? "decide-alone" : "decide";
  const content = run.services.prompts.render(name, { model: models.functionCall, locale }, toPlaceholderValues(run));
  return [
    { role: "system", content },
    ...(catalog.tools.size > 0 ? run.state.history : run.state.plainHistory),
    { role: "user", content: toQuestionContent(run, { text: run.state.question, reader: models.functionCall }) },
    // Those that were there before the run.
    ...run.state.steps.flatMap(({ message, results, messages = [] }) => [message, ...results, ...messages]),
  ];
}

/** A model that must call a tool in every round never comes to an end. The program that asks says it again with each reply. */
function chooseToolChoice({ state, input }: Run, isOpening: boolean): ToolChoice | undefined {
  if (isOpening) return input.toolChoice;
  const choice = state.client?.toolChoice;
  if (state.client) state.client.toolChoice = undefined;
  return choice;
}

/** Returns the model error that occurred before the time ran out, or undefined when only the time ran out. */
function findErrorBeforeTimeout(thrown: unknown): DuetError | undefined {
  const error = toDuetError(thrown);
  return error.code === "timeout" ? undefined : error;
}

/** Returns the ending for a turn without calls to run. With one model, its text is the answer. */
function toEnding(
  run: Run,
  { finish, message }: Turn,
  before: string,
): Pick<DecideResult, "reason" | "answer" | "lastWords"> {
  // A turn that says it asks for tools, and asks for none, is at its end.
  const isDone = finish === "stop" || finish === "tool-calls";
  const hasAnswered = canAnswerWhileDeciding(run) && run.state.answer.written.slice(before.length).trim() !== "";
  const written: AnswerResult | undefined = hasAnswered ? { finish: isDone ? "stop" : finish } : undefined;
  if (isDone) return { reason: "model-decided", answer: written, lastWords: message.content };
  return { reason: finish === "length" ? "turn-cut" : "model-refused", answer: written };
}

/**
 * Ends a run whose single model failed, or ran out of time, in the middle of its answer. The text already shown is the answer.
 */
function toBrokenOffResult(run: Run, observations: Observation[], error: DuetError): DecideResult {
  const reason = run.services.clock.decideSignal.aborted ? "time-limit" : "model-failed";
  return toDecideResult(run, { observations, reason, answer: { finish: undefined, error } });
}
