import { isTakeoverNotice } from "../../core/notices/outcome-notices.ts";
import type { AgentEvent } from "../../core/run/events.ts";
import { longestMessage } from "../../core/run/message-limits.ts";
import type { Outcome } from "../../core/run/outcome.ts";
import { LostRunError } from "../../core/store/journal.ts";
import type { PostedQuestion } from "../../core/store/run-mailbox.ts";
import type { RunUpdate, SharedRun, SharedRuns } from "../../core/store/shared-runs.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createNotifier } from "../../kit/async/notifier.ts";
import { toErrorReport } from "../../kit/errors.ts";
import { createClientCalls } from "../client-calls.ts";
import { hideCause } from "../outcomes/finished-outcome.ts";
import { openPostedQuestion } from "../questions/posted-question.ts";
import { createEventLog } from "./event-log.ts";
import type { RunHandle } from "./run-handle.ts";
import { createRunSnapshot } from "./run-snapshot.ts";
import { createRunWaiters } from "./run-waiters.ts";
import { createSharedRunReader } from "./shared-run-reader.ts";

/** Is how long the last event of a run is waited for once its end is stored, in milliseconds. */
const lastEventMs = 5_000;

/** Is how long a run is followed that nobody asks for, in milliseconds. */
const idleMs = 60_000;

export interface FollowOptions {
  shared: SharedRuns;
  run: SharedRun;
  /** Names this process. */
  by: string;
  /** Aborts when this process follows nothing any more: whoever waits is told that the run goes on elsewhere. */
  closing: AbortSignal;
  /** Returns the outcome of a run that has told no end. */
  readOutcome(run: SharedRun): Promise<Outcome>;
  /** Is called when nobody has asked for the run for a while. */
  onIdle(): void;
}

export interface FollowedRun extends RunHandle {
  /** Says that somebody has asked for it. */
  touch(): void;
}

/**
 * Follows a run that another process carries out, and resolves when what it has told so far is known. Rejects where that cannot be read.
 */
