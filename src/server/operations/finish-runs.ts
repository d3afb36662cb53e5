import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import type { FollowedRuns } from "../../runs/followed-runs.ts";
import type { RunHandle } from "../../runs/live/run-handle.ts";
import { waitForEnd } from "../../runs/live/wait-until.ts";
import type { RunRegistry } from "../../runs/run-registry.ts";
import type { InFlight } from "../http/response/in-flight.ts";
import type { Log } from "./log.ts";

export interface FinishOptions {
  runs: RunRegistry;
  followed: FollowedRuns;
  inFlight: InFlight;
  /** Limits how long runs may take to end by themselves, in milliseconds. */
  graceMs: number;
  /** Aborts when nobody wants to wait for that any more. */
  hurry?: AbortSignal | undefined;
  locale: Locale;
  log: Log;
}

/**
 * Limits how long it may take to store the cancelled runs, in milliseconds. `sendMs` limits how long it may take to send the
 * responses.
 */
const cancelMs = 2000;
const sendMs = 1000;

/**
 * Lets no run begin any more, waits for those that go on, and cancels what is left when the time is over; whoever waits for
 * an answer gets it. What waits for a person, or for the rest of a request, is not waited for. Never rejects.
 */
export async function finishRuns(options: FinishOptions): Promise<void> {
  const { runs, followed, inFlight, graceMs, hurry, locale, log } = options;
  const warnOperator = (text: Parameters<typeof say>[1]): void => log(say(locale, text), "warn");
  // Listens as long as there is something to end: whoever hurries us then waits for a moment.
  hurry?.addEventListener("abort", () => warnOperator(finishTexts.hurries), { once: true });
  const all = runs.stop();
  const cut = inFlight.cutHalfSent();
  if (cut > 0) warnOperator(finishTexts.cuts(cut));
  const leaving = all.filter((run) => run.leave());
  if (leaving.length > 0) log(say(locale, finishTexts.leaves(leaving.length)));
  const staying = all.filter((run) => !leaving.includes(run));
  const going = staying.filter((run) => !isWaiting(run));
  if (going.length > 0 && graceMs > 0) log(say(locale, finishTexts.waits(going.length, graceMs / 1000)));
  const asking = staying.filter(({ open }) => open !== undefined).length;
  if (asking > 0) warnOperator(finishTexts.givesUp(asking));
  const waitForEnds = (signal: AbortSignal) => Promise.all(all.map((run) => waitForOwnEnd(run, signal)));
  await runWithin(graceMs, (signal) => Promise.all([waitForEnds(signal), inFlight.waitUntilEmpty(signal)]), hurry);
  followed.close();
  const cutOff = leaving.filter(isActive);
  if (cutOff.length > 0) warnOperator(finishTexts.letsGo(cutOff.length));
  await Promise.all(cutOff.map((run) => ignoreRejection(run.letGo(), "the lease of this process ends by itself")));
  const late = staying.filter(isActive);
  if (late.length > 0) warnOperator(finishTexts.cancels(late.length));
  for (const run of late) run.cancel("server-ends");
  await runWithin(cancelMs, (signal) => Promise.all(all.map((run) => waitForEnd(run, signal))));
  await runWithin(sendMs, inFlight.waitUntilEmpty);
}

/** Waits for a run as long as it does something itself; one that waits for a person or for its client's tools is cancelled. */
async function waitForOwnEnd(run: RunHandle, signal: AbortSignal): Promise<void> {
  while (isActive(run) && !signal.aborted) {
    // One that another process goes on with lets its questions go itself.
    if (isWaiting(run) && !run.leave()) run.cancel("server-ends");
    await run.waitForChange(signal);
  }
}

function isWaiting({ open, clientCalls }: RunHandle): boolean {
  return open !== undefined || clientCalls.open !== undefined;
}

function isActive({ outcome }: RunHandle): boolean {
  return outcome === undefined;
}

/** The signal tells the work that its time is over, and the work must obey it. */
async function runWithin(
  ms: number,
  work: (signal: AbortSignal) => Promise<unknown>,
  hurry?: AbortSignal,
): Promise<void> {
  const limit = createTimeLimit(ms, () => timeoutError("stop", ms), hurry);
  await work(limit.signal);
  limit.clear();
}

const finishTexts = {
  waits: (count: number, seconds: number): Text => ({
    zh: `正在关闭：等待 ${count} 个运行结束，最多 ${seconds} 秒；再次发出信号则取消它们并在一秒内结束`,
    en: `closing: waiting up to ${seconds} s for ${describeCount(count)} to end; a second signal cancels them and ends the process within a second`,
  }),
  hurries: { zh: "再次收到信号：不再等待", en: "second signal: no longer waiting" },
  givesUp: (count: number): Text => ({
    zh: `已取消 ${count} 个等待用户答复的运行`,
    en: `cancelled ${describeCount(count)} waiting for a person's reply`,
  }),
  leaves: (count: number): Text => ({
    zh: `正在关闭：${count} 个运行在进行中的调用结束后交给另一个进程`,
    en: `closing: ${describeCount(count)} will go on in another process once the calls under way have ended`,
  }),
  letsGo: (count: number): Text => ({
    zh: `已交出 ${count} 个运行，其中的调用没有按时结束`,
    en: `let ${describeCount(count)} go whose calls had not ended in time`,
  }),
  cuts: (count: number): Text => ({
    zh: `已断开 ${count} 个没有发送完整的请求`,
    en: `cut ${count === 1 ? "1 request" : `${count} requests`} with an incomplete body`,
  }),
  cancels: (count: number): Text => ({
    zh: `已取消 ${count} 个未结束的运行`,
    en: `cancelled ${describeCount(count)} that had not ended in time`,
  }),
};

function describeCount(count: number): string {
  return count === 1 ? "1 run" : `${count} runs`;
}
