import { toParts } from "../../core/model/message-content.ts";
import type { Message } from "../../core/model/messages.ts";
import { type FinishReason, toModelName } from "../../core/model/model.ts";
import { isLimit } from "../../core/run/verdict.ts";
import { type DuetError, toDuetError } from "../../kit/errors.ts";
import { say, type Text } from "../../kit/locale.ts";
import { removeFinalStop } from "../../kit/text/remove-final-stop.ts";
import { getContextWindow } from "../context/context-window.ts";
import { toQuestionContent } from "../context/question-content.ts";
import type { ModelRole } from "../limits/statistics.ts";
import type { Observation } from "../loop/calls/observe-call.ts";
import { closeInbox } from "../loop/deliver-messages.ts";
import { countResults, explainReason } from "../loop/explain-verdict.ts";
import {
  type AnswerReason,
  type AnswerResult,
  type DecideResult,
  emptyAnswerError,
  isEarlyEnd,
  unexpectedToolCallError,
} from "../loop/run-result.ts";
import { hasOnlyFailedModels } from "../loop/turn/fallbacks.ts";
import { refusedKeyError } from "../loop/turn/refused-keys.ts";
import { runTurn, type TurnPlan } from "../loop/turn/run-turn.ts";
import { toAnswerValues } from "../prompts/prompt-values.ts";
import { hasOneModel, type Run } from "../run.ts";
import { shareCharacters } from "../tools/result-parts.ts";
import { type HandOver, toAnswerMessage } from "./hand-over.ts";
import { plainResultsTitle, renderPlainResults } from "./plain-results.ts";
import { formNote, writeStructuredAnswer } from "./structured-answer.ts";

/**
 * Streams the answer from the answer model or its fallbacks. If these fail before a word was shown, the other model answers, unless
 * its key is the one that was refused or it has failed in the run itself; if no model can, the results themselves stand as the
 * answer. What is reported then is the error of the first. Throws only when cancelled or when there is nothing at all.
 */
export async function writeAnswer(run: Run, input: AnswerInput): Promise<AnswerResult> {
  const {
    state: { answer },
  } = run;
  await closeInbox(run);
  // Whoever answers has no tool to read on with.
  const observations = toBoundedObservations(run, input.handOver.observations);
  const handOver = { ...input.handOver, observations };
  const roles: ModelRole[] = hasOneModel(run.services.models) ? ["answer"] : ["answer", "functionCall"];
  const before = answer.written.trim();
  const hasBegun = (): boolean => answer.written.trim() !== before;
  let error: DuetError | undefined;
  for (const role of roles) {
    const other = { role, model: run.services.models[role] };
    if (error && (refusedKeyError(run.state, other.model) || hasOnlyFailedModels(run, other))) break;
    if (error)
      run.services.emit({
        type: "notice",
        level: "warning",
        code: "answer-fallback",
        message: composeFallback(run, error),
      });
    try {
      const turn = { ...input, handOver };
      if (run.input.answerForm) {
        const output = await writeStructuredAnswer(run, planAnswer(run, role, turn), run.input.answerForm);
        return { finish: "stop", output, error };
      }
      const finish = await answerTurn(run, role, turn);
      return { finish, error: finish === "tool-calls" ? unexpectedToolCallError() : error };
    } catch (thrown) {
      if (run.services.clock.callerSignal.aborted) throw thrown;
      error ??= toDuetError(thrown);
      const isFinal = error.code === "invalid_output" || run.services.clock.answerSignal.aborted;
      if (hasBegun() || isFinal) break;
    }
  }
  // A program that waits for a form can read nothing else.
  if (run.input.answerForm) throw error;
  if (hasBegun()) return { finish: undefined, error };
  const hasResults = observations.some(({ ran }) => ran);
  if (!hasResults && before === "") throw error;
  if (hasResults)
    answer.push(renderPlainResults(observations, run.input.language), say(run.input.language, plainResultsTitle));
  return { finish: undefined, error };
}

/** Limits the results that the answer model reads, in characters. A window that holds few of them sets a lower limit. */
const longestResults = 40_000;

/**
 * Returns the results as a reader without tools gets them: what was read on of a result stands in that result, and long results
 * share what the limit allows.
 */
function toBoundedObservations(run: Run, observations: readonly Observation[]): Observation[] {
  const { results } = run.state;
  const readOn = observations.map(({ call, ran, result }) =>
    ran && result.ok ? results.findPosition(call) : undefined,
  );
  const positions = readOn.filter((position) => position !== undefined);
  const whole = observations
    .filter((_, index) => readOn[index] === undefined)
    .map((one) => {
      const text = positions.length > 0 ? results.insertParts(one.text, positions) : results.removePointer(one.text);
      return { ...one, text };
    });
  const most = Math.min(longestResults, Math.floor((getContextWindow(run.services.models.answer) * 5) / 4));
  const lengths = whole.map(({ text }) => text.length);
  const kept = shareCharacters(lengths, most);
  return whole.map((one, index) => {
    const share = kept[index] ?? one.text.length;
    return share < one.text.length ? { ...one, text: results.shorten(one.text, share, false) } : one;
  });
}

