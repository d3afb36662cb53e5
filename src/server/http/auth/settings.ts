import type { Config } from "../../../config/load-config.ts";

/** `serve.http.auth` of the configuration. */
export type AuthSettings = NonNullable<Config["serve"]["http"]["auth"]>;

/** What tells the time; tests move it. */
export interface Clock {
  /** Milliseconds since 1970, by which tokens are judged. */
  now(): number;
  /** Milliseconds since some moment, never set back. */
  elapsed(): number;
}

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };
