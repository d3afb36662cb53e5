import type { AgentEvent } from "../core/events.ts";
import type { Outcome } from "../core/outcome.ts";
import type { QuestionKind, UserReply } from "../core/questions/user-question.ts";
import { type Delivery, longestMessage } from "../core/run-inbox.ts";
import type { RunItem } from "../core/run-state.ts";
import { LostRunError } from "../core/store/journal.ts";
import type { PostedQuestion } from "../core/store/run-mailbox.ts";
import type { RunUpdate, SharedRun, SharedRuns } from "../core/store/shared-runs.ts";
import { ignoreRejection } from "../kit/async/ignore-rejection.ts";
import { toErrorReport } from "../kit/errors.ts";
import { weighJson } from "./bounded-json.ts";
import { createClientCalls } from "./client-calls.ts";
import { hideCause } from "./finished-outcome.ts";
import type { OpenQuestion } from "./questions/open-question.ts";
import { createNotifier, type RunHandle } from "./run-handle.ts";
import { createRunSnapshot } from "./run-snapshot.ts";

/** Is how long the last event of a run is waited for once its end is stored, in milliseconds. */
const lastEventMs = 1_000;

/** Is how long a run is followed that nobody asks for, in milliseconds. */
const idleMs = 60_000;

export interface FollowOptions {
  shared: SharedRuns;
  run: SharedRun;
  /** Names this process. */
  by: string;
  /** Returns the outcome of a run that has told no end. */
  readOutcome(run: SharedRun): Promise<Outcome>;
  /** Is called when nobody has asked for the run for a while. */
  onIdle(): void;
}

export interface FollowedRun extends RunHandle {
  /** Says that somebody has asked for it. */
  touch(): void;
  /** Ends it here: whoever waits is told that it goes on elsewhere. */
  close(): void;
}

