import { sleep } from "../core/waiting.ts";

/** Sends one notification; `progress` strictly rises. Its failures are the sender's to swallow. */
export type SendProgress = (progress: number, message: string) => void;

export interface PaceOptions {
  /** Takes what there is to say now; undefined where there is nothing. */
  take(): string | undefined;
  /** At most one notification in this time, in milliseconds. */
  intervalMs?: number | undefined;
  /** A sign of life when nothing was sent for this long, in milliseconds. */
  heartbeatMs?: number | undefined;
}

/** When to send progress: at once or as soon as its turn comes, and never nothing for long. */
export interface Pace {
  /** There is something to say. */
  due(): void;
  /** Where notifications go from now on; nowhere while undefined. */
  attach(send: SendProgress | undefined): void;
  /** Sends what waits for its turn; resolves when the last notification can no longer share a read with what follows. */
  settle(): Promise<void>;
}

/** Official clients drop a notification that arrives in one read with its result; this keeps them apart. */
const settleMs = 10;

export function createPace({ take, intervalMs = 112, heartbeatMs = 9_000 }: PaceOptions): Pace {
  const began = performance.now();
  let count = 0;
  let lastSent = Number.NEGATIVE_INFINITY;
  let send: SendProgress | undefined;
  let timer: NodeJS.Timeout | undefined;

  function tell(message: string | undefined): void {
    clearTimeout(timer);
    if (send === undefined) return;
    if (message !== undefined) {
      count += 1;
      lastSent = performance.now();
      send(count, message);
    }
    timer = setTimeout(beat, heartbeatMs);
  }

  function flush(): void {
    if (send !== undefined) tell(take());
  }

  function beat(): void {
    tell(take() ?? `… ${Math.round((performance.now() - began) / 1000)} s`);
  }

  return {
    due() {
      if (send === undefined) return;
      const wait = lastSent + intervalMs - performance.now();
      clearTimeout(timer);
      if (wait <= 0) flush();
      else timer = setTimeout(flush, wait);
    },
    attach(to) {
      clearTimeout(timer);
      send = to;
      if (send !== undefined) timer = setTimeout(flush, 0);
    },
    async settle() {
      flush();
      clearTimeout(timer);
      const rest = lastSent + settleMs - performance.now();
      if (rest > 0) await sleep(rest);
    },
  };
}
