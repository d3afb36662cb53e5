import { setImmediate } from "node:timers/promises";
import type { AskRequest } from "../app/ask-request.ts";
import type { Caller } from "../core/caller.ts";
import { type DraftEvent, isDraftEvent } from "../core/drafts.ts";
import type { AgentEvent } from "../core/events.ts";
import { replaceNotSaved } from "../core/notices.ts";
import type { Mode, Outcome } from "../core/outcome.ts";
import type { QuestionKind } from "../core/questions/user-question.ts";
import { createRunInbox, type Delivery } from "../core/run-inbox.ts";
import type { RunItem } from "../core/run-state.ts";
import { type Entrance, LostRunError, type RunJournal, type TakenRun } from "../core/store/journal.ts";
import type { RunMessage } from "../core/store/run-mailbox.ts";
import { waitPatiently } from "../kit/async/timeout.ts";
import { DuetError, type ErrorReport, toDuetError, toErrorReport } from "../kit/errors.ts";
import type { Locale } from "../kit/locale.ts";
import { weighJson } from "./bounded-json.ts";
import { type ClientCalls, createClientCalls } from "./client-calls.ts";
import { createEventRecorder, type EventRecorder } from "./event-recorder.ts";
import { hideCause } from "./finished-outcome.ts";
import type { LiveRun } from "./live-run.ts";
import type { OpenQuestion } from "./questions/open-question.ts";
import { createQuestionQueue } from "./questions/question-queue.ts";
import { createRepeatFilter } from "./repeat-filter.ts";
import { createRunSnapshot } from "./run-snapshot.ts";

/** Extends a live run with what the requests attached to it use. */
export interface RunHandle extends LiveRun {
  readonly locale: Locale;
  /**
   * Is the id of the question's conversation, or of the one that the run began. Is empty until it is known, and when the caller
   * keeps the conversation itself.
   */
  readonly conversationId: string;
  /** Is the conversation that was requested, or undefined when the run begins a new one. */
  readonly wantedConversationId: string | undefined;
  /** Is true for a run that appears in no list, because nobody asked it as a question. */
  readonly isAside: boolean;
  /** Names what was asked for: two requests with one key ask for the same. */
  readonly key: string;
  /** Is when something last happened, in milliseconds since 1970. */
  readonly changedAt: number;
  /** Holds the cause of a failure that was a fault of the program. It is for the operator only; `outcome` does not contain it. */
  readonly fault: ErrorReport | undefined;
  /** Is the draft that is being written, which stands in no event. It grows in place, and is another object for another draft. */
  readonly draft: LiveDraft | undefined;
  readonly isStopping: boolean;
  /** Is true for a run of another process, which this one follows. */
  readonly isElsewhere: boolean;
  /** Is true once the run goes on in another process. Its outcome here only says so, and its end is told there. */
  readonly isMoved: boolean;
  readonly mode: Mode;
  /** Is the turn that the question follows, where it names one. */
  readonly after: number | undefined;
  /** Says what becomes of it when everybody who waits for it has left. The configuration does when it is absent. */
  readonly onDisconnect: "cancel" | "finish" | undefined;
  /** Is true once somebody has received the run's outcome. */
  isDelivered: boolean;
  /** Takes what a person says while the run works. Resolves to undefined where another process carries it out, and does not answer. */
  readonly inbox: { send(text: string): Delivery | Promise<Delivery | undefined> };
  /**
   * Lets the run go on in another process of this server, which begins as soon as the calls under way have ended. Returns false where
   * no other process could.
   */
  leave(): boolean;
  /** Lets it go at once, with calls under way of which nobody will know what they came to. Rejects where that could not be stored. */
  letGo(): Promise<void>;
  /** Is the question that waits for a person. */
  readonly open: OpenQuestion | undefined;
  /** Holds the calls of the asking program's tools. */
  readonly clientCalls: ClientCalls;
  /** Calls `take` for each event from now on, drafts included, with what it changed in the state of the run. */
  follow(take: (event: AgentEvent, item: RunItem | undefined) => void): () => void;
  /**
   * Registers `holder`, which needs the run: a request that waits for it, or a caller that knows that it continues. `session` is
   * whose it is; without one, anybody who asks the same may have the run.
   */
  hold(holder: object, session?: object): void;
  /** Returns true when another session than this one needs the run. */
  isHeldByOthers(session: object): boolean;
  /** Removes `holder`. Returns true when it was the last one. */
  release(holder: object): boolean;
  /** Removes every holder of a session that has ended. Returns true when nobody else holds the run. */
  releaseSession(session: object): boolean;
  /** Is the memory that the run's events take, in UTF-16 units. */
  readonly eventWeight: number;
  /** Changes the outcome of a run that could not be saved when it ended, and has been saved now. */
  markSaved(): void;
  /** Discards the run's events. */
  dropEvents(): void;
  /** Resolves at the next event, when a question comes or goes, at the end, or when the signal aborts. Never rejects. */
  waitForEvent(signal: AbortSignal): Promise<void>;
  /** Reads what another process has told of the run meanwhile. Never rejects. Absent for a run of this process. */
  readNews?(): Promise<void>;
  /** Waits like `waitForEvent`, but is not woken by events, which are frequent. */
  waitForChange(signal: AbortSignal): Promise<void>;
}

