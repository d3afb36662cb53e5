import { abortable } from "./timeout.ts";

/** So many may be inside at once; the others wait in the order they came. */
export interface Places {
  /** Rejects with the signal's reason when it aborts first; then there is nothing to leave. */
  enter(signal: AbortSignal): Promise<void>;
  leave(): void;
}

export function createPlaces(count: number): Places {
  const waiting: (() => void)[] = [];
  let free = count;

  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return {
    leave,
    async enter(signal) {
      if (free > 0) {
        free -= 1;
        return;
      }
      const { promise: mine, resolve: turn } = Promise.withResolvers<void>();
      waiting.push(turn);
      try {
        await abortable(mine, signal);
      } catch (reason) {
        const place = waiting.indexOf(turn);
        if (place === -1) leave();
        else waiting.splice(place, 1);
        throw reason;
      }
    },
  };
}
