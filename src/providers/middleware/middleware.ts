import type { Model } from "../../core/model/model.ts";
import type { ModelSettings } from "../../core/model/model-settings.ts";
import type { Locale } from "../../kit/locale.ts";
import type { Endpoint } from "./endpoints.ts";

/** Wraps a model in one concern: it returns a model that calls `next`. */
export type Middleware = (next: Model, context: ModelContext) => Model;

/** Holds what middleware knows of a model besides its calls. */
export interface ModelContext extends RetryOptions {
  settings: ModelSettings;
}

export interface RetryOptions {
  /** Is the language of notices about a call whose request names none. The default is English. */
  locale?: Locale | undefined;
  /** Limits the retries of one call. The default is 3. */
  retries?: number;
  /** Holds the state shared with the other callers of this model. */
  endpoint?: Endpoint | undefined;
  /** Replaces the wait in tests. Rejects with the signal's reason. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Replaces the random numbers in tests, from 0 to below 1. */
  random?: () => number;
}
