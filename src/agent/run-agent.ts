import { type Chain, deepestChain, tooDeep } from "../core/chain.ts";
import { Channel } from "../core/channel.ts";
import { DuetError, toDuetError } from "../core/errors.ts";
import type { AgentEvent } from "../core/events.ts";
import { type Locale, languageOf, say } from "../core/locale.ts";
import { modelName } from "../core/model.ts";
import type { Notice } from "../core/notice.ts";
import type { Mode, Outcome } from "../core/outcome.ts";
import { randomHex } from "../core/random.ts";
import type { Tool } from "../core/tool.ts";
import type { AgentTrace } from "../core/trace.ts";
import { follow, timeLimit, timeoutError } from "../core/waiting.ts";
import { createAnswerText } from "./answer-text.ts";
import { briefOf } from "./brief.ts";
import { chat } from "./chat.ts";
import { type Ending, pendingPlanOf, toOutcome } from "./conclude.ts";
import { type Conversation, newId } from "./conversation.ts";
import { decideAndAct } from "./decide.ts";
import type { Evaluator } from "./evaluator.ts";
import { answerReserveMs, type Limits } from "./limits.ts";
import { recall } from "./memory.ts";
import type { RunObserver } from "./observer.ts";
import type { ConfirmPlan, PlanPolicy } from "./plan-reply.ts";
import type { Prompts } from "./prompts.ts";
import { createRepetition } from "./repetition.ts";
import { createResults } from "./results.ts";
import type { Models, Run } from "./run.ts";
import { createStatistics } from "./statistics.ts";
import type { ConversationStore } from "./store.ts";
import { createTraceRecorder } from "./trace-recorder.ts";
import { unknownPrice } from "./unknown-price.ts";
import { createWindows, longestResult, smallerOf } from "./window.ts";
import type { Work } from "./work.ts";
import { writeAnswer } from "./write-answer.ts";

export interface RunOptions {
  question: string;
  mode: Mode;
  /** As it was loaded; the run is appended to it in `store`. */
  conversation: Conversation;
  store: ConversationStore;
  models: Models;
  tools: readonly Tool[];
  prompts: Prompts;
  limits: Limits;
  evaluator?: Evaluator | undefined;
  planPolicy: PlanPolicy;
  confirmPlan?: ConfirmPlan | undefined;
  /** Chat mode: search the web for the question first, with the tool `web_search`. */
  search?: boolean | undefined;
  /** The reader's language; the answer follows the question's. */
  locale: Locale;
  /** How much of the time was spent before the run could start, in milliseconds. */
  spentMs?: number;
  /** Told right after `run-start`. */
  notices?: readonly Notice[];
  observer?: RunObserver | undefined;
  /** Where the run stands in a chain of agents; first in it when absent. */
  chain?: Chain | undefined;
  signal?: AbortSignal;
}

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
  const cancelled = left.signal;
  const total = options.limits.maxExecutionTimeMs;
  const question = await whatIsAsked(options);
  const language = languageOf(question, options.locale);
  const { conversation } = options;
  const recorder = createTraceRecorder({ question: options.question });
  const emit = (event: AgentEvent): void => {
    recorder.take(event);
    options.observer?.take(event);
    events.push(event);
  };
  const rest = Math.max(0, total - (options.spentMs ?? 0));
  const outOfTime = (): DuetError => timeoutError({ zh: "运行", en: "the run" }, total);
  const working = timeLimit(Math.max(0, rest - answerReserveMs(options.limits)), outOfTime, cancelled);
  const answering = timeLimit(rest, outOfTime, cancelled);
  const isPlainChat = options.mode === "chat" && !options.search;
  const tools = new Map(isPlainChat ? [] : options.tools.map((tool) => [tool.name, tool]));
  const run: Run = {
    id: newId("run"),
    traceId: options.observer?.traceId ?? randomHex(),
    question,
    said: options.question,
    mode: options.mode,
    locale: options.locale,
    language,
    conversation,
    marker: randomHex().slice(0, 8),
    answer: createAnswerText({ conversation, language, emit }),
    models: options.models,
    history: [],
    tools,
    prompts: options.prompts,
    limits: options.limits,
    chain: {
      depth: options.chain?.depth ?? 0,
      deadline: Date.now() + Math.max(0, rest - answerReserveMs(options.limits)),
    },
    evaluator: options.evaluator,
    planPolicy: options.planPolicy,
    confirmPlan: options.confirmPlan,
    search: options.search ?? false,
    statistics: createStatistics(),
    repetition: createRepetition(options.limits.repeatable),
    results: createResults({ tools, longest: longestResult(smallerOf(options.models)), language }),
    windows: createWindows(),
    calls: [],
    callIds: new Set(),
    cancelled,
    working: working.signal,
    answering: answering.signal,
    async outsideTime(wait) {
      const resume = [working.pause(), answering.pause()];
      try {
        return await wait();
      } finally {
        for (const goOn of resume) goOn();
      }
    },
    emit,
  };
  run.emit(runStart(run));
  for (const notice of options.notices ?? []) run.emit(notice);
  const price = unknownPrice(run.limits, run.models, run.locale);
  if (price) run.emit(price);
  const ending: Ending = {};
  try {
    await work(run, options.store, ending);
  } catch (thrown) {
    ending.error = toDuetError(thrown);
  } finally {
    working.clear();
    answering.clear();
    unfollow();
  }
  run.answer.finish();
  const outcome = toOutcome(run, ending, performance.now() - started);
  await keep(run, options.store, {
    outcome,
    trace: recorder.finish(outcome),
    pendingPlan: pendingPlanOf(ending, outcome),
  });
  run.emit({ type: "run-end", outcome });
}

async function work(run: Run, store: ConversationStore, ending: Ending): Promise<void> {
  run.cancelled.throwIfAborted();
  if (run.chain.depth > deepestChain) throw tooDeep(run.chain.depth);
  run.history = await recall(run, store);
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

/** The question itself; in plan mode, where it replies to a plan that waits in the conversation, what that plan is for. */
async function whatIsAsked({ mode, conversation, question }: RunOptions): Promise<string> {
  if (mode !== "plan" || conversation.pendingPlan === undefined) return question;
  const { resumePlan } = await import("./plan/pending-plan.ts");
  return resumePlan(conversation.pendingPlan, question)?.question ?? question;
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

interface Ended {
  outcome: Outcome;
  trace: AgentTrace;
  pendingPlan: string | undefined;
}

/** Keeps the run before its end is told: an answer that was acknowledged is there after a crash. */
async function keep(run: Run, store: ConversationStore, { outcome, trace, pendingPlan }: Ended): Promise<void> {
  const turn = outcome.success ? { question: run.said, answer: run.answer.written } : undefined;
  try {
    await store.append({ conversationId: run.conversation.id, runId: run.id, turn, trace, pendingPlan });
  } catch (thrown) {
    const { text } = toDuetError(thrown);
    const message = say(run.locale, {
      zh: `这一轮没有保存：${text.zh}`,
      en: `This turn was not saved: ${text.en}`,
    });
    run.emit({ type: "notice", level: "warning", code: "not-saved", message });
  }
}
