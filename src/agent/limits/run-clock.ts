import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import type { DuetError } from "../../kit/errors.ts";

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

/** The limits of one run. All times are milliseconds. */
export interface Limits {
  /** Decide turns. */
  maxIterations: number;
  /** Tool calls over all turns. */
  maxToolCalls: number;
  /** The whole run, its answer included. */
  maxExecutionTimeMs: number;
  /** Input and output tokens of all model calls together, with those of agents below. */
  tokenBudget: number;
  /** US dollars of the same; no limit when undefined, and none on models whose price is not known. */
  costBudget?: number;
  /** Output tokens of one model turn; the model's own setting when undefined. */
  maxTokens?: number;
  /** Tool calls that run side by side. */
  maxParallel: number;
  /** Patterns of tools that may be called again and again with the same result: polling. */
  repeatable: readonly string[];
  /** Characters under which a result counts as thin. */
  minResultLength: number;
  /** Answer as soon as a round's results are not thin, without asking the function-call model again. */
  stopWhenSufficient: boolean;
}

/** The time kept back for the answer: a quarter of the run, at most 20 s. */
export function getAnswerReserveMs(limits: Limits): number {
  return Math.min(20_000, limits.maxExecutionTimeMs / 4);
}
