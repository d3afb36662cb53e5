export interface ProgressSender {
  /** Sends one; `progress` strictly rises. Its failures are the sender's to swallow. */
  send(progress: number, message: string): void;
  /** Resolves when the last one can no longer share a read with what follows. Never rejects. */
  confirm(): Promise<void>;
}

export interface ProgressPaceOptions {
  /** Takes what there is to say now; undefined where there is nothing. */
  deliver(): string | undefined;
  /** Limits notifications to one in this time, in milliseconds. */
  intervalMs?: number | undefined;
  /** Sends a sign of life when nothing was sent for this long, in milliseconds. */
  heartbeatMs?: number | undefined;
}

/** Decides when progress is sent: at once or as soon as the interval allows, and at least once per heartbeat. */
export interface ProgressPace {
  /** Signals that there is something to send. */
  due(): void;
  /** Sets where notifications go from now on. With undefined they are not sent. */
  attach(sender: ProgressSender | undefined): void;
  /** Sends what waits for its turn; resolves when the last notification can no longer share a read with what follows. */
  settle(): Promise<void>;
}

export function createProgressPace({
  deliver,
  intervalMs = 112,
  heartbeatMs = 9_000,
}: ProgressPaceOptions): ProgressPace {
  const began = performance.now();
  let count = 0;
  let lastSent = Number.NEGATIVE_INFINITY;
  let sender: ProgressSender | undefined;
  let isUnconfirmed = false;
  let timer: NodeJS.Timeout | undefined;

  function report(message: string | undefined): void {
    clearTimeout(timer);
    if (sender === undefined) return;
    if (message !== undefined) {
      count += 1;
      lastSent = performance.now();
      isUnconfirmed = true;
      sender.send(count, message);
    }
    timer = setTimeout(sendHeartbeat, heartbeatMs);
  }

  function flush(): void {
    if (sender !== undefined) report(deliver());
  }

  function sendHeartbeat(): void {
    report(deliver() ?? `… ${Math.round((performance.now() - began) / 1000)} s`);
  }

  return {
    due() {
      if (sender === undefined) return;
      const wait = lastSent + intervalMs - performance.now();
      clearTimeout(timer);
      if (wait <= 0) flush();
      else timer = setTimeout(flush, wait);
    },
    attach(to) {
      clearTimeout(timer);
      sender = to;
      isUnconfirmed = false;
      if (sender !== undefined) timer = setTimeout(flush, 0);
    },
    async settle() {
      flush();
      clearTimeout(timer);
      if (isUnconfirmed) await sender?.confirm();
    },
  };
}
