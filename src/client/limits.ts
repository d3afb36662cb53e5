/** Limits a message from a server, in bytes. */
export const messageLimit = 10_000_000;

/** Limits the JSON values of one message, where a key counts as two: reading more would block the process for over 50 ms. */
export const valueLimit = 100_000;

/** Limits a result that is passed on, in characters. */
export const resultLimit = 1_000_000;

/** Limits the pages, tools and bytes of a server's list of tools. */
export const listLimits = { pages: 64, tools: 1000, bytes: 2_000_000 };

/** Limits the depth of a schema that is passed on; deeper ones break the programs that traverse them. */
export const schemaDepthLimit = 64;

/** Limits the age of a list of tools without news from its server, in milliseconds; after that, a call fetches it again first. */
export const listBelievedMs = 5 * 60_000;

/** Limits how long a call waits for a new list before it uses the old one, in milliseconds. */
export const listPatienceMs = 5000;

/** Is the pause between two refreshes of a list that a server keeps announcing, in milliseconds. */
export const refreshPauseMs = 1000;

/** Limits how long a call waits for a server that is about to be restarted, in milliseconds. */
export const longestRetryWaitMs = 1500;

/** Limits how long a call that was refused for now waits until it is sent once more, in milliseconds. The model decides about longer waits. */
export const longestPauseMs = 2000;

/** Limits the rounds of questions in one call (2026-07-28); the package's own limit is the same. */
export const mostRounds = 10;

/**
 * Returns how long progress reports may keep a call alive, in milliseconds: ten times its time limit, but at most ten minutes
 * unless the time limit itself is longer.
 */
export function getTotalLimitMs(timeoutMs: number): number {
  return Math.max(timeoutMs, Math.min(10 * timeoutMs, 600_000));
}
