import { sleep, waitAbortable } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { type CallReply, toUnavailableReply } from "../calls/call-reply.ts";
import { ConnectionLost } from "../connection-errors.ts";
import { longestRetryWaitMs } from "../limits.ts";
import { toStartError } from "../server-errors.ts";
import { createDisposals } from "./disposals.ts";
import type { ServerInfo, ServerOffers, Session } from "./session.ts";
import type { ConnectionAttempt, StartAttempt, StartedServer } from "./start-attempt.ts";

/** Decides when a failed server is tried again: after growing pauses, and rarely once it has failed too often. */
export interface Restarts {
  /** Counts a failed start, or the loss of a server that had been ready for `livedMs`; gives the pause before the next try. */
  failed(livedMs: number): number;
  /** Is true when the server has failed so often that only a call tries it again. */
  readonly isOpen: boolean;
}

const first = 250;
const factor = 4;
const failuresToOpen = 5;

const openMs = 60_000;

/** A server that was ready for this long, in milliseconds, starts a new series of failures. */
const stableMs = 10_000;

/**
 * Waits about 0.25, 1, 4 and 16 s, then a minute, which is at most six starts a minute. Each pause varies by a quarter, so that
 * servers do not restart at the same time.
 */
export function createRestarts(random: () => number = Math.random): Restarts {
  let failures = 0;
  return {
    failed(livedMs) {
      failures = livedMs >= stableMs ? 1 : failures + 1;
      const pause = failures >= failuresToOpen ? openMs : first * factor ** (failures - 1);
      return Math.round(pause * (0.75 + random() / 2));
    },
    get isOpen() {
      return failures >= failuresToOpen;
    },
  };
}

type State =
  /** Applies before the first start; a lazy server stays idle until its first call. */
  | { state: "idle" }
  | { state: "starting"; settled: Promise<void>; attempt: StartAttempt }
  | { state: "ready"; session: Session; attempt: StartAttempt; since: number }
  | { state: "failed"; error: DuetError; retryAt: number; timer?: NodeJS.Timeout | undefined }
  | { state: "closed" };

export interface ServerState {
  state: State["state"];
  /** Holds the cause of the failure; null when the server has not failed. */
  error: DuetError | null;
  /** Is why it failed last, also while it is being started anew; null once it is ready. */
  lastError: DuetError | null;
  /** Holds the duration of the last start in milliseconds; null before the server was ready. */
  startMs: number | null;
  restarts: number;
  /** Is the time until the server is tried again, by itself or by the next call; null unless it has failed. */
  retryInMs: number | null;
  serverInfo: ServerInfo | null;
  protocolVersion: string | null;
  offers: ServerOffers;
}

/** Holds a session and the attempt that created it. */
export interface LiveSession {
  session: Session;
  attempt: ConnectionAttempt;
}

export interface ServerLifecycleOptions {
  name: string;
  /** Makes one start, which is opened and disposed of here; `onLost` is for its connection. */
  prepare(onLost: () => void): StartAttempt;
  /** Takes what a start has found, before anybody may call; may not reject. */
  applyStart(opened: StartedServer): Promise<void>;
  onReady(): void;
}

