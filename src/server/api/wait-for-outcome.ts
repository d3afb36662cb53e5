import type { Outcome } from "../../core/outcome.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import { noAnswer } from "../../runs/input/host-question.ts";
import { toOutcomeFor } from "../../runs/outcome-for.ts";
import { releaseRun } from "../../runs/release-run.ts";
import type { RunHandle } from "../../runs/run-handle.ts";
import type { CallerScope } from "../../runs/run-service.ts";
import { type WaitResult, waitForRun } from "../../runs/wait-for-run.ts";

export interface OutcomeWait {
  scope: CallerScope;
  run: RunHandle;
  /** How long, in milliseconds. */
  windowMs: number;
  /** Whether somebody answers the run's questions beside this request. */
  isAsked: boolean;
  /** Whether a call that waits for a person may be given out as a token. */
  handsOut: boolean;
  /** Whether the run goes on without this request. */
  isKept: boolean;
  /** Aborts when whoever waits has left. */
  signal: AbortSignal;
}

/** Waits for a run on behalf of one request; one that nobody else counts on is cancelled with it. Rejects when the signal aborts. */
export async function waitForOutcome({ scope, run, isKept, signal, ...wait }: OutcomeWait): Promise<Outcome> {
  const holder = {};
  run.hold(holder);
  // Held by nobody who could leave.
  if (isKept) run.hold({});
  try {
    const waitResult = await (wait.isAsked
      ? endOf(run, wait.windowMs, signal)
      : waitForRun(run, { ...wait, host: silent, requestContext: { signal, ask: async () => noAnswer } }));
    // Who is told that it goes on will ask for it again.
    if (waitResult.end !== "ended") run.hold({});
    return await toOutcomeFor(scope, run, waitResult);
  } finally {
    if (signal.aborted) releaseRun(scope, run, [holder]);
    else run.release(holder);
  }
}

/** A caller to whom no question can be put in the middle of its request. */
const silent = {
  name: "",
  title: "",
  asksForms: false,
  asksUrls: false,
  isModern: false,
  capabilities: {},
};

async function endOf(run: RunHandle, windowMs: number, signal: AbortSignal): Promise<WaitResult> {
  const window = createTimeLimit(windowMs, () => timeoutError("wait_s", windowMs), signal);
  try {
    while (run.outcome === undefined && !window.signal.aborted) await run.waitForChange(window.signal);
    signal.throwIfAborted();
    return { end: run.outcome === undefined ? "window" : "ended" };
  } finally {
    window.clear();
  }
}
