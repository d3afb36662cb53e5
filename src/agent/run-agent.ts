import { checkChain } from "../core/chain.ts";
import type { AgentEvent } from "../core/events.ts";
import { toModelName } from "../core/model.ts";
import { Channel } from "../kit/async/channel.ts";
import { followSignal } from "../kit/async/timeout.ts";
import { DuetError, toDuetError } from "../kit/errors.ts";
import { answerInChatMode } from "./answer/chat.ts";
import { toInstructionMessages } from "./answer/instruction.ts";
import { createAnswerInput, writeAnswer } from "./answer/write-answer.ts";
import { recallConversation } from "./context/recall.ts";
import { saveRun } from "./context/save-run.ts";
import { toTurnRecord } from "./context/turn-record.ts";
import { createRunClock } from "./limits/run-clock.ts";
import { findUnknownPrice } from "./limits/unknown-price.ts";
import { decideAndAct } from "./loop/decide.ts";
import { type DecideResult, type RunResult, toOutcome } from "./loop/run-result.ts";
import { openRun, type RunOptions } from "./open-run.ts";
import type { Run } from "./run.ts";
import { createTraceRecorder } from "./trace/trace-recorder.ts";

/**
 * Runs one question as a stream of events: `run-start` first, `run-end` last, whatever happens; never throws. Leaving
 * the stream early, or aborting the signal, stops the model's request and the tools' calls.
 */
export async function* runAgent(options: RunOptions): AsyncGenerator<AgentEvent, void, undefined> {
  const events = new Channel<AgentEvent>();
  const left = new AbortController();
  let isOver = false;
  const done = drive(options, events, left).finally(() => {
    isOver = true;
    events.close();
  });
  try {
    yield* events;
  } finally {
    if (!isOver) left.abort(new DuetError({ code: "internal", text: { zh: "已取消", en: "cancelled" } }));
    await done;
  }
}

async function drive(options: RunOptions, events: Channel<AgentEvent>, left: AbortController): Promise<void> {
  const started = performance.now();
  const unfollow = followSignal(left, options.signal);
  const recorder = createTraceRecorder({ question: options.question });
  const emit = (event: AgentEvent): void => {
    recorder.handle(event);
    options.observer?.handle(event);
    events.push(event);
  };
  const { limits, spentMs = 0 } = options;
  const clock = createRunClock({ limits, spentMs, cancelled: left.signal });
  const { question, mode } = await whatIsAsked(options);
  const run = openRun(
    { ...options, mode },
    { question, cancelled: left.signal, clock, emit, keepOutput: recorder.keepOutput },
  );
  announce(run, options);
  const ending: RunResult = {};
  try {
    checkChain(options.chain);
    await work(run, options, ending);
  } catch (thrown) {
    ending.error = toDuetError(thrown);
  } finally {
    clock.clear();
    unfollow();
  }
  run.answer.finish();
  const outcome = toOutcome(run, ending, performance.now() - started - clock.outsideMs);
  await saveRun(run, options.store, {
    conversationId: run.conversation.id,
    runId: run.id,
    trace: recorder.finish(outcome),
    ...toTurnRecord(run, ending, outcome),
  });
  run.emit({ type: "run-end", outcome });
}

function announce(run: Run, { notices = [] }: RunOptions): void {
  run.emit({
    type: "run-start",
    runId: run.id,
    traceId: run.traceId,
    conversationId: run.conversation.id,
    mode: run.mode,
    models: { functionCall: toModelName(run.models.functionCall), answer: toModelName(run.models.answer) },
    toolCount: run.catalog.all.size,
  });
  for (const notice of notices) run.emit(notice);
  const price = findUnknownPrice(run.limits, run.models, run.locale);
  if (price) run.emit(price);
}

async function work(run: Run, { store, instruction }: RunOptions, ending: RunResult): Promise<void> {
  run.callerSignal.throwIfAborted();
  run.history = [...toInstructionMessages(run, instruction), ...(await recallConversation(run, store))];
  if (run.mode === "chat") {
    ending.written = await answerInChatMode(run);
    return;
  }
  ending.work = run.mode === "plan" ? await planned(run) : await decideAndAct(run);
  ending.written = ending.work.answer ?? (await writeAnswer(run, createAnswerInput(run, ending.work)));
}

async function planned(run: Run): Promise<DecideResult> {
  const { planAndAct } = await import("./plan/plan-and-act.ts");
  return planAndAct(run);
}

/**
 * Returns the question itself. For a reply to a plan that waits in the conversation, it returns the question that the plan was
 * made for. A bare yes or no right after the plan is such a reply in agent mode too.
 */
async function whatIsAsked({
  mode,
  conversation,
  question,
}: RunOptions): Promise<Pick<RunOptions, "question" | "mode">> {
  const { pendingPlan } = conversation;
  if (mode === "chat" || pendingPlan === undefined) return { question, mode };
  const { isBareReply, resumePlan } = await import("./plan/pending-plan.ts");
  if (mode === "agent" && !isBareReply(conversation, question)) return { question, mode };
  return { question: resumePlan(pendingPlan, question)?.question ?? question, mode: "plan" };
}