async function answerTurn(run: Run, role: ModelRole, input: AnswerInput): Promise<FinishReason> {
  const before = run.state.answer.written.trim();
  const { finish, message } = await runTurn(run, {
    ...planAnswer(run, role, input),
    onText: (text) => run.state.answer.push(text),
    onEnd(turn) {
      if (run.state.answer.written.trim() === before) throw emptyAnswerError(turn);
      run.state.answer.finish();
    },
  });
  // A turn that says it asks for tools, and asks for none, is at its end.
  return finish === "tool-calls" && message.toolCalls.length === 0 ? "stop" : finish;
}

function planAnswer(run: Run, role: ModelRole, input: AnswerInput): Omit<TurnPlan, "onText"> {
  const { limits, stop } = run.input;
  return {
    phase: "answer",
    step: run.state.statistics.iterations + 1,
    role,
    model: run.services.models[role],
    reason: say(run.input.locale, role === "answer" ? input.reason : inPlace),
    request: { messages: answerMessages(run, role, input), tools: [], maxTokens: limits.maxTokens, stop },
    signal: run.services.clock.answerSignal,
  };
}

function answerMessages(run: Run, role: ModelRole, { prompt, handOver, note }: AnswerInput): Message[] {
  const {
    input: { language: locale, marker, answerForm },
    state: { question: asked, delivered },
  } = run;
  const question = [asked, ...delivered].join("\n\n");
  const handed = [
    toAnswerMessage(question, handOver, marker, locale),
    ...[note, answerForm && formNote].filter((text) => text !== undefined).map((text) => say(locale, text)),
  ].join("\n\n");
  const reader = run.services.models[role];
  const content = toQuestionContent(run, { text: handed, reader, observations: handOver.observations });
  // The next turns send it as it was sent.
  const [sent] = toParts(content);
  if (sent?.type === "text") run.state.answerPrompt = sent.text;
  const read: Message[] = [...run.state.plainHistory, { role: "user", content }];
  const values = toAnswerValues(run, prompt, read);
  return [{ role: "system", content: run.services.prompts.render(prompt, { model: reader, locale }, values) }, ...read];
}

const inPlace = { zh: "代替回答模型写回答", en: "writing the answer instead of the answer model" };

function composeFallback(run: Run, error: DuetError): string {
  return say(run.input.locale, {
    zh: `回答模型出错（${removeFinalStop(error.text.zh)}），改由 ${toModelName(run.services.models.functionCall)} 回答。`,
    en: `The answer model failed (${removeFinalStop(error.text.en)}); ${toModelName(run.services.models.functionCall)} answers instead.`,
  });
}

export interface AnswerInput {
  prompt: "answer" | "chat";
  /** Tells the reader why the answer is written now. */
  reason: Text;
  handOver: HandOver;
  /** Says what the program knows of the work, after what it hands over. */
  note?: Text | undefined;
}

/** Builds the input for the answer after deciding and acting. It says which model takes over and why, and what may be missing. */
export function createAnswerInput(
  run: Run,
  { observations, reason, custom, lastWords, dropped }: DecideResult,
): AnswerInput {
  const results = countResults(observations);
  const cause = explainReason(reason, { limits: run.input.limits, results, custom });
  // The end of the run names a limit, once.
  const shown = (isLimit({ reason }) && reason !== "repetition") || reason === "calls-used" ? fromWhatThereIs : cause;
  const [from, to] = [toModelName(run.services.models.functionCall), toModelName(run.services.models.answer)];
  const change = hasOneModel(run.services.models)
    ? { zh: "生成最终回答", en: "writing the answer" }
    : { zh: `由 ${from} 切换到 ${to} 生成最终回答`, en: `switching from ${from} to ${to} to write the answer` };
  return {
    prompt: "answer",
    reason: { zh: `${shown.zh}，${change.zh}`, en: `${shown.en}; ${change.en}` },
    handOver: { observations, turns: run.state.steps, lastWords, dropped, unfound: run.services.catalog.unfound },
    note: chooseNote(reason, results === "failed", cause),
  };
}

const fromWhatThereIs: Text = { zh: "基于已有信息", en: "from the available information" };

function chooseNote(reason: AnswerReason, hasFailed: boolean, cause: Text): Text | undefined {
  if (isEarlyEnd(reason)) return describeMissingAnswer(cause);
  if (hasFailed) return nothingSucceeded;
  return reason === "calls-used" ? callsUsed : undefined;
}

const callsUsed: Text = {
  zh: "说明：允许的工具调用次数已用完。还缺少什么，就说明缺少什么。",
  en: "Note: all allowed tool calls are used. If something is still missing, say what.",
};

/** Nothing ended early here: the model that chose the tools saw no other way. */
const nothingSucceeded: Text = {
  zh: "说明：没有一次工具调用成功。先回答已经能够确定的内容，再说明什么没有做成、还缺少什么。",
  en: "Note: no tool call succeeded. Answer what can be answered, then say what was not done and what is still missing.",
};

function describeMissingAnswer(cause: Text): Text {
  return {
    zh: `说明：工具调用提前结束，原因：${cause.zh}。先回答已经能够确定的内容，再说明还缺少什么。`,
    en: `Note: the tool calls ended early (${cause.en}). Answer what can be answered, then say what is still missing.`,
  };
}
