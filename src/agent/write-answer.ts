import { type DuetError, toDuetError } from "../core/errors.ts";
import { say } from "../core/locale.ts";
import type { Message } from "../core/messages.ts";
import { type FinishReason, modelName } from "../core/model.ts";
import type { Observation } from "./act.ts";
import { emptyAnswer } from "./empty-answer.ts";
import { bareResults, handOver } from "./handover.ts";
import { hasOneModel, type Run } from "./run.ts";
import type { Role } from "./statistics.ts";
import { takeTurn } from "./turn.ts";

/** How writing the answer ended; `undefined` finish: no model finished it. */
export interface Written {
  finish: FinishReason | undefined;
  error?: DuetError;
}

/**
 * Streams the answer from the answer model. If that fails before a word was shown, the other model answers; if no
 * model can, the results themselves stand as the answer. Throws only when cancelled or when there is nothing at all.
 */
export async function writeAnswer(run: Run, observations: readonly Observation[]): Promise<Written> {
  const { answer } = run;
  const roles: Role[] = hasOneModel(run.models) ? ["answer"] : ["answer", "functionCall"];
  const before = answer.written;
  let error: DuetError | undefined;
  for (const role of roles) {
    if (error) run.emit({ type: "notice", level: "warning", code: "answer-fallback", message: fallback(run, error) });
    try {
      return { finish: await answerTurn(run, role, observations), error };
    } catch (thrown) {
      if (run.cancelled.aborted) throw thrown;
      error = toDuetError(thrown);
      if (answer.written !== before || run.answering.aborted) break;
    }
  }
  if (answer.written !== before) return { finish: undefined, error };
  if (observations.length === 0) throw error;
  answer.push(bareResults(observations, run.language));
  return { finish: undefined, error };
}

async function answerTurn(run: Run, role: Role, observations: readonly Observation[]): Promise<FinishReason> {
  const before = run.answer.written;
  const turn = await takeTurn(run, {
    phase: "answer",
    step: run.statistics.iterations + 1,
    role,
    model: run.models[role],
    reason: say(run.locale, reasons[run.mode === "chat" ? "chat" : "agent"]),
    request: { messages: answerMessages(run, role, observations), tools: [], maxTokens: run.limits.maxTokens },
    signal: run.answering,
    onText: run.answer.push,
    onEnd: () => run.answer.finish(),
  });
  if (run.answer.written.trim() === before.trim()) throw emptyAnswer(turn.finish);
  return turn.finish;
}

const reasons = {
  chat: { zh: "直接回答", en: "answering directly" },
  agent: { zh: "根据工具结果生成最终回答", en: "writing the answer from the results" },
};

function answerMessages(run: Run, role: Role, observations: readonly Observation[]): Message[] {
  const { language: locale, marker, question } = run;
  const name = run.mode === "chat" ? "chat" : "answer";
  const prompt = run.prompts.render(name, { model: run.models[role], locale }, { marker });
  return [
    { role: "system", content: prompt },
    ...run.history,
    { role: "user", content: handOver(question, observations, marker, locale) },
  ];
}

function fallback(run: Run, error: DuetError): string {
  return say(run.locale, {
    zh: `回答模型出错（${error.text.zh}），改由 ${modelName(run.models.functionCall)} 回答。`,
    en: `The answer model failed (${error.text.en}); ${modelName(run.models.functionCall)} answers instead.`,
  });
}
