import { abortable } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import type { Description, FromWorker, Input, ModuleKind, Output } from "./messages.ts";
import { type Call, type CallOptions, settleCall, toPlainError } from "./module-call.ts";
import {
  abandonedError,
  blockedByOtherError,
  blockedError,
  closingError,
  crashedError,
  endedWhileLoading,
  tooMuchOutput,
} from "./module-errors.ts";
import { createOpening, type Opening } from "./module-opening.ts";
import { type ModuleSource, type ModuleThread, startModuleThread } from "./module-thread.ts";

/** A module of the user's in a thread of its own, which is started anew by the first call after it has come to an end. */
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
  /** Is told when the module ends while nobody waits for it, and when it prints more than is shown. */
  warn: (line: Text) => void;
}

export interface ModuleLimits {
  /** Milliseconds that a module may take to load. */
  loadMs: number;
  /** Milliseconds of one call. */
  callMs: number;
  /** Megabytes of JavaScript objects that it may hold, 512 when absent; buffers are not counted. */
  memoryMb?: number;
}

/** How long a thread may leave a question unanswered before it counts as blocked, in milliseconds. */
const longestSilenceMs = 1000;

/** One thread with the calls that wait for it. */
interface Life<Kind extends ModuleKind> {
  thread: ModuleThread<Kind>;
  loaded: Promise<Description<Kind>>;
  calls: Map<number, Call<Kind>>;
  /** When the oldest unanswered ping was sent. */
  askedAt: number | undefined;
  /** The ping whose answer shows that no abandoned call blocks the thread any more. */
  watchedPing: number | undefined;
  /** Why it is over, for a call that comes too late. */
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
    const life: Life<Kind> = {
      thread: startModuleThread<Kind>(source, memoryMb, (message) => receive(life, message, opening)),
      loaded: opening.promise,
      calls: new Map(),
      askedAt: undefined,
      watchedPing: undefined,
      error: undefined,
    };
    current = life;
    life.loaded.catch(() => end(life, closingError()));
    void life.thread.ended.then((ending) => {
      opening.reject(isClosed ? closingError() : endedWhileLoading(ending, memoryMb));
      const isIdle = life.calls.size === 0;
      if (current !== life) return;
      const error = crashedError(source.file, ending, memoryMb);
      void end(life, error);
      // Who waits for a call or for the loading is told there.
      if (isIdle && !isClosed)
        void life.loaded.then(
          () => warn(error.text),
          () => {},
        );
    });
    return life;
  }

  function receive(life: Life<Kind>, message: FromWorker<Kind>, opening: Opening<Description<Kind>>): void {
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
        process.stderr.write(message.text);
        return;
      case "output-missing":
        warn(tooMuchOutput(source.file, message.characters));
        return;
      case "pong":
        life.askedAt = undefined;
        if (life.watchedPing !== undefined && message.id >= life.watchedPing) life.watchedPing = undefined;
        probe();
        return;
      default: {
        const call = life.calls.get(message.id);
        if (call !== undefined) settleCall(call, message);
      }
    }
  }

  /** Takes it out of use; its calls fail. */
  function end(life: Life<Kind>, error: DuetError, errorFor = (_: Call<Kind>): DuetError => error): Promise<void> {
    if (current === life) current = undefined;
    life.error ??= error;
    for (const call of [...life.calls.values()]) call.reject(errorFor(call));
    return life.thread.end();
  }

  function ping(life: Life<Kind>): number {
    lastId++;
    life.askedAt ??= performance.now();
    life.thread.post({ type: "ping", id: lastId });
    return lastId;
  }

  function isBlocked({ askedAt }: Life<Kind>): boolean {
    return askedAt !== undefined && performance.now() - askedAt >= silenceMs;
  }

  /** Asks the thread again and again whether it answers, as long as anybody wants to know. */
  function probe(): void {
    clearTimeout(prober);
    const life = current;
    if (life === undefined || (life.calls.size === 0 && life.watchedPing === undefined)) return;
    prober = setTimeout(() => {
      life.thread.drain();
      if (current !== life) return probe();
      if (life.askedAt === undefined) ping(life);
      const isWaitedFor = [...life.calls.values()].some(({ isStarted }) => isStarted);
      // A call that somebody still waits for may keep the thread busy until its own limit.
      if (life.watchedPing !== undefined && !isWaitedFor && isBlocked(life)) {
        const error = abandonedError(source.file);
        warn(error.text);
        void end(life, error);
      }
      probe();
    }, silenceMs / 2).unref();
  }

  function expire(life: Life<Kind>, call: Call<Kind>): void {
    // Our own thread may have been busy too: what has arrived meanwhile counts.
    life.thread.drain();
    if (!life.calls.has(call.id)) return;
    const late = call.options.lateError();
    if (isBlocked(life)) {
      const error = blockedError(source.file, callMs);
      const other = blockedByOtherError(source.file, call.options.label);
      void end(life, other, (one) => (one === call ? error : other));
    } else abandon(life, call, late);
  }

  /** Nobody waits for the call any more; it is told so, and the thread is watched until it has heard it. */
  function abandon(life: Life<Kind>, call: Call<Kind>, reason: unknown): void {
    life.thread.post({ type: "abort", id: call.id, reason: toPlainError(reason) });
    call.reject(reason);
    life.watchedPing = ping(life);
    probe();
  }

  async function run(life: Life<Kind>, input: Input<Kind>, callOptions: CallOptions): Promise<Output<Kind>> {
    const { signal } = callOptions;
    signal.throwIfAborted();
    if (life.error) throw life.error;
    lastId++;
    const { promise, resolve, reject } = Promise.withResolvers<Output<Kind>>();
    const call: Call<Kind> = { id: lastId, options: callOptions, isStarted: false, resolve, reject };
    const leave = (): void => abandon(life, call, signal.reason);
    const limit = setTimeout(() => expire(life, call), callMs);
    life.calls.set(call.id, call);
    signal.addEventListener("abort", leave, { once: true });
    life.thread.setAwaited(true);
    try {
      life.thread.post({ type: "call", id: call.id, input });
      ping(life);
      probe();
      return await promise;
    } finally {
      clearTimeout(limit);
      signal.removeEventListener("abort", leave);
      life.calls.delete(call.id);
      if (life.calls.size === 0) life.thread.setAwaited(false);
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
      const life = current ?? start();
      try {
        await abortable(life.loaded, callOptions.signal);
      } catch (thrown) {
        if (!(thrown instanceof DuetError) || callOptions.signal.aborted) throw thrown;
        const { zh, en } = thrown.text;
        const text = { zh: `${source.file}: ${zh}`, en: `${source.file}: ${en}` };
        throw new DuetError({ code: "tool", text, cause: thrown });
      }
      return run(life, input, callOptions);
    },
    async close() {
      isClosed = true;
      clearTimeout(prober);
      if (current) await end(current, closingError());
    },
  };
}
