import type { LimitCeilings, RunLimits } from "../../core/limits/limits.ts";
import type { Outcome } from "../../core/run/outcome.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import type { DuetError } from "../../kit/errors.ts";
import type { Mutable } from "../../kit/mutable.ts";

/** Names a part of a run that has its own time: deciding and acting, waiting for another agent, or the whole run. */
export type RunPhase = "decide" | "delegate" | "answer";

export interface RunClock {
  /** Aborts when the caller cancels the run. */
  readonly callerSignal: AbortSignal;
  /** Aborts with `callerSignal`, or at the end of the time for deciding and acting. */
  readonly decideSignal: AbortSignal;
  /** Aborts with `callerSignal`, or at the end of the time for calls to other agents. */
  readonly delegateSignal: AbortSignal;
  /** Aborts with `callerSignal`, or at the end of the time for the whole run. */
  readonly answerSignal: AbortSignal;
  /** Returns when this time will be over, in milliseconds since 1970. */
  deadline(of: RunPhase): number;
  /** Returns how much of this time is left, in milliseconds. */
  leftMs(of: RunPhase): number;
  /** Returns how much of its time the run has spent, in milliseconds. */
  getSpentMs(): number;
  /** Moves a clock that is held on to this time, in milliseconds. It never goes back. */
  advanceTo(spentMs: number): void;
  /** Gives the run its whole time once more. */
  renew(): void;
  /** Lets a clock that is held go on. */
  resume(): void;
  /** Waits for somebody without counting the wait. */
  outsideTime<T>(wait: () => Promise<T>): Promise<T>;
  /** Holds the total time of such waits, in milliseconds. */
  readonly outsideMs: number;
  /** Says which part of the run goes on now. */
  enter(phase: RunPhase): void;
  /** Has somebody asked before a time ends: `ask` resolves to the milliseconds that all times get, 0 to end. */
  holdUp(ask: (of: "decide" | "answer") => Promise<number> | undefined): void;
  clear(): void;
}

export interface ClockOptions {
  limits: Limits;
  /** Holds the time spent before the run could start, in milliseconds. */
  spentMs: number;
  callerSignal: AbortSignal;
  /** Is true where the time stands still until `resume`: that of a run whose steps are read from its records. */
  isHeld?: boolean | undefined;
}

export function createRunClock({ limits, spentMs, callerSignal, isHeld = false }: ClockOptions): RunClock {
  const total = limits.maxExecutionTimeMs;
  const rest = Math.max(0, total - spentMs);
  const outOfTimeError = (): DuetError => timeoutError({ zh: "运行", en: "the run" }, total);
  let phase: RunPhase = "decide";
  let askBefore: ((of: "decide" | "answer") => Promise<number> | undefined) | undefined;
  const createHold = (of: "decide" | "answer") => (): Promise<number> | undefined => {
    // Nobody needs time for deciding while the answer is written.
    if (of === "decide" && phase === "answer") return undefined;
    return askBefore?.(of)?.then((more) => {
      for (const [name, time] of Object.entries(times)) if (name !== of) time.extend(more);
      return more;
    });
  };
  const decideMs = Math.max(0, rest - getAnswerReserveMs(limits));
  const deciding = createTimeLimit(decideMs, outOfTimeError, callerSignal, createHold("decide"));
  const delegating = createTimeLimit(rest * (1 - delegateReserve), outOfTimeError, callerSignal);
  const answering = createTimeLimit(rest, outOfTimeError, callerSignal, createHold("answer"));
  const times = { decide: deciding, delegate: delegating, answer: answering };
  let heldTimes = isHeld ? Object.values(times).map((time) => time.pause()) : [];
  const getSpentMs = (): number => total - answering.getLeftMs();
  const clock: Mutable<RunClock> = {
    getSpentMs,
    outsideMs: 0,
    advanceTo(ms) {
      const more = ms - getSpentMs();
      if (more > 0) for (const time of Object.values(times)) time.spend(more);
    },
    renew() {
      const spentMs = getSpentMs();
      for (const time of Object.values(times)) time.extend(spentMs);
    },
    resume() {
      for (const goOn of heldTimes) goOn();
      heldTimes = [];
    },
    callerSignal,
    decideSignal: deciding.signal,
    delegateSignal: delegating.signal,
    answerSignal: answering.signal,
    deadline: (of) => Date.now() + Math.floor(times[of].getLeftMs()),
    leftMs: (of) => times[of].getLeftMs(),
    async outsideTime(wait) {
      const resume = Object.values(times).map((time) => time.pause());
      const began = performance.now();
      try {
        return await wait();
      } finally {
        clock.outsideMs += performance.now() - began;
        for (const goOn of resume) goOn();
      }
    },
    enter(next) {
      phase = next;
    },
    holdUp(ask) {
      askBefore = ask;
    },
    clear() {
      for (const time of Object.values(times)) time.clear();
    },
  };
  return clock;
}

/** Limits one run. All times are milliseconds. The rows of `core/limits/limits.ts` define the limits that settings can change. */
export interface Limits extends RunLimits {
  /** Limits how many tool calls run in parallel. */
  maxParallel: number;
  /** Lists patterns of tools that may be called again and again with the same result, as polling does. */
  repeatable: readonly string[];
  /** A result with fewer characters counts as thin. */
  minResultLength: number;
  /** Is true when the run answers as soon as a round's results are not thin, without asking the function-call model again. */
  stopWhenSufficient: boolean;
  /** With `ask`, a person is asked before a limit ends the work; without a reply it ends. It ends at once when absent. */
  onLimit?: "stop" | "ask" | undefined;
  /** Is true when an answer that is being written may pass the time limit. */
  finishAnswer?: boolean | undefined;
  /** Names what has lowered a limit: a budget of the conversation or of the day, in its own unit. */
  sources?: { readonly [Field in "tokenBudget" | "costBudget"]?: NonNullable<Outcome["limit"]> } | undefined;
  /** Names an agent beside the main one, and the limits that its own settings hold. */
  ofAgent?: { readonly name: string; readonly fields: readonly string[] } | undefined;
  /** Names the limits that the question itself has set. */
  asked?: readonly string[] | undefined;
  /** Holds what the server allows the caller at most. No person at a host raises a limit above it. */
  ceilings?: LimitCeilings | undefined;
  /** Is true when what the function-call model writes as an answer is the answer, where the answer model is the same one. */
  acceptAnswer?: boolean | undefined;
}

/**
 * Is the share of a run that is left when it stops waiting for an agent that it called. An agent writes an answer itself, so a
 * call to it may take longer than other calls: in a chain each level would otherwise lose a quarter of the time.
 */
const delegateReserve = 0.06;

/** Returns the time reserved for the answer: a quarter of the run, at most 20 s. */
export function getAnswerReserveMs(limits: Limits): number {
  return Math.min(20_000, limits.maxExecutionTimeMs / 4);
}
