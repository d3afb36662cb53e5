import { toModelName } from "../../core/model/model.ts";
import type { ModelSettings } from "../../core/model/model-settings.ts";
import { type ErrorCode, toSeconds } from "../../kit/errors.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";

/** The callers of one model share this state. */
export interface Endpoint {
  /** Applies to the model at its address. */
  breaker: CircuitBreaker;
  /** Limits the retries of all models at the address together. */
  budget: RetryBudget;
  /** Lists what the model at its address has refused to read. */
  refused: Set<FileKind>;
}

/** Names what a model may refuse to read beside text. */
export type FileKind = "image" | "document";

/** A model is paused because it failed for several runs in a row. */
export interface PausedModel {
  /** Holds `provider/model`. */
  model: string;
  retry_after_s: number;
  /** Holds the code of the last failure. */
  error: ErrorCode;
}

/** Holds the state of every model that was called. It is created once for a process, so that all its runs share it. */
export interface Endpoints {
  of(settings: Pick<ModelSettings, "provider" | "model" | "servedAs" | "baseUrl">): Endpoint;
  paused(): PausedModel[];
}

export function createEndpoints(options: { now?: () => number } = {}): Endpoints {
  const budgets = new Map<string, RetryBudget>();
  const breakers = new Map<string, Pick<Endpoint, "breaker" | "refused"> & { names: Set<string> }>();
  return {
    of(settings) {
      const { baseUrl, model, servedAs = model } = settings;
      const budget = budgets.get(baseUrl) ?? new RetryBudget(options);
      budgets.set(baseUrl, budget);
      const key = JSON.stringify([baseUrl, servedAs]);
      const known = breakers.get(key) ?? { breaker: new CircuitBreaker(options), refused: new Set(), names: new Set() };
      known.names.add(toModelName(settings));
      breakers.set(key, known);
      return { breaker: known.breaker, refused: known.refused, budget };
    },
    paused: () =>
      [...breakers.values()].flatMap(({ breaker, names }) => {
        const { pause } = breaker;
        if (pause === undefined) return [];
        return [...names].map((model) => ({
          model,
          retry_after_s: toSeconds(pause.leftMs),
          error: pause.last.code,
        }));
      }),
  };
}

export interface RetryBudgetOptions {
  /** Counts the retries that are always allowed within the window. */
  always?: number;
  /** Counts the retries that each first try within the window allows. */
  share?: number;
  windowMs?: number;
  /** Replaces the clock in tests, in milliseconds that never decrease. */
  now?: () => number;
}

/**
 * Limits the retries of all callers of an endpoint together. When many runs meet a failing provider, retries by each would keep
 * it down.
 */
class RetryBudget {
  #always: number;
  #share: number;
  #now: () => number;
  #tries: RollingCount;
  #retries: RollingCount;

  constructor({ always = 10, share = 0.1, windowMs = 60_000, now = () => performance.now() }: RetryBudgetOptions = {}) {
    this.#always = always;
    this.#share = share;
    this.#now = now;
    this.#tries = new RollingCount(windowMs);
    this.#retries = new RollingCount(windowMs);
  }

  /** Counts the first attempt of a call, which is never limited. */
  began(): void {
    this.#tries.add(this.#now());
  }

  /** Takes one retry from the budget; false when none is left. */
  reserve(): boolean {
    const now = this.#now();
    const allowed = Math.max(this.#always, Math.floor(this.#share * this.#tries.at(now)));
    if (this.#retries.at(now) >= allowed) return false;
    this.#retries.add(now);
    return true;
  }
}

/** Counts what happened within the last `windowMs` milliseconds, in slices of a tenth of it. */
class RollingCount {
  #sliceMs: number;
  #slices = new Map<number, number>();

  constructor(windowMs: number) {
    this.#sliceMs = windowMs / 10;
  }

  add(now: number): void {
    const slice = this.#forget(now);
    this.#slices.set(slice, (this.#slices.get(slice) ?? 0) + 1);
  }

  at(now: number): number {
    this.#forget(now);
    return this.#slices.values().reduce((sum, count) => sum + count, 0);
  }

  #forget(now: number): number {
    const current = Math.floor(now / this.#sliceMs);
    for (const slice of this.#slices.keys()) if (slice <= current - 10) this.#slices.delete(slice);
    return current;
  }
}
