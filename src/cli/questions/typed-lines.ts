import type { Interface } from "node:readline";

/** The lines that somebody types or pipes in. */
export interface TypedLines {
  /** Whether no more lines will come; those that came before may still wait. */
  readonly hasEnded: boolean;
  /** The next line; undefined when the input has ended. */
  next(): Promise<string | undefined>;
  /** The first line typed from now on: what was typed before waits for `next`. Rejects when the signal aborts. */
  fresh(signal: AbortSignal): Promise<string | undefined>;
}

/** Takes every line of `input` from now on. */
export function takeLines(input: Interface): TypedLines {
  const early: string[] = [];
  let hasEnded = false;
  let give: ((line: string | undefined) => void) | undefined;

  input.on("line", (line) => {
    if (give) give(line);
    else early.push(line);
  });
  // A terminal that went away is the end of the input; readline fails even at giving it back its mode.
  input.on("error", () => setImmediate(() => input.close()));
  input.once("close", () => {
    hasEnded = true;
    give?.(undefined);
  });

  function wait(signal?: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (hasEnded) return resolve(undefined);
      const stop = (): void => {
        give = undefined;
        reject(signal?.reason);
      };
      give = (line) => {
        give = undefined;
        signal?.removeEventListener("abort", stop);
        resolve(line);
      };
      signal?.addEventListener("abort", stop, { once: true });
    });
  }

  return {
    get hasEnded() {
      return hasEnded;
    },
    next: async () => (early.length > 0 ? early.shift() : wait()),
    fresh: wait,
  };
}
