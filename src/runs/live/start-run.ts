import { setImmediate } from "node:timers/promises";
import { noticeKinds } from "../../core/notices/notice-kinds.ts";
import { addNotices, replaceNotSaved, toOutcomeNotices } from "../../core/notices/outcome-notices.ts";
import { type DraftEvent, isDraftEvent } from "../../core/run/drafts.ts";
import type { AgentEvent } from "../../core/run/events.ts";
import type { Outcome } from "../../core/run/outcome.ts";
import { createRunInbox } from "../../core/run/run-inbox.ts";
import { ServerEndsError } from "../../core/server-ends-error.ts";
import { LostRunError, type RunJournal } from "../../core/store/journal.ts";
import type { RunMessage } from "../../core/store/run-mailbox.ts";
import { createNotifier } from "../../kit/async/notifier.ts";
import { waitPatiently } from "../../kit/async/timeout.ts";
import { DuetError, toDuetError, toErrorReport } from "../../kit/errors.ts";
import { createClientCalls } from "../client-calls.ts";
import { hideCause } from "../outcomes/finished-outcome.ts";
import { createQuestionQueue } from "../questions/question-queue.ts";
import { createEventLog } from "./event-log.ts";
import { createEventRecorder, type EventRecorder } from "./event-recorder.ts";
import { LiveRunProperties, type LiveRunState } from "./live-run-properties.ts";
import { createRepeatFilter } from "./repeat-filter.ts";
import type { RunHandle } from "./run-handle.ts";
import { createRunSnapshot } from "./run-snapshot.ts";
import { createRunWaiters, type RunWaiter, type WaitingSession } from "./run-waiters.ts";
import type { StartRunOptions } from "./start-run-options.ts";

