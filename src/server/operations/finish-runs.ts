import { type Locale, say } from "../../core/locale.ts";
import { timeLimit, timeoutError } from "../../core/waiting.ts";
import type { InFlight } from "../http/in-flight.ts";
import type { HeldRun } from "../runs/held-run.ts";
import type { RunRegistry } from "../runs/registry.ts";
import type { Log } from "./log.ts";

export interface FinishOptions {
  runs: RunRegistry;
  inFlight: InFlight;
  /** How long runs may take to end by themselves, in milliseconds. */
  graceMs: number;
  locale: Locale;
  log: Log;
}

/** What a cancelled run may take to be kept, and an answer to be sent, in milliseconds. */
const cancelMs = 2000;
const sendMs = 1000;

/**
 * Lets no run begin any more, waits for those that go on, and cancels what is left when the time is over; whoever waits for
 * an answer gets it. Never rejects.
 */
export async function finishRuns({ runs, inFlight, graceMs, locale, log }: FinishOptions): Promise<void> {
  const going = runs.stop();
  const allEnded = (signal: AbortSignal) => Promise.all(going.map((run) => runs.ended(run, signal)));
  if (going.length > 0 && graceMs > 0) log(say(locale, waits(going.length, graceMs / 1000)));
  await within(graceMs, (signal) => Promise.all([allEnded(signal), inFlight.settled(signal)]));
  const late = going.filter(goesOn);
  if (late.length > 0) log(say(locale, cancels(late.length)), "warn");
  for (const run of late) run.cancel();
  await within(cancelMs, allEnded);
  await within(sendMs, inFlight.settled);
}

function goesOn({ outcome }: HeldRun): boolean {
  return outcome === undefined;
}

/** The work sees the end of its time by the signal, and obeys it. */
async function within(ms: number, work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const limit = timeLimit(ms, () => timeoutError("stop", ms));
  await work(limit.signal);
  limit.clear();
}

function waits(count: number, seconds: number) {
  return {
    zh: `正在关闭：等待 ${count} 个运行结束，最多 ${seconds} 秒；再次发出信号则立即结束`,
    en: `closing: waiting up to ${seconds} s for ${runsOf(count)} to end; a second signal ends the process at once`,
  };
}

function cancels(count: number) {
  return { zh: `已取消 ${count} 个未结束的运行`, en: `cancelled ${runsOf(count)} that had not ended in time` };
}

function runsOf(count: number): string {
  return count === 1 ? "1 run" : `${count} runs`;
}
