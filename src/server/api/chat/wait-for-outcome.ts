import type { Outcome } from "../../../core/run/outcome.ts";
import { createTimeLimit, timeoutError } from "../../../kit/async/timeout.ts";
import { findEndOfWait, findMoved } from "../../../runs/find-moved.ts";
import type { RunHandle } from "../../../runs/live/run-handle.ts";
import { type WaitResult, waitForRun } from "../../../runs/live/wait-for-run.ts";
import { waitForEnd, waitUntil } from "../../../runs/live/wait-until.ts";
import { markDelivered, toOutcomeFor } from "../../../runs/outcomes/outcome-for.ts";
import { type CallerScope, releaseRun } from "../../../runs/run-service.ts";

export interface OutcomeWait {
  scope: CallerScope;
  run: RunHandle;
  /** Is how long to wait, in milliseconds. */
  windowMs: number;
  /** Is true when somebody answers the run's questions outside this request. */
  isAsked: boolean;
  /** Is true when a call that waits for approval may be returned as a token. */
  handsOut: boolean;
  /** Is true when the run continues without this request. */
  isKept: boolean;
  /** Aborts when whoever waits has left. */
  signal: AbortSignal;
  /** Is true where the run has left this process while the request waited for it. */
  hasLeft?: boolean | undefined;
}

/** Waits for a run on behalf of one request; one that nobody else counts on is cancelled with it. Rejects when the signal aborts. */
export async function waitForOutcome({ scope, run, isKept, signal, hasLeft, ...wait }: OutcomeWait): Promise<Outcome> {
  const waiter = {};
  const beganAt = performance.now();
  const until = findEndOfWait(scope, run, hasLeft);
  run.addWaiter(waiter, waiter);
  // Held by nobody who could leave.
  if (isKept) run.addWaiter({});
  try {
    const waitResult = await (wait.isAsked
      ? waitInWindow(run, { windowMs: wait.windowMs, signal, until })
      : waitForRun(run, {
          ...wait,
          until,
          host: silent,
          requestContext: { signal, ask: async () => undefined, hasRounds: () => true },
        }));
    const moved = waitResult.end === "ended" ? await findMoved(scope, run, signal) : undefined;
    if (moved?.kept) return moved.kept;
    if (moved) {
      const windowMs = Math.max(0, wait.windowMs - (performance.now() - beganAt));
      return await waitForOutcome({ ...wait, scope, run: moved.run, isKept, signal, windowMs, hasLeft: true });
    }
    // A caller who learns that it continues will ask for it again.
    if (waitResult.end !== "ended") {
      run.addWaiter({});
      await waitForConversation(run, signal);
    }
    const outcome = await toOutcomeFor(scope, run, waitResult);
    // Whoever has left meanwhile receives nothing.
    if (!signal.aborted) markDelivered(run, waitResult);
    return outcome;
  } finally {
    if (signal.aborted) releaseRun(scope, run, [waiter]);
    else run.removeWaiter(waiter);
  }
}

/** Limits the wait for a run to find its conversation, in milliseconds. */
const longestBeginningMs = 2000;

/** Resolves once it is known which conversation the run belongs to, which the caller needs for its next question. */
async function waitForConversation(run: RunHandle, signal: AbortSignal): Promise<void> {
  const limit = createTimeLimit(longestBeginningMs, () => timeoutError("wait_s", longestBeginningMs), signal);
  await waitUntil(run, () => run.conversationId !== "", limit.signal);
  limit.clear();
}

/** Represents a caller who cannot be asked during its request. */
const silent = {
  name: "",
  version: "",
  asksProgress: false,
  title: "",
  protocolVersion: "",
  asksForms: false,
  asksUrls: false,
  isModern: false,
  capabilities: {},
};

async function waitInWindow(
  run: RunHandle,
  { windowMs, signal, until }: { windowMs: number; signal: AbortSignal; until: AbortSignal | undefined },
): Promise<WaitResult> {
  const window = createTimeLimit(until?.aborted ? 0 : windowMs, () => timeoutError("wait_s", windowMs), signal);
  const endWindow = (): void => window.spend(window.getLeftMs());
  until?.addEventListener("abort", endWindow, { once: true });
  try {
    const outcome = await waitForEnd(run, window.signal);
    signal.throwIfAborted();
    return { end: outcome === undefined ? "window" : "ended" };
  } finally {
    until?.removeEventListener("abort", endWindow);
    window.clear();
  }
}
