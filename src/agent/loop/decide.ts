import type { Message } from "../../core/messages.ts";
import { type ToolChoice, type ToolDefinition, type Turn, toModelName } from "../../core/model.ts";
import { isLimit, type Verdict } from "../../core/verdict.ts";
import { followSignal } from "../../kit/async/timeout.ts";
import { type DuetError, toDuetError } from "../../kit/errors.ts";
import { say } from "../../kit/locale.ts";
import { toQuestionContent } from "../context/question-content.ts";
import { askForMore } from "../limits/ask-for-more.ts";
import { countCallsLeft, findReachedLimit, getProgress } from "../limits/reached-limit.ts";
import { toPlaceholderValues } from "../prompts/prompt-values.ts";
import { canAnswerWhileDeciding, type Run, type RunServices } from "../run.ts";
import { act } from "./act.ts";
import { answerMark } from "./answer-mark.ts";
import { createAnswerStop } from "./answer-stop.ts";
import { addClientMessages } from "./client-calls.ts";
import { updateInstruction } from "./client-instruction.ts";
import { addMessages } from "./deliver-messages.ts";
import { createDraft } from "./draft.ts";
import { listEarlierCalls } from "./earlier-steps.ts";
import { askEvaluator, evaluate, type JudgedVerdict } from "./evaluate.ts";
import { countResults, explainOwnAnswer, explainVerdict } from "./explain-verdict.ts";
import type { Observation } from "./observe-call.ts";
import { recordStep } from "./record-step.ts";
import type { AnswerResult, DecideResult } from "./run-result.ts";
import { runTurn } from "./run-turn.ts";
import { createTurnText, type TurnText } from "./turn-text.ts";

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
        return toDecideResult(run, { observations, reason: "time-limit", error: getCause(thrown) });
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

/** Says why it is time to answer. */
export function toDecideResult(run: Run, work: DecideResult): DecideResult {
  const verdict: Verdict = { verdict: "answer", reason: work.reason };
  const hasAnswered = work.answer?.finish === "stop";
  const {
    input: { limits, locale },
  } = run;
  const results = countResults(work.observations);
  const message = hasAnswered
    ? explainOwnAnswer(results, locale)
    : explainVerdict(verdict, { limits, locale, results, custom: work.custom });
  run.services.emit({ type: "evaluation", ...verdict, message });
  // The end of the run names a limit, once, with what raises it.
  const forLog = verdict.reason === "repetition" ? undefined : true;
  if (isLimit(verdict)) run.services.emit({ type: "notice", level: "warning", code: verdict.reason, message, forLog });
  return work;
}

/** Returns the model error that occurred before the time ran out, or undefined when only the time ran out. */
function getCause(thrown: unknown): DuetError | undefined {
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

interface DecideTurn {
  messages: Message[];
  tools: ToolDefinition[];
  step: number;
  /** Is true while there is no result to answer from. */
  isFirst: boolean;
  toolChoice: ToolChoice | undefined;
}

/** Runs one decide turn. With two models all its text is thought; with one, the text of a turn without calls is the answer. */
async function decideTurn(run: Run, { messages, tools, step, isFirst, toolChoice }: DecideTurn): Promise<Turn> {
  const isOne = canAnswerWhileDeciding(run);
  const text = isOne ? openText(run, { messages, tools, step }) : undefined;
  const emitThought = (thought: string): void => run.services.emit({ type: "thought-delta", text: thought });
  const stop = isOne ? undefined : createAnswerStop(!isFirst);
  const time = text ? createFlowSignal(run.services, text) : { signal: run.services.clock.decideSignal, clear() {} };
  try {
    const turn = await runTurn(run, {
      phase: "decide",
      step,
      role: "functionCall",
      model: run.services.models.functionCall,
      reason: say(run.input.locale, step === 1 ? firstReason : nextReason),
      request: {
        messages,
        tools,
        maxTokens: isOne ? run.input.limits.maxTokens : undefined,
        toolChoice,
      },
      signal: time.signal,
      stopSignal: stop?.signal,
      onText(piece, origin) {
        if (text) text.push(piece, origin);
        else emitThought(piece);
        stop?.watch(piece, origin);
      },
      onEnd: (turn) => text && settle(run, turn, text, messages),
    });
    if (stop?.signal.aborted) noticeStopped(run);
    return turn;
  } catch (thrown) {
    // Half an answer is more than none, unless another turn is about to write a whole one.
    if (isFirst || run.services.clock.callerSignal.aborted) text?.asAnswer();
    else text?.asThought();
    throw thrown;
  } finally {
    time.clear();
  }
}

function openText(run: Run, { messages, tools, step }: Pick<DecideTurn, "messages" | "tools" | "step">): TurnText {
  return createTurnText({
    answer: (text) => run.state.answer.push(text),
    think: (text) => run.services.emit({ type: "thought-delta", text }),
    draft: createDraft(run, step),
    hasMark: isMarkAsked(messages),
    flowsAtOnce: tools.length === 0,
  });
}

/** A prompt of the user's own may ask for the mark, too, or leave it out. */
function isMarkAsked([system]: readonly Message[]): boolean {
  return system?.role === "system" && system.content.includes(answerMark);
}

/** Says what the text that is still held back was: a thought beside calls, or the end of the answer. */
function settle(run: Run, { finish, message }: Turn, text: TurnText, messages: readonly Message[]): void {
  if (finish === "tool-calls" && message.toolCalls.length > 0) {
    text.asThought();
    // A long thought that was already shown as answer stays there, set apart from what follows.
    if (text.isFlowing()) run.state.answer.push("\n\n");
    return;
  }
  text.asAnswer();
  run.state.answer.finish();
  if (finish === "stop" && isMarkAsked(messages))
    run.services.markHabits?.countAnswer(run.services.models.functionCall, text.isMarked());
}

/** Applies the time limit for deciding, and switches to the one for answering once the turn turns out to be the answer. */
function createFlowSignal(services: RunServices, text: TurnText): { signal: AbortSignal; clear(): void } {
  const turn = new AbortController();
  const unfollow = followSignal(turn, services.clock.answerSignal);
  const stop = (): void => {
    if (!text.isFlowing()) turn.abort(services.clock.decideSignal.reason);
  };
  services.clock.decideSignal.addEventListener("abort", stop, { once: true });
  if (services.clock.decideSignal.aborted) stop();
  return {
    signal: turn.signal,
    clear() {
      unfollow();
      services.clock.decideSignal.removeEventListener("abort", stop);
    },
  };
}

function noticeStopped({ input: { locale }, services: { emit, models } }: Run): void {
  const [from, to] = [toModelName(models.functionCall), toModelName(models.answer)];
  const message = say(locale, {
    zh: `${from} 开始写回答，已让它停下：回答由 ${to} 写。`,
    en: `${from} began to write the answer and was stopped: ${to} writes it.`,
  });
  emit({ type: "notice", level: "info", code: "decider-stopped", message, forLog: true });
}

const firstReason = { zh: "分析问题，决定是否需要工具", en: "reading the question and choosing tools" };
const nextReason = { zh: "查看结果，判断是否还需要工具", en: "reading the results and judging what is missing" };

/** Tells that the function-call model failed although there are results to answer from. */
export function reportModelFailure(run: Run, thrown: unknown): DuetError {
  const error = toDuetError(thrown);
  const message = say(run.input.locale, {
    zh: `工具调用模型出错，基于已有结果回答：${error.text.zh}`,
    en: `The function-call model failed; answering from the results so far: ${error.text.en}`,
  });
  run.services.emit({ type: "notice", level: "warning", code: "decide-failed", message });
  return error;
}
