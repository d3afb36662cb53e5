import type { Outcome } from "../../core/outcome.ts";
import { timeLimit, timeoutError } from "../../kit/async/timeout.ts";
import { nobody } from "../../runs/input/host-question.ts";
import { outcomeFor } from "../../runs/outcome-for.ts";
import { giveUp } from "../../runs/release-run.ts";
import type { HeldRun } from "../../runs/run-handle.ts";
import type { RunSeat } from "../../runs/run-service.ts";
import { type Attended, attend } from "../../runs/wait-for-run.ts";

export interface RunWait {
  seat: RunSeat;
  run: HeldRun;
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
export async function waitForRun({ seat, run, isKept, signal, ...wait }: RunWait): Promise<Outcome> {
  const holder = {};
  run.hold(holder);
  // Held by nobody who could leave.
  if (isKept) run.hold({});
  try {
    const attended = await (wait.isAsked
      ? endOf(run, wait.windowMs, signal)
      : attend(run, { ...wait, host: silent, means: { signal, ask: async () => nobody } }));
    // Who is told that it goes on will ask for it again.
    if (attended.end !== "ended") run.hold({});
    return await outcomeFor(seat, run, attended);
  } finally {
    if (signal.aborted) giveUp(seat, run, [holder]);
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

async function endOf(run: HeldRun, windowMs: number, signal: AbortSignal): Promise<Attended> {
  const window = timeLimit(windowMs, () => timeoutError("wait_s", windowMs), signal);
  try {
    while (run.outcome === undefined && !window.signal.aborted) await run.turned(window.signal);
    signal.throwIfAborted();
    return { end: run.outcome === undefined ? "window" : "ended" };
  } finally {
    window.clear();
  }
}