/** Starts one server, restarts it after its connection was lost, and closes it. */
export class ServerLifecycle {
  readonly #options: ServerLifecycleOptions;
  #state: State = { state: "idle" };
  #known: Pick<ServerState, "startMs" | "serverInfo" | "protocolVersion" | "offers"> = {
    startMs: null,
    serverInfo: null,
    protocolVersion: null,
    offers: { prompts: false, resources: false, completions: false },
  };
  #starts = 0;
  #newest: StartAttempt | undefined;
  #hasBeenReady = false;
  #lastError: DuetError | null = null;
  #ended: Promise<void> | undefined;
  readonly #restarts = createRestarts();
  readonly #disposals = createDisposals();

  constructor(options: ServerLifecycleOptions) {
    this.#options = options;
  }

  get state(): ServerState {
    const failed = this.#state.state === "failed" ? this.#state : undefined;
    return {
      state: this.#state.state,
      error: failed?.error ?? null,
      lastError: this.#lastError,
      restarts: Math.max(0, this.#starts - 1),
      retryInMs: failed ? Math.max(0, Math.round(failed.retryAt - performance.now())) : null,
      ...this.#known,
    };
  }

  get starts(): number {
    return this.#starts;
  }

  get session(): Session | undefined {
    return this.#state.state === "ready" ? this.#state.session : undefined;
  }

  /** Returns the end of what the process of its last start has written to stderr. */
  get words(): string {
    return this.#newest?.failureContext.words ?? "";
  }

  /** Is the error of a call under way, without the server's name, once the server is closed for good; undefined before. */
  get closedError(): DuetError | undefined {
    if (this.#state.state !== "closed") return undefined;
    const text = { zh: `连接已关闭：${closedReason.zh}`, en: `its connection was closed: ${closedReason.en}` };
    return new DuetError({ code: "server", text });
  }

  /** Starts its process before it returns; one that failed gets another try once it has rested. */
  start(): void {
    const state = this.#state;
    const isRested = state.state === "failed" && performance.now() >= state.retryAt;
    if (state.state === "idle" || isRested) this.#begin();
  }

  /** Settles when the start that is going on is over, and is undefined where none is; never rejects. */
  settled(): Promise<void> | undefined {
    return this.#state.state === "starting" ? this.#state.settled : undefined;
  }

  /**
   * Returns the session for a call, restarting a lost one first, or a reply when that takes too long. Rejects with the signal's
   * reason, or with a `DuetError` once it is closed.
   */
  async live(signal: AbortSignal): Promise<LiveSession | CallReply> {
    const { name } = this.#options;
    const earlier = this.settled();
    if (earlier) await waitAbortable(earlier, signal);
    if (this.#state.state === "failed") {
      const leftMs = this.#state.retryAt - performance.now();
      if (leftMs > longestRetryWaitMs) return toUnavailableReply(name, this.#state.error, leftMs);
      if (leftMs > 0) await sleep(leftMs, signal);
    }
    if (this.#state.state === "idle" || this.#state.state === "failed") this.#begin();
    const starting = this.settled();
    if (starting) await waitAbortable(starting, signal);
    if (this.#state.state === "ready") return this.#state;
    if (this.#state.state !== "failed") throw closedServerError(name);
    const { error, retryAt } = this.#state;
    return toUnavailableReply(name, error, retryAt - performance.now());
  }

  /** Records why the live connection was lost, and reconnects after a pause. */
  connectionLost(attempt: ConnectionAttempt, thrown: unknown): void {
    if (this.#state.state !== "ready" || this.#state.attempt !== attempt) return;
    const livedMs = performance.now() - this.#state.since;
    const error = toStartError(thrown, attempt.failureContext);
    this.#disposals.dispose(attempt);
    this.#rest(error, livedMs);
  }

  /** Starts it anew at once, whatever pause it has earned; settles when that start is over, and never rejects. */
  async restart(): Promise<void> {
    const state = this.#state;
    if (state.state === "closed") return;
    if (state.state === "ready") this.#disposals.dispose(state.attempt);
    if (state.state !== "starting") this.#begin();
    await this.settled();
  }

  /** Ends it for good, within about 2 s; never rejects. */
  close(): Promise<void> {
    this.#ended ??= this.#endAttempts();
    return this.#ended;
  }

  async #endAttempts(): Promise<void> {
    const state = this.#state;
    this.#state = { state: "closed" };
    if (state.state === "failed") clearTimeout(state.timer);
    if (state.state === "starting") {
      state.attempt.abort(closedServerError(this.#options.name));
      await state.settled;
    }
    if (state.state === "ready") this.#disposals.dispose(state.attempt);
    await this.#disposals.waitForAll();
  }

  #begin(): void {
    if (this.#state.state === "failed") clearTimeout(this.#state.timer);
    this.#starts += 1;
    const attempt = this.#options.prepare(() => this.connectionLost(attempt, new ConnectionLost()));
    const settled = attempt.open().then(
      (opened) => this.#becomeReady(opened, attempt),
      (thrown: unknown) => this.#becomeFailed(thrown, attempt),
    );
    this.#newest = attempt;
    this.#state = { state: "starting", settled, attempt };
  }

  async #becomeReady(opened: StartedServer, attempt: StartAttempt): Promise<void> {
    const { session } = opened;
    await this.#options.applyStart(opened);
    if (this.#state.state !== "starting") return this.#disposals.dispose(attempt);
    this.#known = {
      startMs: Math.round(performance.now() - attempt.began),
      serverInfo: session.serverInfo ?? null,
      protocolVersion: session.protocolVersion ?? null,
      offers: session.offers,
    };
    this.#hasBeenReady = true;
    this.#lastError = null;
    this.#state = { state: "ready", session, attempt, since: performance.now() };
    this.#options.onReady();
    // One that ended before anybody called it lost.
    if (session.isOver()) this.connectionLost(attempt, new ConnectionLost());
  }

  #becomeFailed(thrown: unknown, attempt: StartAttempt): void {
    const error = toStartError(thrown, attempt.failureContext);
    this.#disposals.dispose(attempt);
    if (this.#state.state === "starting") this.#rest(error, 0);
  }

  /**
   * Schedules a restart only for a server that has been ready, until it has failed too often; any other server is tried again by
   * the next call. The pause is at least what the server asks for, up to a minute.
   */
  #rest(error: DuetError, livedMs: number): void {
    const pauseMs = Math.max(this.#restarts.failed(livedMs), Math.min(error.retryAfterMs ?? 0, openMs));
    const isTried = this.#hasBeenReady && error.code !== "auth" && !this.#restarts.isOpen;
    const timer = isTried ? setTimeout(() => this.#begin(), pauseMs).unref() : undefined;
    this.#lastError = error;
    this.#state = { state: "failed", error, retryAt: performance.now() + pauseMs, timer };
  }
}

/** Reports a call of a server that was closed for good. */
export function closedServerError(name: string): DuetError {
  return new DuetError({
    code: "server",
    text: {
      zh: `MCP 服务器 ${name} 的连接已关闭：${closedReason.zh}`,
      en: `The connection to the MCP server ${name} is closed: ${closedReason.en}`,
    },
  });
}

/** Is why a server is closed for good. */
const closedReason: Text = {
  zh: "它的配置已更改，或 Duet 正在退出",
  en: "its configuration has changed, or Duet is ending",
};