export async function followRun(options: FollowOptions): Promise<FollowedRun> {
  const { shared, run, by, closing, readOutcome, onIdle } = options;
  const { runId, header, owner, conversationId } = run;
  const { locale, mode } = header;
  const snapshot = createRunSnapshot({ runId, conversationId, mode });
  const events = createNotifier();
  const changes = createNotifier();
  const log = createEventLog();
  const runWaiters = createRunWaiters();
  const reader = createSharedRunReader({
    shared,
    runId,
    countEvents: () => log.events.length,
    isDone: () => outcome !== undefined,
    handle: handleNews,
  });
  let outcome: Outcome | undefined;
  let open: ReturnType<typeof openPostedQuestion> | undefined;
  let isStopping = false;
  let isMoved = false;
  let isOver = false;
  let waiters = 0;
  let sending: Promise<void> = Promise.resolve();
  let settling: NodeJS.Timeout | undefined;
  const idle = setTimeout(checkIdle, idleMs).unref();

  function notifyAll(): void {
    events.notify();
    changes.notify();
  }

  function handleEvent(told: AgentEvent): void {
    const event = told.type === "run-end" ? { ...told, outcome: hideCause(told.outcome, locale) } : told;
    log.add(event);
    const item = snapshot.handle(event);
    if (event.type === "run-end") outcome = event.outcome;
    // The process that goes on with it does not know yet that somebody waits for it here.
    if (event.type === "notice" && isTakeoverNotice(event) && !runWaiters.isEmpty()) sendHold();
    log.publish(event, item);
  }

  function showQuestion(posted: PostedQuestion | undefined): void {
    if (open?.question.id === posted?.id) return;
    open?.close();
    open =
      posted &&
      openPostedQuestion(posted, {
        send: (reply) => shared.answer(runId, posted.id, reply),
        onChange: notifyAll,
      });
    notifyAll();
  }

  function handleNews({ events: told, question, ...news }: RunUpdate): void {
    for (const event of told) handleEvent(event);
    isOver = news.isOver;
    if (outcome !== undefined) return void finish();
    showQuestion(question);
    if (isOver) settling ??= setTimeout(() => void settle(), lastEventMs).unref();
    if (told.length > 0) events.notify();
  }

  /** The process of the run has ended after its end was stored, or before it was resumed. */
  async function settle(): Promise<void> {
    // A process that stood still for a moment may go on with it.
    await reader.read();
    if (outcome === undefined && isOver) {
      const found = await ignoreRejection(readOutcome(run), "the next look finds it");
      if (outcome === undefined && found !== undefined) {
        outcome = found;
        return finish();
      }
    }
    settling = undefined;
    if (outcome === undefined && isOver) reader.readAgain();
  }

  function finish(): void {
    clearTimeout(settling);
    stopWatching();
    open?.close();
    open = undefined;
    notifyAll();
    snapshot.close();
    log.removeListeners();
  }

  function watch(): void {
    if (reader.isWatching || outcome !== undefined) return;
    if (closing.aborted) return void close();
    closing.addEventListener("abort", close, { once: true });
    reader.watch();
  }

  function stopWatching(): void {
    closing.removeEventListener("abort", close);
    reader.stopWatching();
  }

  function checkIdle(): void {
    const isUsed = waiters > 0 || (outcome === undefined && (!runWaiters.isEmpty() || log.hasListeners()));
    if (isUsed) return void idle.refresh();
    stopWatching();
    onIdle();
  }

  async function waitFor(wait: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    // It may have been idle meanwhile.
    watch();
    // Where this process closes, that was its end, which nobody is told of any more.
    if (outcome !== undefined) return;
    waiters += 1;
    try {
      await wait(signal);
    } finally {
      waiters -= 1;
      idle.refresh();
    }
  }

  /** Sends one after the other, so that nothing is released before it is held. Resolves to false where that failed. */
  function send(message: Parameters<SharedRuns["send"]>[1]): Promise<boolean> {
    const sent = sending.then(async () => {
      if (outcome !== undefined) return false;
      const work = shared.send(runId, message).then(() => true);
      return (await ignoreRejection(work, "whoever asks for it sees what it does")) ?? false;
    });
    sending = sent.then(() => {});
    return sent;
  }

  async function stop(): Promise<void> {
    isStopping = true;
    isStopping = await send({ type: "stop" });
  }

  function sendHold(): void {
    const { sessionId } = runWaiters.findOnlySession() ?? {};
    void send({ type: "hold", by, isSession: runWaiters.isAwaitedByOthers({}), sessionId });
  }

  /** Changes who waits for the run here, and says to its process what that changes. */
  function updateWaiters(change: () => void): void {
    const readState = (): string =>
      `${runWaiters.isEmpty()} ${runWaiters.isAwaitedByOthers({})} ${runWaiters.findOnlySession()?.sessionId}`;
    const before = readState();
    change();
    if (readState() === before) return;
    if (runWaiters.isEmpty()) void send({ type: "release", by });
    else sendHold();
  }

  function close(): void {
    if (outcome !== undefined) return;
    isMoved = true;
    const error = toErrorReport(new LostRunError(runId), locale);
    outcome = { ...snapshot.outcome(), success: false, status: "failed", stop_reason: "error", error };
    finish();
  }

  try {
    await reader.readOnce();
  } catch (thrown) {
    clearTimeout(idle);
    throw thrown;
  }
  watch();
  return {
    id: runId,
    key: header.key ?? runId,
    question: header.question,
    caller: { owner, tools: header.callerTools },
    locale,
    conversationId,
    wantedConversationId: header.wantedConversationId,
    isAside: false,
    isElsewhere: true,
    mode,
    after: header.after,
    onDisconnect: header.onDisconnect,
    goesOnWith: header.goesOnWith,
    startedAt: Date.parse(run.begunAt),
    isDelivered: false,
    get isMoved() {
      return isMoved;
    },
    // It is another process that may let it go.
    leave: () => false,
    async letGo() {},
    fault: undefined,
    draft: undefined,
    get events() {
      return log.events;
    },
    get outcome() {
      return outcome;
    },
    get open() {
      return open?.question.closed.aborted ? undefined : open?.question;
    },
    answered: [],
    get changedAt() {
      return log.changedAt;
    },
    get isStopping() {
      return isStopping;
    },
    get eventWeight() {
      return log.weight;
    },
    // What it asks of its client is answered in its own process alone.
    clientCalls: createClientCalls({
      patienceMs: 0,
      getPlace: () => ({ event: log.events.length, models: snapshot.outcome().meta.models }),
      onChange() {},
      onExpire() {},
    }),
    inbox: {
      async send(text) {
        if (outcome !== undefined || isAnswering(log.events)) return "after_run";
        if (text.length > longestMessage) return "refused";
        return shared.say(runId, text);
      },
    },
    snapshot: () => outcome ?? snapshot.outcome(),
    cancel: () => void stop(),
    follow: log.follow,
    addWaiter(waiter, session) {
      if (outcome !== undefined) return;
      updateWaiters(() => runWaiters.add(waiter, session));
    },
    isAwaitedByOthers: runWaiters.isAwaitedByOthers,
    // The process of the run knows who else waits for it, and cancels it where nobody does.
    removeWaiter(waiter) {
      updateWaiters(() => void runWaiters.remove(waiter));
      return false;
    },
    removeWaitersOf(session) {
      updateWaiters(() => void runWaiters.removeSession(session));
      return false;
    },
    markSaved() {},
    dropEvents() {},
    waitForEvent: (signal) => waitFor(events.wait, signal),
    readNews: reader.read,
    waitForChange: (signal) => waitFor(changes.wait, signal),
    touch: () => void idle.refresh(),
  };
}

function isAnswering(events: readonly AgentEvent[]): boolean {
  return events.findLast(({ type }) => type === "phase-start" || type === "answer-delta")?.type === "answer-delta";
}
