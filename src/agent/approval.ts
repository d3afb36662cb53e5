import type { Approve, ApproveCall } from "../core/permission.ts";
import { abortable, timeLimit, timeoutError } from "../core/waiting.ts";
import type { RunClock } from "./run-clock.ts";

/** How long a reader may think about a call, in milliseconds; none of it is the run's time. */
const thinkingTimeMs = 10 * 60_000;

/** Asks about one call after the other, outside the time of the run; a reader who says nothing in time has not answered. */
export function createApprove(ask: ApproveCall, clock: RunClock, cancelled: AbortSignal): Approve {
  let before: Promise<unknown> = Promise.resolve();
  const askInTime: Approve = async (request) => {
    cancelled.throwIfAborted();
    const reason = () =>
      timeoutError({ zh: "等待批准工具调用", en: "waiting for the tool call to be approved" }, thinkingTimeMs);
    const limit = timeLimit(thinkingTimeMs, reason, cancelled);
    try {
      return await abortable(ask(request, limit.signal), limit.signal);
    } catch (thrown) {
      if (limit.expired) return undefined;
      throw thrown;
    } finally {
      limit.clear();
    }
  };
  return (request) => {
    const mine = before.then(() => clock.outsideTime(() => askInTime(request)));
    before = mine.catch(() => {});
    return mine;
  };
}
