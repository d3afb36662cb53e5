/** The longest message that we take from a server, in bytes. */
export const messageLimit = 10_000_000;

/** The longest result that we hand on, in characters. */
export const resultLimit = 1_000_000;

/** Pages, tools and bytes of a server's list of tools. */
export const listLimits = { pages: 64, tools: 1000, bytes: 5_000_000 };

/** The deepest schema that we hand on; deeper ones break those who walk them. */
export const schemaDepthLimit = 64;

/** The time between two attempts to start a server that failed, in milliseconds. */
export const restartPauseMs = 5000;

/** Progress may keep a call alive, but never longer than this, in milliseconds. */
export function totalLimitMs(timeoutMs: number): number {
  return Math.max(timeoutMs, Math.min(10 * timeoutMs, 600_000));
}