/** Holds text of which it is not known yet whether it is a thought or the answer. */
export interface LiveDraft {
  readonly draft: number;
  readonly step: number;
  text: string;
  /** Says what it was, once it has ended. */
  kept?: "answer" | "thought";
}

export interface StartRunOptions {
  id: string;
  key: string;
  caller: Caller;
  locale: Locale;
  /** Is described at `RunHandle`. */
  isAside?: boolean | undefined;
  request: Omit<AskRequest, "user" | "signal" | "runId" | "caller" | "recording" | "resumed" | "callClient">;
  /** Is the interface whose next process may go on with the run. */
  entrance?: Entrance | undefined;
  /** Holds the records of a run that goes on. */
  resumed?: TakenRun | undefined;
  onDisconnect?: RunHandle["onDisconnect"];
  /** Returns true for the kinds of questions that the run may ask its user. */
  canAsk(kind: QuestionKind): boolean;
  /** Is how long a question waits for its answer, in milliseconds. */
  patienceMs: number;
  /** Is true where the answer itself asks the user about a call, and the next message replies. */
  asksInAnswer?: boolean | undefined;
  /** Is how long the run waits for results of the asking program's tools, in milliseconds. */
  clientPatienceMs?: number | undefined;
  ask(request: AskRequest): AsyncIterable<AgentEvent>;
  /** Is called when the last one who waited for the run in another process has left. */
  onLeft?(run: RunHandle): void;
  onEnd(run: RunHandle): void;
}

