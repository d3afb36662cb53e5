import type { AskElicitation, Elicit, Elicitation, ElicitationReply } from "../../core/forms/elicitation.ts";
import { followSignal, waitAbortable } from "../../kit/async/timeout.ts";
import type { AskSequentially } from "./ask-person.ts";

/**
 * Puts questions of programs below to the reader, one after the other. No answer in time, a run that is cancelled and a
 * question that is withdrawn are a `cancel`; it never rejects.
 */
export function createElicit(ask: AskElicitation, askInTurn: AskSequentially): Elicit {
  async function elicit(question: Elicitation, withdrawn?: AbortSignal): Promise<ElicitationReply> {
    try {
      const reply = askInTurn(waiting, (signal) => askUntil(ask, question, [signal, withdrawn]));
      return (await waitAbortable(reply, withdrawn)) ?? unanswered;
    } catch {
      return unanswered;
    }
  }
  return Object.assign(elicit, { person: ask });
}

/** What a question gets that nobody answers. */
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

const waiting = { zh: "等待回答 MCP 服务器的问题", en: "waiting for a server's question to be answered" };
