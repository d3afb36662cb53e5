import { checkChain } from "../core/chain.ts";
import type { AgentEvent } from "../core/events.ts";
import { modelName } from "../core/model.ts";
import { Channel } from "../kit/async/channel.ts";
import { follow } from "../kit/async/timeout.ts";
import { DuetError, toDuetError } from "../kit/errors.ts";
import { briefOf } from "./answer/answer-input.ts";
import { chat } from "./answer/chat.ts";
import { messagesOfInstruction } from "./answer/instruction.ts";
import { writeAnswer } from "./answer/write-answer.ts";
import { recall } from "./context/recall.ts";
import { keepRun } from "./context/save-run.ts";
import { keptOfRun } from "./context/turn-record.ts";
import { createRunClock } from "./limits/run-clock.ts";
import { unknownPrice } from "./limits/unknown-price.ts";
import { decideAndAct } from "./loop/decide.ts";
import type { Work } from "./loop/decide-result.ts";
import { type Ending, toOutcome } from "./loop/run-result.ts";
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
  const unfollow = follow(left, options.signal);
  const recorder = createTraceRecorder({ question: options.question });
  const emit = (event: AgentEvent): void => {
    recorder.take(event);
    options.observer?.take(event);
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
  const ending: Ending = {};
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
  await keepRun(run, options.store, {
    conversationId: run.conversation.id,
    runId: run.id,
    trace: recorder.finish(outcome),
    ...keptOfRun(run, ending, outcome),
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
    models: { functionCall: modelName(run.models.functionCall), answer: modelName(run.models.answer) },
    toolCount: run.offer.all.size,
  });
  for (const notice of notices) run.emit(notice);
  const price = unknownPrice(run.limits, run.models, run.locale);
  if (price) run.emit(price);
}

async function work(run: Run, { store, instruction }: RunOptions, ending: Ending): Promise<void> {
  run.cancelled.throwIfAborted();
  run.history = [...messagesOfInstruction(run, instruction), ...(await recall(run, store))];
  if (run.mode === "chat") {
    ending.written = await chat(run);
    return;
  }
  ending.work = run.mode === "plan" ? await planned(run) : await decideAndAct(run);
  ending.written = ending.work.written ?? (await writeAnswer(run, briefOf(run, ending.work)));
}

async function planned(run: Run): Promise<Work> {
  const { planAndAct } = await import("./plan/plan-and-act.ts");
  return planAndAct(run);
}

/**
 * The question itself; where it replies to a plan that waits in the conversation, what that plan is for. A bare yes or
 * no right after the plan is such a reply in agent mode too.
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
