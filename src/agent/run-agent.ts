import { checkChain } from "../core/chain.ts";
import type { AgentEvent } from "../core/events.ts";
import { type Notice, toModelName } from "../core/model.ts";
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
import type { Run, RunRequest } from "./run.ts";
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
  const { request, parts, observer, notices = [], spentMs = 0 } = options;
  const unfollow = followSignal(left, options.signal);
  const recorder = createTraceRecorder({ question: request.question });
  const emit = (event: AgentEvent): void => {
    recorder.handle(event);
    observer?.handle(event);
    events.push(event);
  };
  const clock = createRunClock({ limits: request.limits, spentMs, callerSignal: left.signal });
  const { question, mode } = await whatIsAsked(request);
  const { keepOutput } = recorder;
  const run = openRun({ ...request, mode }, parts, { question, traceId: observer?.traceId, clock, emit, keepOutput });
  announce(run, notices);
  const ending: RunResult = {};
  try {
    checkChain(request.chain);
    await work(run, ending);
  } catch (thrown) {
    ending.error = toDuetError(thrown);
  } finally {
    clock.clear();
    unfollow();
  }
  run.state.answer.finish();
  const outcome = toOutcome(run, ending, performance.now() - started - clock.outsideMs);
  await saveRun(run, {
    conversationId: run.input.conversation.id,
    runId: run.input.id,
    trace: recorder.finish(outcome),
    ...toTurnRecord(run, ending, outcome),
  });
  run.services.emit({ type: "run-end", outcome });
}

function announce(run: Run, notices: readonly Notice[]): void {
  run.services.emit({
    type: "run-start",
    runId: run.input.id,
    traceId: run.input.traceId,
    conversationId: run.input.conversation.id,
    mode: run.input.mode,
    models: {
      functionCall: toModelName(run.services.models.functionCall),
      answer: toModelName(run.services.models.answer),
    },
    toolCount: run.services.catalog.all.size,
  });
  for (const notice of notices) run.services.emit(notice);
  const price = findUnknownPrice(run.input.limits, run.services.models, run.input.locale);
  if (price) run.services.emit(price);
}

async function work(run: Run, ending: RunResult): Promise<void> {
  run.services.clock.callerSignal.throwIfAborted();
  run.state.history = [...toInstructionMessages(run.input), ...(await recallConversation(run))];
  if (run.input.mode === "chat") {
    ending.written = await answerInChatMode(run);
    return;
  }
  ending.work = run.input.mode === "plan" ? await planned(run) : await decideAndAct(run);
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
}: RunRequest): Promise<Pick<RunRequest, "question" | "mode">> {
  const { pendingPlan } = conversation;
  if (mode === "chat" || pendingPlan === undefined) return { question, mode };
  const { isBareReply, resumePlan } = await import("./plan/pending-plan.ts");
  if (mode === "agent" && !isBareReply(conversation, question)) return { question, mode };
  return { question: resumePlan(pendingPlan, question)?.question ?? question, mode: "plan" };
}
