import type { Message } from "../../core/messages.ts";
import { type FinishReason, toModelName } from "../../core/model.ts";
import { type DuetError, toDuetError } from "../../kit/errors.ts";
import { say } from "../../kit/locale.ts";
import type { Role } from "../limits/statistics.ts";
import type { AnswerResult } from "../loop/decide-result.ts";
import { refusedKeyError } from "../loop/refused-keys.ts";
import { runTurn } from "../loop/take-turn.ts";
import { toPlaceholderValues } from "../prompts/prompt-values.ts";
import { hasOneModel, type Run } from "../run.ts";
import { emptyAnswerError, unexpectedToolCallError } from "./answer-errors.ts";
import type { AnswerInput } from "./answer-input.ts";
import { plainResultsTitle, renderPlainResults, toAnswerMessage } from "./answer-messages.ts";

/**
 * Streams the answer from the answer model. If that fails before a word was shown, the other model answers, unless its key
 * is the one that was refused; if no model can, the results themselves stand as the answer. What is reported then is the
 * error of the first. Throws only when cancelled or when there is nothing at all.
 */
export async function writeAnswer(run: Run, input: AnswerInput): Promise<AnswerResult> {
  const { answer } = run;
  // Whoever answers has no tool to read on with.
  const observations = input.observations.map((one) => ({ ...one, text: run.results.withoutPointer(one.text) }));
  const roles: Role[] = hasOneModel(run.models) ? ["answer"] : ["answer", "functionCall"];
  const before = answer.written.trim();
  const hasBegun = (): boolean => answer.written.trim() !== before;
  let error: DuetError | undefined;
  for (const role of roles) {
    if (error && refusedKeyError(run, run.models[role])) break;
    if (error) run.emit({ type: "notice", level: "warning", code: "answer-fallback", message: fallback(run, error) });
    try {
      const finish = await answerTurn(run, role, { ...input, observations });
      return { finish, error: finish === "tool-calls" ? unexpectedToolCallError() : error };
    } catch (thrown) {
      if (run.callerSignal.aborted) throw thrown;
      error ??= toDuetError(thrown);
      if (hasBegun() || run.answerSignal.aborted) break;
    }
  }
  if (hasBegun()) return { finish: undefined, error };
  const hasResults = observations.some(({ ran }) => ran);
  if (!hasResults && before === "") throw error;
  if (hasResults) answer.push(renderPlainResults(observations, run.language), say(run.language, plainResultsTitle));
  return { finish: undefined, error };
}

async function answerTurn(run: Run, role: Role, input: AnswerInput): Promise<FinishReason> {
  const before = run.answer.written.trim();
  const { finish, message } = await runTurn(run, {
    phase: "answer",
    step: run.statistics.iterations + 1,
    role,
    model: run.models[role],
    reason: say(run.locale, role === "answer" ? input.reason : inPlace),
    request: { messages: answerMessages(run, role, input), tools: [], maxTokens: run.limits.maxTokens },
    signal: run.answerSignal,
    onText: run.answer.push,
    onEnd(turn) {
      if (run.answer.written.trim() === before) throw emptyAnswerError(turn.finish);
      run.answer.finish();
    },
  });
  // A turn that says it asks for tools, and asks for none, is at its end.
  return finish === "tool-calls" && message.toolCalls.length === 0 ? "stop" : finish;
}

function answerMessages(run: Run, role: Role, { prompt, observations, note }: AnswerInput): Message[] {
  const { language: locale, marker, question } = run;
  const handed = toAnswerMessage(question, observations, marker, locale);
  return [
    {
      role: "system",
      content: run.prompts.render(prompt, { model: run.models[role], locale }, toPlaceholderValues(run)),
    },
    ...run.history,
    { role: "user", content: note ? `${handed}\n\n${say(locale, note)}` : handed },
  ];
}

const inPlace = { zh: "代替回答模型写回答", en: "writing the answer in place of the answer model" };

function fallback(run: Run, error: DuetError): string {
  return say(run.locale, {
    zh: `回答模型出错（${error.text.zh}），改由 ${toModelName(run.models.functionCall)} 回答。`,
    en: `The answer model failed (${error.text.en}); ${toModelName(run.models.functionCall)} answers instead.`,
  });
}
