/** The longest message that we take from a server, in bytes. */
export const messageLimit = 10_000_000;

/** JSON values of one message, where a key counts as two: to read more takes over 50 ms, in which nothing else happens. */
export const valueLimit = 100_000;

/** The longest result that we hand on, in characters. */
export const resultLimit = 1_000_000;

/** Pages, tools and bytes of a server's list of tools. */
export const listLimits = { pages: 64, tools: 1000, bytes: 2_000_000 };

/** The deepest schema that we hand on; deeper ones break those who walk them. */
export const schemaDepthLimit = 64;

/** How long a list of tools is believed without a word from its server, in milliseconds; then a call looks again first. */
export const listBelievedMs = 5 * 60_000;

/** How long a call waits for a new list before it goes by the old one, in milliseconds. */
export const listPatienceMs = 5000;

/** Between two refreshes of a list that a server keeps announcing, in milliseconds. */
export const refreshPauseMs = 1000;

/** How long a call waits for a server that is about to be started again, in milliseconds. */
export const patienceMs = 1500;

/** Rounds of questions in one call (2026-07-28); the package's own limit is the same. */
export const mostRounds = 10;

/** Progress may keep a call alive, but never longer than this, in milliseconds. */
export function getTotalLimitMs(timeoutMs: number): number {
  return Math.max(timeoutMs, Math.min(10 * timeoutMs, 600_000));
}
