import type { User } from "../../core/questions/user.ts";
import type { AskUser, QuestionKind, UserQuestion, UserReply } from "../../core/questions/user-question.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createTimeLimit, followSignal, timeoutError, waitAbortable } from "../../kit/async/timeout.ts";
import type { RunClock } from "../limits/run-clock.ts";

/** Limits how long a person may think about a question, in milliseconds. None of it counts as the run's time. */
const thinkingTimeMs = 10 * 60_000;

const waiting = { zh: "等待用户答复", en: "waiting for the user's reply" };

/**
 * Queues all questions of one run, whatever they are about, so that a person never sees two at once. Waiting for a reply is
 * outside the time of the run; a reader who says nothing in time has not replied. It rejects when the run is cancelled, when the
 * question's signal aborts, or as the user's `ask` does.
 */
export function createRunUser({ canAsk, ask, person, owner }: User, clock: RunClock): User {
  let before: Promise<unknown> = Promise.resolve();
  return {
    canAsk,
    person,
    owner,
    ask: (question, withdrawn) => {
      const reply = before.then(() => waitOutsideTime(clock, (signal) => askUntil(ask, question, [signal, withdrawn])));
      before = ignoreRejection(reply, "whoever asked that question is told");
      return waitAbortable(reply, withdrawn);
    },
  };
}

function waitOutsideTime<T>(clock: RunClock, ask: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const { callerSignal } = clock;
  return clock.outsideTime(async () => {
    callerSignal.throwIfAborted();
    const limit = createTimeLimit(thinkingTimeMs, () => timeoutError(waiting, thinkingTimeMs), callerSignal);
    try {
      return await waitAbortable(ask(limit.signal), limit.signal);
    } catch (thrown) {
      if (limit.expired) return undefined;
      throw thrown;
    } finally {
      limit.clear();
    }
  });
}

async function askUntil<K extends QuestionKind>(
  ask: AskUser,
  question: UserQuestion<K>,
  ends: readonly AbortSignal[],
): Promise<UserReply<K> | undefined> {
  const stop = new AbortController();
  const unfollow = ends.map((end) => followSignal(stop, end));
  try {
    stop.signal.throwIfAborted();
    return await waitAbortable(ask(question, stop.signal), stop.signal);
  } finally {
    for (const end of unfollow) end();
  }
}
