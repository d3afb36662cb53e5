import { waitAbortable } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { sanitize } from "../../kit/text/sanitize.ts";
import {
  type Call,
  type CallOptions,
  type Description,
  type FromWorker,
  type Input,
  type ModuleKind,
  type Output,
  settleCall,
  toPlainError,
} from "./messages.ts";
import {
  abandonedError,
  blockedByOtherError,
  blockedError,
  closingError,
  crashedError,
  createOpening,
  endedWhileLoadingError,
  type PendingThread,
  toOutputLimitLine,
} from "./module-errors.ts";
import { type ModuleSource, type ModuleThread, startModuleThread } from "./module-thread.ts";

/** Runs a user's module in a thread of its own. After the thread has ended, the next call starts a new one. */
export interface ModuleHost<Kind extends ModuleKind> {
  /**
   * Starts it; `onImporting` is called when the thread is up and begins with the module. Throws a `config` error without the
   * module's name where it cannot be loaded in time.
   */
  load(onImporting?: () => void): Promise<Description<Kind>>;
  /**
   * Calls what it exports. Rejects with the signal's reason, with an error of the module's own, or with a `DuetError` where the
   * limit passes or the thread comes to an end.
   */
  call(input: Input<Kind>, options: CallOptions): Promise<Output<Kind>>;
  /** Ends the thread, also while it is loading. */
  close(): Promise<void>;
}

export interface ModuleHostOptions extends ModuleSource {
  limits: ModuleLimits;
  /** Is called when the module ends while nobody waits for it, and when it prints more than is shown. */
  warn: (line: Text) => void;
}

export interface ModuleLimits {
  loadMs: number;
  callMs: number;
  /** Megabytes of JavaScript objects that it may hold, 512 when absent; buffers are not counted. */
  memoryMb?: number;
}

/** A thread counts as blocked when it leaves a ping unanswered for this long, in milliseconds. */
const longestSilenceMs = 1000;

/** Holds one thread and its pending calls. */
interface Life<Kind extends ModuleKind> {
  thread: ModuleThread<Kind>;
  loaded: Promise<Description<Kind>>;
  calls: Map<number, Call<Kind>>;
  /** Is the time at which the oldest unanswered ping was sent. */
  askedAt: number | undefined;
  /** Is the ping whose answer shows that no abandoned call blocks the thread any more. */
  watchedPing: number | undefined;
  /** Holds why the thread ended, for a call that arrives too late. */
  error: DuetError | undefined;
}

