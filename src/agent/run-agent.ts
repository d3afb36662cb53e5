import { randomBytes } from "node:crypto";
import { Channel } from "../core/channel.ts";
import { DuetError, toDuetError } from "../core/errors.ts";
import type { AgentEvent } from "../core/events.ts";
import { type Locale, languageOf } from "../core/locale.ts";
import { modelName } from "../core/model.ts";
import type { Notice } from "../core/notice.ts";
import type { Mode } from "../core/outcome.ts";
import type { Tool } from "../core/tool.ts";
import { timeLimit, timeoutError } from "../core/waiting.ts";
import { createAnswerText } from "./answer-text.ts";
import { type Ending, toOutcome } from "./conclude.ts";
import { type Conversation, newId } from "./conversation.ts";
import { decideAndAct } from "./decide.ts";
import { answerReserveMs, type Limits } from "./limits.ts";
import type { Models, Run } from "./run.ts";
import { createStatistics } from "./statistics.ts";
import { writeAnswer } from "./write-answer.ts";

export interface RunOptions {
  question: string;
  mode: Exclude<Mode, "plan">;
  conversation: Conversation;
  models: Models;
  tools: readonly Tool[];
  limits: Limits;
  /** The reader's language; the answer follows the question's. */
  locale: Locale;
  /** How much of the time was spent before the run could start, in milliseconds. */
  spentMs?: number;
  /** Told right after `run-start`. */
  notices?: readonly Notice[];
  signal?: AbortSignal;
}

/**
 * Runs one question as a stream of events: `run-start` first, `run-end` last, whatever happens; never throws. Leaving
 * the stream early, or aborting the signal, stops the model's request and the tools' calls.
 */
export async function* runAgent(options: RunOptions): AsyncGenerator<AgentEvent, void, undefined> {
  const events = new Channel<AgentEvent>();
  const left = new AbortController();
  const done = drive(options, events, left).finally(() => events.close());
  try {
    yield* events;
  } finally {
    left.abort(new DuetError({ code: "internal", text: { zh: "已取消", en: "cancelled" } }));
    await done;
  }
}

async function drive(options: RunOptions, events: Channel<AgentEvent>, left: AbortController): Promise<void> {
  const started = performance.now();
  const cancelled = options.signal ? AbortSignal.any([options.signal, left.signal]) : left.signal;
  const total = options.limits.maxExecutionTimeMs;
  const language = languageOf(options.question, options.locale);
  const { conversation } = options;
  const emit = (event: AgentEvent): void => events.push(event);
  const rest = Math.max(0, total - (options.spentMs ?? 0));
  const outOfTime = (): DuetError => timeoutError({ zh: "运行", en: "the run" }, total);
  const working = timeLimit(Math.max(0, rest - answerReserveMs(options.limits)), outOfTime, cancelled);
  const answering = timeLimit(rest, outOfTime, cancelled);
  const run: Run = {
    id: newId("run"),
    question: options.question,
    mode: options.mode,
    locale: options.locale,
    language,
    conversation,
    marker: randomBytes(6).toString("hex"),
    answer: createAnswerText({ conversation, language, emit }),
    models: options.models,
    tools: new Map(options.mode === "chat" ? [] : options.tools.map((tool) => [tool.name, tool])),
    limits: options.limits,
    statistics: createStatistics(),
    calls: [],
    callIds: new Set(),
    cancelled,
    working: working.signal,
    answering: answering.signal,
    emit,
  };
  run.emit(runStart(run));
  for (const notice of options.notices ?? []) run.emit(notice);
  const ending: Ending = {};
  try {
    await work(run, ending);
  } catch (thrown) {
    ending.error = toDuetError(thrown);
  } finally {
    working.clear();
    answering.clear();
  }
  run.answer.finish();
  const outcome = toOutcome(run, ending, performance.now() - started);
  if (outcome.success) remember(run);
  run.emit({ type: "run-end", outcome });
}

async function work(run: Run, ending: Ending): Promise<void> {
  run.cancelled.throwIfAborted();
  if (run.mode !== "chat") {
    ending.work = await decideAndAct(run);
    ending.written = ending.work.written;
  }
  ending.written ??= await writeAnswer(run, ending.work?.observations ?? []);
}

function runStart(run: Run): AgentEvent {
  return {
    type: "run-start",
    runId: run.id,
    conversationId: run.conversation.id,
    mode: run.mode,
    models: { functionCall: modelName(run.models.functionCall), answer: modelName(run.models.answer) },
    toolCount: run.tools.size,
  };
}

function remember(run: Run): void {
  run.conversation.history.push(
    { role: "user", content: run.question },
    { role: "assistant", content: run.answer.written, toolCalls: [] },
  );
}
