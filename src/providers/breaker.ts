import { DuetError } from "../core/errors.ts";

/** One call to an endpoint; what it is told first counts. */
export interface Passage {
  answered(): void;
  failed(error: DuetError): void;
  /** The call says nothing about the endpoint: it was stopped, or refused for its own fault. */
  left(): void;
}

export interface BreakerOptions {
  /** Failures in a row after which the endpoint is left alone. */
  failures?: number;
  /** How long it is left alone before one call may try it again, in milliseconds. */
  restMs?: number;
  /** For tests: milliseconds that only grow. */
  now?: () => number;
}

/** Two whole calls with all their retries. */
const failuresInARow = 8;
const restMs = 15_000;

/** Leaves an endpoint that keeps failing alone for a while, so that nobody waits for it in vain; all its callers share one. */
export class Breaker {
  #limit: number;
  #restMs: number;
  #now: () => number;
  #failures = 0;
  #openUntil: number | undefined;
  #probing = false;
  #last: DuetError | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(options: BreakerOptions = {}) {
    this.#limit = options.failures ?? failuresInARow;
    this.#restMs = options.restMs ?? restMs;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Whether calls pass; also true when the next would be the one that tries the endpoint again. */
  get closed(): boolean {
    if (this.#openUntil === undefined) return true;
    return this.#now() >= this.#openUntil && !this.#probing;
  }

  /** Lets a call pass, or throws `overloaded`. After the rest one call passes alone; if it is answered, all do. */
  enter(name: string): Passage {
    if (!this.closed) throw this.#restError(name);
    const began = this.#now();
    const isProbe = this.#openUntil !== undefined;
    this.#probing = isProbe;
    let ended = false;
    const end = (count: () => void): void => {
      if (ended) return;
      ended = true;
      if (isProbe) this.#probing = false;
      count();
    };
    return {
      answered: () => end(() => this.#recover()),
      failed: (error) => end(() => this.#count(error, began)),
      left: () => end(() => {}),
    };
  }

  #recover(): void {
    this.#failures = 0;
    this.#openUntil = undefined;
    this.#last = undefined;
  }

  #count(error: DuetError, began: number): void {
    // Calls that were under way together when one failed tell of the same trouble: they count once.
    if (began >= this.#lastAt) this.#failures++;
    this.#last = error;
    this.#lastAt = this.#now();
    // Calls that were under way when the rest began do not make it longer.
    if (this.#failures >= this.#limit && this.closed) this.#openUntil = this.#now() + this.#restMs;
  }

  #restError(name: string): DuetError {
    const seconds = Math.max(1, Math.ceil(((this.#openUntil ?? 0) - this.#now()) / 1000));
    const { text, hint: last } = this.#last ?? { text: { zh: "", en: "" } };
    // To try again is said already, and when.
    const hint = last?.en.startsWith("Try again") ? undefined : last;
    return new DuetError({
      code: "overloaded",
      text: {
        zh: `${name} 连续失败 ${this.#failures} 次，暂停请求 ${seconds} 秒。最近一次：${text.zh}`,
        en: `${name} failed ${this.#failures} times in a row and is not asked for ${seconds} s. The last failure: ${text.en}`,
      },
      hint: {
        zh: `请在 ${seconds} 秒后再试，或换用其他模型。${hint?.zh ?? ""}`,
        en: `Try again in ${seconds} s, or use another model. ${hint?.en ?? ""}`.trimEnd(),
      },
      cause: this.#last,
    });
  }
}