/** Begins a run and holds it until it ends. */
export function startRun({
  id,
  key,
  caller,
  locale,
  isAside = false,
  entrance = "http",
  resumed,
  onDisconnect,
  request,
  canAsk,
  patienceMs,
  asksInAnswer = false,
  clientPatienceMs = patienceMs,
  ask,
  onLeft,
  onEnd,
}: StartRunOptions): RunHandle {
  const { question, conversationId = "", mode = "agent" } = request;
  const snapshot = createRunSnapshot({ runId: id, conversationId, mode });
  const stop = new AbortController();
  const leaving = new AbortController();
  let journal: RunJournal | undefined;
  const notifier = createNotifier();
  const turns = createNotifier();
  const inbox = createRunInbox();
  let stopReceiving: (() => void) | undefined;
  const questions = createQuestionQueue(patienceMs, notifyWaiters, {
    getMailbox: () => journal?.mailbox,
    // A stopped run asks nothing more, and one that moves asks the same again.
    isLeaving: () => stop.signal.aborted || leaving.signal.aborted || run.isMoved,
    onOpen(question) {
      if (asksInAnswer && question.kind === "call") clientCalls.askConsent(question);
    },
  });
  const clientCalls = createClientCalls({
    patienceMs: clientPatienceMs,
    getPlace: () => ({ event: events.length, models: snapshot.outcome().meta.models }),
    onChange: notifyWaiters,
    onExpire: () => run.cancel(),
  });
  const followers = new Set<Parameters<RunHandle["follow"]>[0]>();
  let events: AgentEvent[] = [];
  let eventWeight = 0;
  let draft: LiveDraft | undefined;
  let outcome: Outcome | undefined;
  let fault: ErrorReport | undefined;
  let isSavedLate = false;
  /** Is true once it has turned out that another process goes on with the run, even where this one had done all but store its end. */
  let isLost = false;
  /** Maps each holder to its session. */
  const holders = new Map<object, object | undefined>();
  /** Maps each process in which somebody waits for the run to what holds the run for it. */
  const elsewhere = new Map<string, object>();
  let changedAt = Date.now();

  const run: RunHandle = {
    id,
    key,
    question,
    caller,
    locale,
    isAside,
    isElsewhere: false,
    mode,
    after: request.after,
    onDisconnect,
    wantedConversationId: resumed ? resumed.header.wantedConversationId : request.conversationId,
    startedAt: resumed ? Date.parse(resumed.begunAt) : Date.now(),
    isDelivered: false,
    get conversationId() {
      return request.history === undefined ? snapshot.conversationId : "";
    },
    get events() {
      return events;
    },
    get draft() {
      return draft;
    },
    get outcome() {
      return outcome;
    },
    get fault() {
      return fault;
    },
    inbox,
    get open() {
      return questions.open;
    },
    clientCalls,
    get changedAt() {
      return changedAt;
    },
    get isMoved() {
      return isLost || (journal?.moved?.aborted ?? false);
    },
    leave() {
      if (journal?.letGo === undefined || outcome !== undefined) return false;
      leaving.abort();
      return true;
    },
    letGo: async () => journal?.letGo?.(),
    get isStopping() {
      return stop.signal.aborted;
    },
    snapshot: () => outcome ?? snapshot.outcome(),
    cancel: () => stop.abort(cancelledError()),
    follow(take) {
      followers.add(take);
      return () => void followers.delete(take);
    },
    hold(holder, session) {
      if (outcome === undefined) holders.set(holder, session);
    },
    isHeldByOthers: (session) => [...holders.values()].some((other) => other !== undefined && other !== session),
    release: (holder) => holders.delete(holder) && holders.size === 0,
    releaseSession(session) {
      const own = [...holders].filter(([holder, of]) => holder === session || of === session);
      for (const [holder] of own) holders.delete(holder);
      return own.length > 0 && holders.size === 0;
    },
    get eventWeight() {
      return eventWeight;
    },
    markSaved() {
      isSavedLate = true;
      if (outcome !== undefined) outcome = replaceNotSaved(outcome, locale);
    },
    dropEvents() {
      events = [];
      eventWeight = 0;
    },
    waitForEvent: notifier.wait,
    waitForChange: turns.wait,
  };

  function notifyWaiters(): void {
    notifier.notify();
    turns.notify();
  }

  /** Does what another process asks for. */
  function handleMessage(message: RunMessage): void {
    if (message.type === "stop") run.cancel();
    else if (message.type === "say") journal?.mailbox?.reply(message.id, inbox.send(message.text));
    else if (message.type === "answer") questions.accept(message.questionId, message.reply);
    else if (message.type === "hold") {
      const holder = elsewhere.get(message.by) ?? {};
      elsewhere.set(message.by, holder);
      run.hold(holder);
    } else {
      const holder = elsewhere.get(message.by);
      elsewhere.delete(message.by);
      if (holder && run.release(holder)) onLeft?.(run);
    }
  }

  function hideInternalCause(ending: Outcome): Outcome {
    if (ending.error?.code === "internal") fault = ending.error;
    return hideCause(ending, locale);
  }

  /** A draft is void when it ends, so nobody who comes later needs its events. */
  function handleDraft(event: DraftEvent): void {
    changedAt = Date.now();
    if (event.type === "draft-start") draft = { draft: event.draft, step: event.step, text: "" };
    else if (event.type === "draft-delta" && draft) draft.text += event.text;
    else if (event.type === "draft-end" && draft) {
      draft.kept = event.kept;
      draft = undefined;
    }
    for (const follower of followers) follower(event, undefined);
    notifier.notify();
  }

  function handleEvent(happened: AgentEvent): void {
    if (isDraftEvent(happened)) {
      handleDraft(happened);
      return;
    }
    const event =
      happened.type === "run-end" ? { ...happened, outcome: hideInternalCause(happened.outcome) } : happened;
    events.push(event);
    eventWeight += weighJson(event);
    changedAt = Date.now();
    const item = snapshot.handle(event);
    if (event.type === "run-end") outcome = isSavedLate ? replaceNotSaved(event.outcome, locale) : event.outcome;
    for (const follower of followers) follower(event, item);
    if (outcome === undefined) notifier.notify();
    else notifyWaiters();
  }

  /** Takes over what readers of an earlier process of the run may have received. */
  function restoreEvents(known: readonly AgentEvent[]): void {
    for (const event of known) {
      events.push(event);
      eventWeight += weighJson(event);
      snapshot.handle(event);
    }
  }

  let recorder: EventRecorder | undefined;

  /** Waits until the run's events, which come here in later microtasks, are recorded, but not for a store that does not answer. */
  async function flushEvents(): Promise<void> {
    if (recorder === undefined) return;
    await setImmediate();
    await waitPatiently(recorder.flush(), flushMs);
  }

  async function followEvents(): Promise<void> {
    const told = resumed && resumed.events.length > 0 ? createRepeatFilter(resumed.events) : undefined;
    const connect = (opened: RunJournal): void => {
      journal = opened;
      stopReceiving = opened.mailbox?.receive(handleMessage);
      // Readers come back by the number of an event over HTTP alone.
      if (entrance === "http")
        recorder = createEventRecorder({ journal: opened, from: events.length, handle: handleEvent });
    };
    const stream = ask({
      ...request,
      // Who follows a run takes drafts or leaves them.
      drafts: true,
      caller,
      runId: id,
      signal: stop.signal,
      inbox,
      callClient: clientCalls.call,
      user: { canAsk, ask: questions.ask, person: run, owner: caller.owner },
      recording: { entrance, key, onDisconnect, leaving: leaving.signal, onRecorded: connect, flushEvents },
      resumed,
    });
    for await (const happened of stream)
      for (const event of told?.filter(happened) ?? [happened])
        if (recorder) recorder.add(event);
        else handleEvent(event);
    await recorder?.finish();
    if (outcome === undefined) throw new DuetError({ code: "internal", text: noEnd });
  }

  /**
   * Returns the outcome of a run that never began: there was no model, the store could not be opened, or it was cancelled
   * before.
   */
  function toUnstartedOutcome(thrown: unknown): Outcome {
    const known = { ...snapshot.outcome(), success: false };
    if (stop.signal.aborted) return { ...known, status: "cancelled", stop_reason: "cancelled" };
    const error = toErrorReport(toDuetError(thrown), locale);
    return hideInternalCause({ ...known, status: "failed", stop_reason: "error", error });
  }

  if (resumed) restoreEvents(resumed.events);
  void followEvents()
    .catch((thrown) => {
      isLost = thrown instanceof LostRunError;
      outcome ??= toUnstartedOutcome(thrown);
    })
    .finally(() => {
      stopReceiving?.();
      questions.close();
      clientCalls.close();
      inbox.close();
      notifyWaiters();
      // What is kept of a run must not keep the connections that it was asked over.
      holders.clear();
      followers.clear();
      snapshot.close();
      onEnd(run);
    });
  return run;
}

/** Limits how long the end of a run waits for its events to be recorded, in milliseconds. */
const flushMs = 5_000;

const noEnd = { zh: "运行没有结束事件", en: "the run ended without a run-end event" };

function cancelledError(): DuetError {
  return new DuetError({ code: "internal", text: { zh: "已取消", en: "cancelled" } });
}

/** Wakes all who wait for something to happen. */
export interface Notifier {
  notify(): void;
  /** Resolves at the next ring, or when the signal aborts. Never rejects. */
  wait(signal: AbortSignal): Promise<void>;
}

export function createNotifier(): Notifier {
  /** Belongs to the current waiters. Most notifications have none. */
  let next: PromiseWithResolvers<void> | undefined;
  return {
    notify() {
      next?.resolve();
      next = undefined;
    },
    async wait(signal) {
      if (signal.aborted) return;
      const stopped = Promise.withResolvers<void>();
      const stop = (): void => stopped.resolve();
      signal.addEventListener("abort", stop, { once: true });
      next ??= Promise.withResolvers();
      await Promise.race([next.promise, stopped.promise]);
      signal.removeEventListener("abort", stop);
    },
  };
}
