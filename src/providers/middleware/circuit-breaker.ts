import { DuetError, toSeconds } from "../../kit/errors.ts";

/** Represents one call to a model. Only the first outcome that is reported counts. */
export interface CircuitCall {
  answered(): void;
  failed(error: DuetError): void;
  /** Ends a call that says nothing about the model: it was cancelled, it was slow, or its own request was at fault. */
  abandon(): void;
}

export interface CircuitCaller {
  /** Tells runs apart: what one run fails of counts once, however often it tries. */
  run: unknown;
  /** Is true when a person waits for the call. */
  isInteractive?: boolean | undefined;
}

export interface Pause {
  /** Holds the milliseconds until the model is called again. */
  leftMs: number;
  last: DuetError;
}

/** Holds what is known of a failed call besides its error. */
interface Failure {
  /** Is the time at which the call began, in milliseconds. */
  began: number;
  /** It tried a model that was left alone. */
  isProbe: boolean;
  /** It began before the rest was over. */
  isEarly: boolean;
  run: unknown;
}

export interface CircuitBreakerOptions {
  /** The model is paused after this many distinct runs have failed in a row within `windowMs`. */
  runs?: number;
  windowMs?: number;
  /** Sets how long the model is paused before one call may try it again, in milliseconds. */
  restMs?: number;
  /** Replaces the clock in tests, in milliseconds that never decrease. */
  now?: () => number;
}

/**
 * Leaves a model that fails for run after run alone for a while, so that nobody waits for it in vain. All its callers
 * share one breaker. A single run never opens it, whatever it asks and however often it tries.
 */
export class CircuitBreaker {
  #runs: number;
  #windowMs: number;
  #restMs: number;
  #now: () => number;
  /** Maps each run to its last failure since the last successful call. */
  #failed = new Map<unknown, number>();
  #openUntil: number | undefined;
  #probing = false;
  #last: DuetError | undefined;
  /** Is the time at which a run was last added to those that failed. */
  #countedAt = Number.NEGATIVE_INFINITY;

  constructor({
    runs = 5,
    windowMs = 60_000,
    restMs = 15_000,
    now = () => performance.now(),
  }: CircuitBreakerOptions = {}) {
    this.#runs = runs;
    this.#windowMs = windowMs;
    this.#restMs = restMs;
    this.#now = now;
  }

  /** Is true when calls pass, and also when the next call would be the one that tries the model again. */
  get closed(): boolean {
    if (this.#openUntil === undefined) return true;
    return this.#now() >= this.#openUntil && !this.#probing;
  }

  /** Says why and for how long calls are refused. Undefined while they pass. */
  get pause(): Pause | undefined {
    if (this.closed || this.#last === undefined) return undefined;
    return { leftMs: Math.max(0, (this.#openUntil ?? 0) - this.#now()), last: this.#last };
  }

  /**
   * Lets a call pass, or throws `overloaded`. After the rest one call passes alone, and before its end that of a person
   * whose run has not failed yet; if it is answered, all do.
   */
  enter(name: string, visitor: CircuitCaller): CircuitCall {
    if (!this.closed && !this.#mayProbe(visitor)) throw this.#restError(name);
    const began = this.#now();
    const isProbe = this.#openUntil !== undefined;
    const isEarly = !this.closed;
    this.#probing ||= isProbe;
    let ended = false;
    const end = (count: () => void): void => {
      if (ended) return;
      ended = true;
      if (isProbe) this.#probing = false;
      count();
    };
    return {
      answered: () => end(() => this.#recover()),
      failed: (error) => end(() => this.#count(error, { began, isProbe, isEarly, run: visitor.run })),
      abandon: () => end(() => {}),
    };
  }

  #mayProbe({ run, isInteractive }: CircuitCaller): boolean {
    return isInteractive === true && !this.#probing && !this.#failed.has(run);
  }

  #recover(): void {
    this.#failed.clear();
    this.#openUntil = undefined;
    this.#last = undefined;
  }

  #count(error: DuetError, { began, isProbe, isEarly, run }: Failure): void {
    const now = this.#now();
    for (const [known, at] of this.#failed) if (now - at > this.#windowMs) this.#failed.delete(known);
    if (this.#failed.has(run)) this.#failed.set(run, now);
    // Calls that were under way together when one was counted tell of the same trouble: they count once.
    else if (began >= this.#countedAt) {
      this.#failed.set(run, now);
      this.#countedAt = now;
    }
    this.#last = error;
    // A person who tries the model during the rest makes it no longer for the others.
    if (isEarly) return;
    // Calls that were under way when the rest began do not make it longer.
    if (isProbe || (this.#failed.size >= this.#runs && this.closed)) this.#openUntil = now + this.#restMs;
  }

  #restError(name: string): DuetError {
    const { leftMs = 0, last } = this.pause ?? {};
    const seconds = toSeconds(leftMs);
    const { text, hint: lastHint } = last ?? { text: { zh: "", en: "" } };
    // To try again is said already, and when.
    const hint = lastHint?.en.startsWith("Try again") ? undefined : lastHint;
    const count = this.#failed.size;
    return new DuetError({
      code: "overloaded",
      text: {
        zh: `${name} 暂时不可用：最近 ${count} 次请求都失败了，${seconds} 秒后再请求它。最近一次失败：${text.zh}`,
        en: `${name} is paused for ${seconds} s, because the last ${count} requests to it failed. The last failure: ${text.en}`,
      },
      hint: {
        zh: `请在 ${seconds} 秒后再试，或换用其他模型。${hint?.zh ?? ""}`,
        en: `Try again in ${seconds} s, or use another model. ${hint?.en ?? ""}`.trimEnd(),
      },
      retryAfterMs: Math.max(1, leftMs),
      status: last?.status,
      cause: last,
    });
  }
}