/** Follows a run that another process carries out, and resolves when what it has told so far is known. */
export async function followRun({ shared, run, by, readOutcome, onIdle }: FollowOptions): Promise<FollowedRun> {
  const { runId, header, owner, conversationId } = run;
  const { locale, mode } = header;
  const snapshot = createRunSnapshot({ runId, conversationId, mode });
  const notifier = createNotifier();
  const turns = createNotifier();
  const followers = new Set<Parameters<RunHandle["follow"]>[0]>();
  const holders = new Map<object, object | undefined>();
  const events: AgentEvent[] = [];
  let eventWeight = 0;
  let outcome: Outcome | undefined;
  let open: (OpenQuestion & { close(): void }) | undefined;
  let isStopping = false;
  let isMoved = false;
  let changedAt = Date.now();
  let waiters = 0;
  let reading: Promise<void> | undefined;
  let hasNews = false;
  let settling: NodeJS.Timeout | undefined;
  let unwatch: (() => void) | undefined;
  const idle = setTimeout(checkIdle, idleMs).unref();

  function notifyWaiters(): void {
    notifier.notify();
    turns.notify();
  }

  function handleEvent(told: AgentEvent): void {
    const event = told.type === "run-end" ? { ...told, outcome: hideCause(told.outcome, locale) } : told;
    events.push(event);
    eventWeight += weighJson(event);
    const item: RunItem | undefined = snapshot.handle(event);
    if (event.type === "run-end") outcome = event.outcome;
    for (const follower of followers) follower(event, item);
  }

  function showQuestion(posted: PostedQuestion | undefined): void {
    if (open?.id === posted?.id) return;
    open?.close();
    open = posted && openQuestion(posted);
    notifyWaiters();
  }

  function openQuestion<K extends QuestionKind>(posted: PostedQuestion): OpenQuestion & { close(): void } {
    const closed = new AbortController();
    const displays = new Set<{ isInResult: boolean }>();
    function close(): void {
      if (open?.id === posted.id) open = undefined;
      closed.abort();
    }
    async function answer(reply: UserReply<K> | undefined): Promise<boolean> {
      if (closed.signal.aborted) return false;
      const isTaken = await shared.answer(runId, posted.id, reply);
      close();
      notifyWaiters();
      return isTaken;
    }
    const posed = {
      id: posted.id,
      kind: posted.question.kind,
      question: posted.question,
      get isAsked() {
        return displays.size > 0;
      },
      get isInResult() {
        return displays.size > 0 && [...displays].every((display) => display.isInResult);
      },
      until: posted.until,
      closed: closed.signal,
      show(display: { isInResult: boolean }) {
        displays.add(display);
        return () => {
          displays.delete(display);
          notifyWaiters();
        };
      },
      answer,
      withdraw: async () => void (await ignoreRejection(answer(undefined), "it is given up in time all the same")),
      close,
    };
    // The compiler does not see that one kind of question is one of all kinds.
    return posed as unknown as OpenQuestion & { close(): void };
  }

  function handleNews({ events: told, question, isOver }: RunUpdate): void {
    for (const event of told) handleEvent(event);
    if (told.length > 0) changedAt = Date.now();
    if (outcome !== undefined) finish();
    else {
      showQuestion(question);
      if (isOver) settling ??= setTimeout(() => void settle(), lastEventMs).unref();
      if (told.length > 0) notifier.notify();
    }
  }

  /** The process of the run has ended after its end was stored, or before it was resumed. */
  async function settle(): Promise<void> {
    const found = await ignoreRejection(readOutcome(run), "the next look finds it");
    settling = undefined;
    if (outcome !== undefined || found === undefined) return;
    outcome = found;
    finish();
  }

  function finish(): void {
    clearTimeout(settling);
    unwatch?.();
    unwatch = undefined;
    open?.close();
    notifyWaiters();
    snapshot.close();
    followers.clear();
  }

  async function readAll(): Promise<void> {
    while (hasNews && outcome === undefined) {
      hasNews = false;
      const news = await ignoreRejection(shared.read(runId, events.length), "the next look makes up for it");
      if (news) handleNews(news);
    }
    reading = undefined;
  }

  /** One look at a time: what comes during one is found by the next. */
  function read(): Promise<void> {
    hasNews = true;
    reading ??= readAll();
    return reading;
  }

  function watch(): void {
    if (unwatch !== undefined || outcome !== undefined) return;
    unwatch = shared.watch(runId, () => void read());
  }

  function checkIdle(): void {
    if (waiters > 0 || (holders.size > 0 && outcome === undefined)) return void idle.refresh();
    unwatch?.();
    unwatch = undefined;
    onIdle();
  }

  async function waitFor(wait: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    // It may have been idle meanwhile.
    const wasIdle = unwatch === undefined && outcome === undefined;
    watch();
    if (wasIdle) void read();
    waiters += 1;
    await wait(signal);
    waiters -= 1;
    idle.refresh();
  }

  function send(message: Parameters<SharedRuns["send"]>[1]): void {
    if (outcome === undefined)
      void ignoreRejection(shared.send(runId, message), "whoever asks for it sees what it does");
  }

  function release(own: readonly object[]): void {
    const count = own.filter((holder) => holders.delete(holder)).length;
    if (count > 0 && holders.size === 0) send({ type: "release", by });
  }

  watch();
  await read();
  return {
    id: runId,
    key: header.key ?? runId,
    question: header.question,
    caller: { owner, tools: header.callerTools },
    locale,
    conversationId,
    wantedConversationId: header.wantedConversationId,
    isAside: false,
    mode,
    after: header.after,
    onDisconnect: undefined,
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
    events,
    get outcome() {
      return outcome;
    },
    get open() {
      return open;
    },
    get changedAt() {
      return changedAt;
    },
    get isStopping() {
      return isStopping;
    },
    get eventWeight() {
      return eventWeight;
    },
    // What it asks of its client is answered in its own process alone.
    clientCalls: createClientCalls({
      patienceMs: 0,
      getPlace: () => ({ event: events.length, models: snapshot.outcome().meta.models }),
      onChange() {},
      onExpire() {},
    }),
    inbox: {
      send(text): Delivery {
        if (outcome !== undefined || isAnswering(events)) return "after_run";
        if (text.length > longestMessage) return "refused";
        send({ type: "say", text });
        return "next_step";
      },
    },
    snapshot: () => outcome ?? snapshot.outcome(),
    cancel() {
      isStopping = true;
      send({ type: "stop" });
    },
    follow(take) {
      followers.add(take);
      return () => void followers.delete(take);
    },
    hold(holder, session) {
      if (outcome !== undefined) return;
      if (holders.size === 0) send({ type: "hold", by });
      holders.set(holder, session);
    },
    isHeldByOthers: (session) => [...holders.values()].some((other) => other !== undefined && other !== session),
    // The process of the run knows who else needs it, and cancels it where nobody does.
    release(holder) {
      release([holder]);
      return false;
    },
    releaseSession(session) {
      release([...holders].filter(([holder, of]) => holder === session || of === session).map(([holder]) => holder));
      return false;
    },
    markSaved() {},
    dropEvents() {},
    waitForEvent: (signal) => waitFor(notifier.wait, signal),
    waitForChange: (signal) => waitFor(turns.wait, signal),
    touch: () => void idle.refresh(),
    close() {
      if (outcome !== undefined) return;
      isMoved = true;
      const error = toErrorReport(new LostRunError(runId), locale);
      outcome = { ...snapshot.outcome(), success: false, status: "failed", stop_reason: "error", error };
      finish();
    },
  };
}

function isAnswering(events: readonly AgentEvent[]): boolean {
  return events.findLast(({ type }) => type === "phase-start" || type === "answer-delta")?.type === "answer-delta";
}