/** Begins a run and holds it until it ends. */
export function startRun({
  id,
  key,
  caller,
  locale,
  isAside = false,
  entrance = "http",
  resumed,
  wantedConversationId,
  onDisconnect,
  goesOnWith,
  hostRequest,
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
  const events = createNotifier();
  const changes = createNotifier();
  const inbox = createRunInbox();
  let stopReceiving: (() => void) | undefined;
  const questions = createQuestionQueue(patienceMs, notifyAll, {
    getMailbox: () => state.journal?.mailbox,
    // A stopped run asks nothing more, and one that moves asks the same again.
    isLeaving: () => stop.signal.aborted || leaving.signal.aborted || run.isMoved,
    onOpen(question) {
      if (asksInAnswer && question.kind === "call") clientCalls.askConsent(question);
    },
  });
  const clientCalls = createClientCalls({
    patienceMs: clientPatienceMs,
    getPlace: () => ({ event: log.events.length, models: snapshot.outcome().meta.models }),
    onChange: notifyAll,
    onExpire: () => run.cancel(),
  });
  const log = createEventLog();
  const runWaiters = createRunWaiters();
  const state: LiveRunState = {
    draft: undefined,
    outcome: undefined,
    fault: undefined,
    journal: undefined,
    isLost: false,
  };
  let isSavedLate = false;

  const properties = new LiveRunProperties({
    state,
    snapshot,
    log,
    questions,
    stopSignal: stop.signal,
    keepsHistory: request.history !== undefined,
  });
  const run: RunHandle = Object.assign(properties, {
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
    goesOnWith,
    wantedConversationId,
    startedAt: resumed ? Date.parse(resumed.begunAt) : Date.now(),
    isDelivered: false,
    inbox,
    clientCalls,
    leave() {
      if (state.journal?.letGo === undefined || state.outcome !== undefined) return false;
      leaving.abort();
      return true;
    },
    letGo: async () => state.journal?.letGo?.(),
    snapshot: () => state.outcome ?? snapshot.outcome(),
    cancel(reason?: "server-ends") {
      if (state.outcome === undefined) stop.abort(reason === "server-ends" ? new ServerEndsError() : cancelledError());
    },
    follow: log.follow,
    addWaiter,
    isAwaitedByOthers: runWaiters.isAwaitedByOthers,
    removeWaiter: runWaiters.remove,
    removeWaitersOf: runWaiters.removeSession,
    markSaved() {
      isSavedLate = true;
      if (state.outcome !== undefined) state.outcome = replaceNotSaved(state.outcome, locale);
    },
    dropEvents() {
      log.clear();
      questions.forgetAnswered();
    },
    waitForEvent: events.wait,
    waitForChange: changes.wait,
  });

  function notifyAll(): void {
    events.notify();
    changes.notify();
  }

  function addWaiter(waiter: RunWaiter, session?: WaitingSession): void {
    if (state.outcome === undefined) runWaiters.add(waiter, session);
  }

  /** Returns true where whoever asks the same in another process may have the run. */
  function canBeJoined(session: WaitingSession): boolean {
    return !run.isStopping && state.outcome === undefined && !runWaiters.isAwaitedByOthers(session);
  }

  function cancelUnlessAwaited(): void {
    if (runWaiters.isEmpty()) run.cancel();
  }

  /** Does what another process asks for. */
  function handleMessage(message: RunMessage): void {
    if (message.type === "stop") run.cancel();
    else if (message.type === "abandon") setTimeout(cancelUnlessAwaited, holdMs).unref();
    else if (message.type === "say") state.journal?.mailbox?.reply(message.id, inbox.send(message.text));
    else if (message.type === "join")
      state.journal?.mailbox?.reply(message.id, canBeJoined(message) ? "joined" : "refused");
    else if (message.type === "answer") questions.accept(message.questionId, message.reply);
    else if (message.type === "hold") addWaiter(message.by, message.isSession ? message : undefined);
    else if (runWaiters.remove(message.by)) onLeft?.(run);
  }

  function hideInternalCause(ending: Outcome): Outcome {
    if (ending.error?.code === "internal") state.fault = ending.error;
    return hideCause(ending, locale);
  }

  /** A draft is void when it ends, so nobody who comes later needs its events. */
  function handleDraft(event: DraftEvent): void {
    if (event.type === "draft-start") state.draft = { draft: event.draft, step: event.step, text: "" };
    else if (event.type === "draft-delta" && state.draft) state.draft.text += event.text;
    else if (event.type === "draft-end" && state.draft) {
      state.draft.kept = event.kept;
      state.draft = undefined;
    }
    log.publish(event, undefined);
    events.notify();
  }

  function handleEvent(happened: AgentEvent): void {
    if (isDraftEvent(happened)) {
      handleDraft(happened);
      return;
    }
    const event =
      happened.type === "run-end" ? { ...happened, outcome: hideInternalCause(happened.outcome) } : happened;
    log.add(event);
    const item = snapshot.handle(event);
    if (event.type === "run-end") state.outcome = isSavedLate ? replaceNotSaved(event.outcome, locale) : event.outcome;
    log.publish(event, item);
    if (state.outcome === undefined) events.notify();
    else notifyAll();
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
      state.journal = opened;
      stopReceiving = opened.mailbox?.receive(handleMessage);
      // Readers come back by the number of an event over HTTP alone.
      if (entrance === "http")
        recorder = createEventRecorder({ journal: opened, from: log.events.length, handle: handleEvent });
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
      recording: {
        entrance,
        key,
        wantedConversationId,
        onDisconnect,
        goesOnWith,
        hostRequest,
        leaving: leaving.signal,
        onConversation(opened) {
          snapshot.nameConversation(opened);
          changes.notify();
        },
        onRecorded: connect,
        flushEvents,
      },
      resumed,
    });
    for await (const happened of stream)
      for (const event of told?.filter(happened) ?? [happened])
        if (recorder) recorder.add(event);
        else handleEvent(event);
    await recorder?.finish();
    if (state.outcome === undefined) throw new DuetError({ code: "internal", text: noEnd });
  }

  /**
   * Returns the outcome of a run that never began: there was no model, the store could not be opened, or it was cancelled
   * before.
   */
  function toUnstartedOutcome(thrown: unknown): Outcome {
    const known = { ...snapshot.outcome(), success: false };
    if (stop.signal.aborted) {
      const told =
        stop.signal.reason instanceof ServerEndsError
          ? [noticeKinds.serverEnded({ finished: 0, unclear: 0 }, locale)]
          : [];
      return addNotices({ ...known, status: "cancelled", stop_reason: "cancelled" }, toOutcomeNotices(told));
    }
    const error = toErrorReport(toDuetError(thrown), locale);
    return hideInternalCause({ ...known, status: "failed", stop_reason: "error", error });
  }

  // Readers of an earlier process of the run may have received these events.
  for (const event of resumed?.events ?? []) {
    log.add(event);
    snapshot.handle(event);
  }
  void followEvents()
    .catch((thrown) => {
      state.isLost = thrown instanceof LostRunError;
      state.outcome ??= toUnstartedOutcome(thrown);
    })
    .finally(() => {
      stopReceiving?.();
      questions.close();
      clientCalls.close();
      inbox.close();
      notifyAll();
      // What is kept of a run must not keep the connections that it was asked over.
      runWaiters.clear();
      log.removeListeners();
      snapshot.close();
      onEnd(run);
    });
  return run;
}

/** Is how long processes in which somebody waits have to say so after the run was taken over, in milliseconds. */
const holdMs = 2_000;

/** Limits how long the end of a run waits for its events to be recorded, in milliseconds. */
const flushMs = 5_000;

const noEnd = { zh: "运行没有结束事件", en: "the run ended without a run-end event" };

function cancelledError(): DuetError {
  return new DuetError({ code: "internal", text: { zh: "已取消", en: "cancelled" } });
}
