import { isDeepStrictEqual } from "node:util";
import type { StoredRuns } from "../../app/conversations/stored-runs.ts";
import type { ElicitationReply } from "../../core/forms/elicitation.ts";
import type { AskedQuestion } from "../../core/store/run-mailbox.ts";
import type { Text } from "../../kit/locale.ts";
import { findReplyProblem, fromElicitationReply } from "../../render/questions/elicitation-wording.ts";
import type { NamedQuestion } from "../input/request-state.ts";
import type { RunHandle } from "../live/run-handle.ts";
import { applyHostReply } from "./ask-question.ts";

/** Is a host's answer to a question that this process may not have put to it. */
export interface HostAnswer {
  run: Pick<RunHandle, "id" | "open" | "answered" | "outcome" | "isDelivered">;
  question: NamedQuestion;
  reply: ElicitationReply | undefined;
}

/** Is what has become of it. A reply with a problem does not count, and the question still waits. */
export interface TakenReply {
  problem?: Text | undefined;
}

/**
 * Gives a run the answer to its question. Undefined where another answer counts, or nobody has asked that. An answer that counts already is
 * taken, too, until somebody has got the outcome from this process: a host sends its request again where the result was lost.
 */
export async function takeHostReply(
  storedRuns: Pick<StoredRuns, "openShared">,
  { run, question: { isAbout }, reply }: HostAnswer,
): Promise<TakenReply | undefined> {
  const { open } = run;
  if (open && isAbout(open.id)) {
    const problem = reply && findReplyProblem(open.question, reply);
    if (problem !== undefined || (await applyHostReply(open, reply))) return { problem };
  }
  const shared = await storedRuns.openShared();
  const findPosted = async (): Promise<AskedQuestion | undefined> =>
    (await shared.listQuestions(run.id)).find(({ id }) => isAbout(id));
  const posted = await findPosted();
  // The process that has just taken the run over has not asked again yet.
  if (posted && posted.answer === undefined && run.outcome === undefined) {
    const given = reply && fromElicitationReply(posted.question, reply);
    if (given === undefined) return { problem: reply && findReplyProblem(posted.question, reply) };
    if (await shared.answer(run.id, posted.id, given)) return {};
  }
  if (run.isDelivered) return undefined;
  const answered = run.answered.find(({ id }) => isAbout(id)) ?? (await findPosted());
  return answered && isAnswer(answered, reply) ? {} : undefined;
}

function isAnswer({ question, answer }: AskedQuestion, reply: ElicitationReply | undefined): boolean {
  const given = reply && fromElicitationReply(question, reply);
  return given !== undefined && answer !== undefined && isDeepStrictEqual(given, answer.reply);
}