export function createModuleHost<Kind extends ModuleKind>(options: ModuleHostOptions): ModuleHost<Kind> {
  const { limits, warn, ...source } = options;
  const { loadMs, callMs, memoryMb = 512 } = limits;
  const silenceMs = Math.min(longestSilenceMs, callMs / 2);
  let isClosed = false;
  let current: Life<Kind> | undefined;
  let lastId = 0;
  let prober: NodeJS.Timeout | undefined;

  function start(onImporting?: () => void): Life<Kind> {
    const opening = createOpening<Description<Kind>>(loadMs, onImporting);
    const lifecycle: Life<Kind> = {
      thread: startModuleThread<Kind>(source, memoryMb, (message) => receiveMessage(lifecycle, message, opening)),
      loaded: opening.promise,
      calls: new Map(),
      askedAt: undefined,
      watchedPing: undefined,
      error: undefined,
    };
    current = lifecycle;
    lifecycle.loaded.catch(() => stopThread(lifecycle, closingError()));
    void lifecycle.thread.ended.then((ending) => {
      opening.reject(isClosed ? closingError() : endedWhileLoadingError(ending, memoryMb));
      const isIdle = lifecycle.calls.size === 0;
      if (current !== lifecycle) return;
      const error = crashedError(source.file, ending, memoryMb);
      void stopThread(lifecycle, error);
      // Who waits for a call or for the loading is told there.
      if (isIdle && !isClosed)
        void lifecycle.loaded.then(
          () => warn(error.text),
          () => {},
        );
    });
    return lifecycle;
  }

  function receiveMessage(
    lifecycle: Life<Kind>,
    message: FromWorker<Kind>,
    opening: PendingThread<Description<Kind>>,
  ): void {
    switch (message.type) {
      case "importing":
        opening.startClock();
        return;
      case "loaded":
        opening.resolve(message.description);
        return;
      case "refused":
        opening.reject(new DuetError({ code: "config", text: message.text }));
        return;
      case "output":
        process.stderr.write(sanitize(message.text));
        return;
      case "output-missing":
        warn(toOutputLimitLine(source.file, message.characters));
        return;
      case "pong":
        lifecycle.askedAt = undefined;
        if (lifecycle.watchedPing !== undefined && message.id >= lifecycle.watchedPing)
          lifecycle.watchedPing = undefined;
        probeThread();
        return;
      default: {
        const call = lifecycle.calls.get(message.id);
        if (call !== undefined) settleCall(call, message);
      }
    }
  }

  /** Takes it out of use; its calls fail. */
  function stopThread(
    lifecycle: Life<Kind>,
    error: DuetError,
    errorFor = (_: Call<Kind>): DuetError => error,
  ): Promise<void> {
    if (current === lifecycle) current = undefined;
    lifecycle.error ??= error;
    for (const call of [...lifecycle.calls.values()]) call.reject(errorFor(call));
    return lifecycle.thread.stop();
  }

  function pingThread(lifecycle: Life<Kind>): number {
    lastId++;
    lifecycle.askedAt ??= performance.now();
    lifecycle.thread.post({ type: "ping", id: lastId });
    return lastId;
  }

  function isBlocked({ askedAt }: Life<Kind>): boolean {
    return askedAt !== undefined && performance.now() - askedAt >= silenceMs;
  }

  /** Asks the thread again and again whether it answers, as long as anybody wants to know. */
  function probeThread(): void {
    clearTimeout(prober);
    const lifecycle = current;
    if (lifecycle === undefined || (lifecycle.calls.size === 0 && lifecycle.watchedPing === undefined)) return;
    prober = setTimeout(() => {
      lifecycle.thread.drain();
      if (current !== lifecycle) return probeThread();
      if (lifecycle.askedAt === undefined) pingThread(lifecycle);
      const isWaitedFor = [...lifecycle.calls.values()].some(({ isStarted }) => isStarted);
      // A call that somebody still waits for may keep the thread busy until its own limit.
      if (lifecycle.watchedPing !== undefined && !isWaitedFor && isBlocked(lifecycle)) {
        const error = abandonedError(source.file);
        warn(error.text);
        void stopThread(lifecycle, error);
      }
      probeThread();
    }, silenceMs / 2).unref();
  }

  function expireCall(lifecycle: Life<Kind>, call: Call<Kind>): void {
    // Our own thread may have been busy too: what has arrived meanwhile counts.
    lifecycle.thread.drain();
    if (!lifecycle.calls.has(call.id)) return;
    const late = call.options.lateError();
    if (isBlocked(lifecycle)) {
      const error = blockedError(source.file, call.options.limitMs ?? callMs);
      const other = blockedByOtherError(source.file, call.options.label);
      void stopThread(lifecycle, other, (one) => (one === call ? error : other));
    } else abandonCall(lifecycle, call, late);
  }

  /** Rejects a call that was cancelled and sends the cancellation to the thread, which is watched until it answers. */
  function abandonCall(lifecycle: Life<Kind>, call: Call<Kind>, reason: unknown): void {
    lifecycle.thread.post({ type: "abort", id: call.id, reason: toPlainError(reason) });
    call.reject(reason);
    lifecycle.watchedPing = pingThread(lifecycle);
    probeThread();
  }

  async function run(lifecycle: Life<Kind>, input: Input<Kind>, callOptions: CallOptions): Promise<Output<Kind>> {
    const { signal, limitMs = callMs } = callOptions;
    signal.throwIfAborted();
    if (lifecycle.error) throw lifecycle.error;
    lastId++;
    const { promise, resolve, reject } = Promise.withResolvers<Output<Kind>>();
    const call: Call<Kind> = { id: lastId, options: callOptions, isStarted: false, resolve, reject };
    const leave = (): void => abandonCall(lifecycle, call, signal.reason);
    const limit = setTimeout(() => expireCall(lifecycle, call), limitMs);
    lifecycle.calls.set(call.id, call);
    signal.addEventListener("abort", leave, { once: true });
    lifecycle.thread.setAwaited(true);
    try {
      lifecycle.thread.post({ type: "call", id: call.id, input });
      pingThread(lifecycle);
      probeThread();
      return await promise;
    } finally {
      clearTimeout(limit);
      signal.removeEventListener("abort", leave);
      lifecycle.calls.delete(call.id);
      if (lifecycle.calls.size === 0) lifecycle.thread.setAwaited(false);
    }
  }

  return {
    async load(onImporting) {
      if (isClosed) throw closingError();
      return (current ?? start(onImporting)).loaded;
    },
    async call(input, callOptions) {
      callOptions.signal.throwIfAborted();
      if (isClosed) throw closingError();
      const lifecycle = current ?? start();
      try {
        await waitAbortable(lifecycle.loaded, callOptions.signal);
      } catch (thrown) {
        if (!(thrown instanceof DuetError) || callOptions.signal.aborted) throw thrown;
        const { zh, en } = thrown.text;
        const text = { zh: `${source.file}: ${zh}`, en: `${source.file}: ${en}` };
        throw new DuetError({ code: "tool", text, cause: thrown });
      }
      return run(lifecycle, input, callOptions);
    },
    async close() {
      isClosed = true;
      clearTimeout(prober);
      if (current) await stopThread(current, closingError());
    },
  };
}
