import type { RunObserver } from "../../agent/open-run.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createTimeLimit, followSignal, waitAbortable } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";

/** Tracks the runs in progress, so that closing can stop them all and wait until they are saved. */
export interface ActiveRuns {
  /** Is true when no new run may begin. */
  readonly isStopped: boolean;
  /** Counts one more; its signal follows all of these. */
  begin(...outer: (AbortSignal | undefined)[]): ActiveRun;
  /** Cancels them all; resolves when the last has ended, after `limitMs` milliseconds at the latest. Never rejects. */
  stop(limitMs?: number): Promise<void>;
}

export interface ActiveRun {
  readonly signal: AbortSignal;
  /** Lets the signal follow one more. */
  follow(outer: AbortSignal | undefined): void;
  /** Does something when the run ends, or at once. */
  atEnd(work: () => void): void;
  /** Sees the end in the stream itself, whose reader may have gone away. */
  observe(observer: RunObserver | undefined): RunObserver;
  /** Marks the run as ended. It may be called more than once. */
  end(): void;
}

const longestStopMs = 2000;

export function createActiveRuns(): ActiveRuns {
  const stopping = new AbortController();
  const going = new Set<Promise<void>>();
  return {
    get isStopped() {
      return stopping.signal.aborted;
    },
    begin(...outer) {
      const controller = new AbortController();
      const unfollow = [...outer, stopping.signal].map((signal) => followSignal(controller, signal));
      const ended = Promise.withResolvers<void>();
      const atEnd: (() => void)[] = [];
      let isOver = false;
      going.add(ended.promise);
      function end(): void {
        if (isOver) return;
        isOver = true;
        for (const stop of [...unfollow, ...atEnd]) stop();
        going.delete(ended.promise);
        ended.resolve();
      }
      return {
        signal: controller.signal,
        end,
        follow: (outer) => void atEnd.push(followSignal(controller, outer)),
        atEnd(work) {
          if (isOver) work();
          else atEnd.push(work);
        },
        observe: (observer) => ({
          traceId: observer?.traceId,
          modelCalls: observer?.modelCalls,
          handle(event) {
            observer?.handle(event);
            // The last event, which comes when the run has been kept.
            if (event.type === "run-end") end();
          },
        }),
      };
    },
    async stop(limitMs = longestStopMs) {
      stopping.abort(closedError());
      if (going.size === 0) return;
      const limit = createTimeLimit(limitMs, closedError);
      await ignoreRejection(waitAbortable(Promise.all(going), limit.signal), "the time for stopping is over");
      limit.clear();
    },
  };
}

export function closedError(): DuetError {
  return new DuetError({ code: "config", text: { zh: "Duet 已关闭", en: "Duet is closed" } });
}
