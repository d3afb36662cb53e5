import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import type { DuetError } from "../../kit/errors.ts";
import { getAnswerReserveMs, type Limits } from "./limits.ts";

/** The time of one run. */
export interface RunClock {
  /** `cancelled`, or the end of the time for deciding and acting. */
  readonly working: AbortSignal;
  /** `cancelled`, or the end of the time for the whole run. */
  readonly answering: AbortSignal;
  /** When the time for acting will be over, in milliseconds since 1970. */
  deadline(): number;
  /** How much is left of the time for deciding and acting, or of that for the whole run, in milliseconds. */
  leftMs(of: "working" | "answering"): number;
  /** Waits for somebody without counting the wait. */
  outsideTime<T>(wait: () => Promise<T>): Promise<T>;
  /** How long such waits took together, in milliseconds. */
  readonly outsideMs: number;
  clear(): void;
}

export interface ClockOptions {
  limits: Limits;
  /** How much was spent before the run could start, in milliseconds. */
  spentMs: number;
  cancelled: AbortSignal;
}

export function createRunClock({ limits, spentMs, cancelled }: ClockOptions): RunClock {
  const total = limits.maxExecutionTimeMs;
  const rest = Math.max(0, total - spentMs);
  const outOfTime = (): DuetError => timeoutError({ zh: "运行", en: "the run" }, total);
  const working = createTimeLimit(Math.max(0, rest - getAnswerReserveMs(limits)), outOfTime, cancelled);
  const answering = createTimeLimit(rest, outOfTime, cancelled);
  let outsideMs = 0;
  return {
    get outsideMs() {
      return outsideMs;
    },
    working: working.signal,
    answering: answering.signal,
    deadline: () => Date.now() + Math.floor(working.leftMs),
    leftMs: (of) => (of === "working" ? working : answering).leftMs,
    async outsideTime(wait) {
      const resume = [working.pause(), answering.pause()];
      const began = performance.now();
      try {
        return await wait();
      } finally {
        outsideMs += performance.now() - began;
        for (const goOn of resume) goOn();
      }
    },
    clear() {
      working.clear();
      answering.clear();
    },
  };
}
