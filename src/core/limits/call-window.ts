/** Nobody is left without a word for longer than this, in seconds. */
const longestWindow = 3600;

/**
 * Returns after how long a call has to return `running` to a host that gives up after `timeoutSeconds`, in seconds. A sixth of the time
 * is left for the way back: at least a second, at most ten, and never more than half of it. Windows are half seconds, because measured
 * time-outs are.
 */
export function toWindowSeconds(timeoutSeconds: number): number {
  const reserve = Math.min(10, Math.max(1, timeoutSeconds / 6));
  return Math.min(longestWindow, Math.max(timeoutSeconds / 2, Math.floor(2 * (timeoutSeconds - reserve)) / 2));
}
