import type { AskElicitation, Elicit, Elicitation, ElicitationReply } from "../../core/forms/elicitation.ts";
import type { Approve, ApproveCall } from "../../core/tools/tool.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createTimeLimit, followSignal, timeoutError, waitAbortable } from "../../kit/async/timeout.ts";
import type { Text } from "../../kit/locale.ts";
import type { RunClock } from "../limits/run-clock.ts";

/** Limits how long a person may think about a question, in milliseconds. None of it counts as the run's time. */
const thinkingTimeMs = 10 * 60_000;

/**
 * Waits for a person's answer, outside the time of the run; undefined when there is none in time. `wait` is what is waited for,
 * for the error that the question's signal aborts with. Rejects when the run is cancelled, or as `ask` does.
 */
export function askPerson<T>(
  clock: RunClock,
  wait: Text,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const { callerSignal } = clock;
  return clock.outsideTime(async () => {
    callerSignal.throwIfAborted();
    const limit = createTimeLimit(thinkingTimeMs, () => timeoutError(wait, thinkingTimeMs), callerSignal);
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

/** Asks questions that may arrive at once in sequence: each is asked when the one before it is over. */
type AskSequentially = <T>(wait: Text, ask: (signal: AbortSignal) => Promise<T>) => Promise<T | undefined>;

/** Queues all questions of one run, whatever they are about, so that a person never sees two at once. */
export function createAskSequentially(clock: RunClock): AskSequentially {
  let before: Promise<unknown> = Promise.resolve();
  return (wait, ask) => {
    const mine = before.then(() => askPerson(clock, wait, ask));
    before = ignoreRejection(mine, "whoever asked that question is told");
    return mine;
  };
}

/** Asks about one call after the other; a reader who says nothing in time has not answered. */
export function createApprove(ask: ApproveCall, askInTurn: AskSequentially): Approve {
  return (request) => askInTurn(waiting, (signal) => ask(request, signal));
}

const waiting = { zh: "等待批准工具调用", en: "waiting for the tool call to be approved" };

/**
 * Puts questions of programs below to the reader, one after the other. No answer in time, a run that is cancelled and a
 * question that is withdrawn are a `cancel`; it never rejects.
 */
export function createElicit(ask: AskElicitation, askInTurn: AskSequentially): Elicit {
  async function elicit(question: Elicitation, withdrawn?: AbortSignal): Promise<ElicitationReply> {
    try {
      const reply = askInTurn(waitingForElicitation, (signal) => askUntil(ask, question, [signal, withdrawn]));
      return (await waitAbortable(reply, withdrawn)) ?? unanswered;
    } catch {
      return unanswered;
    }
  }
  return Object.assign(elicit, { person: ask });
}

/** Is the reply to a question that nobody answers. */
export const unanswered: ElicitationReply = { action: "cancel" };

async function askUntil(
  ask: AskElicitation,
  question: Elicitation,
  ends: readonly (AbortSignal | undefined)[],
): Promise<ElicitationReply> {
  const stop = new AbortController();
  const unfollow = ends.map((end) => followSignal(stop, end));
  try {
    stop.signal.throwIfAborted();
    return await waitAbortable(ask(question, stop.signal), stop.signal);
  } finally {
    for (const end of unfollow) end();
  }
}

const waitingForElicitation = { zh: "等待回答 MCP 服务器的问题", en: "waiting for a server's question to be answered" };
