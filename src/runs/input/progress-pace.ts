/** Holds what one notification says. */
export interface ProgressReport {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

export interface ProgressSender {
  /** Sends one. Its failures are the sender's to swallow. */
  send(report: ProgressReport): void;
  /** Resolves when the last one can no longer share a read with what follows. Never rejects. */
  confirm(): Promise<void>;
}

export interface ProgressPaceOptions {
  /** Takes what there is to say now; undefined where there is nothing. */
  deliver(): string | undefined;
  /** Sends nothing this long, in milliseconds: the result of work that is done by then has nothing to wait for. */
  quietMs?: number | undefined;
  /** Limits notifications to one in this time, in milliseconds. */
  intervalMs?: number | undefined;
  /** Sends a sign of life when nothing was sent for this long, in milliseconds. */
  heartbeatMs?: number | undefined;
}

/** Decides when progress is sent: as soon as the quiet time is over and the interval allows, and at least once per heartbeat. */
export interface ProgressPace {
  /** Signals that there may be something to send. */
  due(): void;
  /** Counts a notification that was sent by somebody else, so that it is confirmed and puts off the next sign of life. */
  countSent(): void;
  /** Sets where notifications go from now on. With undefined they are not sent. */
  attach(sender: ProgressSender | undefined): void;
  /** Sends what waits for its turn at once. */
  flush(): void;
  /**
   * Sends nothing more, so that what waits for its turn goes on waiting for the next sender. Resolves when the last notification
   * can no longer share a read with what follows, which is at once where none was sent.
   */
  settle(): Promise<void>;
}

export function createProgressPace({
  deliver,
  quietMs = 0,
  intervalMs = 112,
  heartbeatMs = 9_000,
}: ProgressPaceOptions): ProgressPace {
  const began = performance.now();
  let count = 0;
  let lastSent = Number.NEGATIVE_INFINITY;
  /** Is since when there was no sign of life, or since when there may be one. */
  let silentSince = began + quietMs;
  let sender: ProgressSender | undefined;
  let isUnconfirmed = false;
  let timer: NodeJS.Timeout | undefined;
  /** Is true while the timer is one that sends what waits, so that further news need not set it again. */
  let isFlushComing = false;

  function schedule(run: () => void, ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(run, Math.max(0, ms));
    isFlushComing = run === flush;
  }

  function stop(): void {
    clearTimeout(timer);
    isFlushComing = false;
    sender = undefined;
  }

  function noteSent(): void {
    lastSent = performance.now();
    silentSince = lastSent;
    isUnconfirmed = true;
  }

  function report(message: string | undefined): void {
    if (sender === undefined) return;
    if (message !== undefined) {
      count += 1;
      noteSent();
      sender.send({ progress: count, message });
    }
    schedule(sendHeartbeat, Math.max(0, silentSince + heartbeatMs - performance.now()));
  }

  function flush(): void {
    if (sender !== undefined) report(deliver());
  }

  function sendHeartbeat(): void {
    report(deliver() ?? `… ${Math.round((performance.now() - began) / 1000)} s`);
  }

  return {
    flush,
    due() {
      if (sender === undefined) return;
      const wait = Math.max(began + quietMs, lastSent + intervalMs) - performance.now();
      if (wait <= 0) flush();
      else if (!isFlushComing) schedule(flush, wait);
    },
    countSent() {
      noteSent();
      if (sender !== undefined) schedule(sendHeartbeat, heartbeatMs);
    },
    attach(to) {
      stop();
      sender = to;
      isUnconfirmed = false;
      if (sender === undefined) return;
      silentSince = Math.max(began + quietMs, performance.now());
      schedule(flush, silentSince - performance.now());
    },
    async settle() {
      const last = isUnconfirmed ? sender : undefined;
      stop();
      await last?.confirm();
    },
  };
}
