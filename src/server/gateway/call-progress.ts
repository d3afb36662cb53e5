import { printableLine } from "../../core/printable.ts";
import { sleep } from "../../core/waiting.ts";

/** Sends one notification; `progress` strictly rises. Its failures are the sender's to swallow. */
export type SendProgress = (progress: number, message: string) => void;

/** The progress of one call for the host, over all the requests that carry it; only the newest line counts. */
export interface CallProgress {
  tell(line: string): void;
  /** Where notifications go from now on; nowhere while undefined. */
  attach(send: SendProgress | undefined): void;
  /** Sends what waits for its turn; resolves when the last notification can no longer share a read with what follows. */
  settle(): Promise<void>;
}

export interface CallProgressOptions {
  /** At most one notification in this time, in milliseconds. */
  intervalMs?: number;
  /** A sign of life when nothing was sent for this long, in milliseconds. */
  heartbeatMs?: number;
}

/** Official clients drop a notification that arrives in one read with its result; this keeps them apart. */
const settleMs = 10;
const longestLine = 500;

export function createCallProgress({ intervalMs = 112, heartbeatMs = 9_000 }: CallProgressOptions = {}): CallProgress {
  const began = performance.now();
  let count = 0;
  let lastSent = Number.NEGATIVE_INFINITY;
  let line: string | undefined;
  let send: SendProgress | undefined;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    if (send === undefined) return;
    if (line !== undefined) {
      count += 1;
      lastSent = performance.now();
      const message = line;
      line = undefined;
      send(count, message);
    }
    timer = setTimeout(beat, heartbeatMs);
  }

  function beat(): void {
    line ??= `… ${Math.round((performance.now() - began) / 1000)} s`;
    flush();
  }

  return {
    tell(text) {
      line = printableLine(text).slice(0, longestLine);
      if (send === undefined) return;
      const wait = lastSent + intervalMs - performance.now();
      clearTimeout(timer);
      if (wait <= 0) flush();
      else timer = setTimeout(flush, wait);
    },
    attach(to) {
      clearTimeout(timer);
      send = to;
      if (send !== undefined)
        timer = setTimeout(line === undefined ? beat : flush, line === undefined ? heartbeatMs : 0);
    },
    async settle() {
      if (line !== undefined) flush();
      clearTimeout(timer);
      const rest = lastSent + settleMs - performance.now();
      if (rest > 0) await sleep(rest);
    },
  };
}
