import type { Config } from "../../../config/config.ts";

/** Is `serve.http.auth` of the configuration. */
export type AuthSettings = NonNullable<Config["serve"]["http"]["auth"]>;

/** Tells the time. Tests replace it. */
export interface Clock {
  /** Returns milliseconds since 1970. Tokens are checked against it. */
  now(): number;
  /** Returns milliseconds since an arbitrary moment, and never goes back. */
  elapsed(): number;
}

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };
