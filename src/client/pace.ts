import { abortable, sleep } from "../core/waiting.ts";
import type { ServerSettings } from "./settings.ts";

/** Runs work within the limits of a server; waits its turn, or rejects when the signal aborts first. */
export type Pace = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** `maxConcurrent` at once, in the order they came, and starts at least `1 / callsPerSecond` seconds apart. */
export function createPace(limits: Pick<ServerSettings, "maxConcurrent" | "callsPerSecond">): Pace {
  const intervalMs = limits.callsPerSecond === undefined ? 0 : 1000 / limits.callsPerSecond;
  const waiting: (() => void)[] = [];
  let free = limits.maxConcurrent ?? Number.POSITIVE_INFINITY;
  let nextStart = 0;

  async function enter(signal: AbortSignal): Promise<void> {
    if (free > 0) {
      free -= 1;
      return;
    }
    let turn = (): void => {};
    const mine = new Promise<void>((resolve) => {
      turn = resolve;
    });
    waiting.push(turn);
    try {
      await abortable(mine, signal);
    } catch (reason) {
      const place = waiting.indexOf(turn);
      if (place === -1) leave();
      else waiting.splice(place, 1);
      throw reason;
    }
  }

  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  async function start(signal: AbortSignal): Promise<void> {
    const now = performance.now();
    const mine = Math.max(now, nextStart);
    nextStart = mine + intervalMs;
    if (mine > now) await sleep(mine - now, signal);
  }

  return async (work, signal) => {
    signal.throwIfAborted();
    await enter(signal);
    try {
      if (intervalMs > 0) await start(signal);
      return await work();
    } finally {
      leave();
    }
  };
}
