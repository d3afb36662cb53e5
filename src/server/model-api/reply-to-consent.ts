import type { Caller } from "../../core/caller.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import type { RunRegistry } from "../../runs/run-registry.ts";
import type { AnswerRequest } from "./answer/answer-request.ts";
import { findConsentCode, readConsentReply } from "./consent-question.ts";
import { type ContinuedRun, canTellAgain, describeRequest } from "./continue-run.ts";

/**
 * Has the run go on that has asked in the last answer whether a call may be made, where the request says yes or no. Only the call
 * that was asked about can run: it waits in the run, and the request names it by a code that nobody can guess. Sent again, the reply
 * finds what the run has said to it. Returns undefined where nothing waits, and where the request says anything else: the call does
 * not run then, and the request is answered as any other.
 */
export function replyToConsent(runs: RunRegistry, request: AnswerRequest, caller: Caller): ContinuedRun | undefined {
  const { history, question, files } = request.conversation;
  const code = findConsentCode(history.at(-1)?.answer ?? "");
  const run = code === undefined ? undefined : runs.findByClientCall(code, caller);
  if (run === undefined) return undefined;
  const { clientCalls } = run;
  const index = clientCalls.rounds.findIndex(({ consent }) => consent?.code === code);
  const round = clientCalls.rounds[index];
  const reply = files.length === 0 ? readConsentReply(question) : undefined;
  if (round?.consent === undefined || run.isStopping) return undefined;
  if (clientCalls.open === round) {
    if (reply === undefined) {
      run.cancel();
      return undefined;
    }
    round.key = reply;
    clientCalls.asked = describeRequest(request);
    const answering = round.consent.question.answer(reply === "yes" ? "once" : "no");
    void ignoreRejection(answering, "the question waits on, and is given up in time");
  } else if ((round.key ?? reply) !== reply || reply === undefined || !canTellAgain(run)) return undefined;
  return { run, roundIndex: index + 1 };
}
