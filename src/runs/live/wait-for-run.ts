import { createTimeLimit, createWaitLimit, type TimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import type { Text } from "../../kit/locale.ts";
import type { Host } from "../input/host.ts";
import type { RequestContext } from "../input/pending-work.ts";
import { askQuestion, canAsk, mostInvalidReplies } from "../questions/ask-question.ts";
import type { OpenQuestion } from "../questions/open-question.ts";
import type { RunHandle } from "./run-handle.ts";

export interface WaitOptions {
  host: Host;
  requestContext: RequestContext;
  /** Is how long the request may last, in milliseconds. */
  windowMs: number;
  /** Is true when a call that waits for approval may be returned as a token because the host cannot ask. */
  handsOut: boolean;
  /** Ends the wait as its window does. */
  until?: AbortSignal | undefined;
  problem?: ReplyProblem | undefined;
}

/** Says why the reply that the host has given to a question is not valid. */
export interface ReplyProblem {
  text: Text;
  isAbout(questionId: string): boolean;
}

/** Says why a request stops waiting for its run. */
export type WaitResult =
  | { end: "ended" }
  /** The run continues. */
  | { end: "window" }
  /** The host's model should ask its user and then call again. */
  | { end: "confirm"; open: OpenQuestion<"call"> };

/**
 * Waits for a run on behalf of one request, and puts the run's questions to the host's user. Rejects with the signal's
 * reason when the request is cancelled.
 */
export async function waitForRun(
  run: RunHandle,
  { host, requestContext, windowMs, handsOut, until, problem }: WaitOptions,
): Promise<WaitResult> {
  const createWindow = () =>
    createTimeLimit(until?.aborted ? 0 : windowMs, () => timeoutError("agent_ask", windowMs), requestContext.signal);
  let window = createWindow();
  const endWindow = (): void => window.spend(window.getLeftMs());
  until?.addEventListener("abort", endWindow, { once: true });
  let opening: TimeLimit | undefined;
  try {
    for (;;) {
      requestContext.signal.throwIfAborted();
      if (run.outcome !== undefined) return { end: "ended" };
      const { open } = run;
      const isAskable = open !== undefined && canAsk(host, open);
      if (open?.kind === "call" && !isAskable && handsOut) return { end: "confirm", open };
      if (window.expired) {
        if (hasConversation(run) || until?.aborted || opening?.expired) return { end: "window" };
        opening ??= createWaitLimit(openingMs, requestContext.signal);
        await run.waitForChange(opening.signal);
        continue;
      }
      // A host that took the question along may never come back, and its user must not lose it.
      const isTaken = open?.isAsked && !(isAskable && open.isInResult);
      if (open === undefined || isTaken) {
        await run.waitForChange(window.signal);
        continue;
      }
      if (!isAskable) {
        await open.withdraw();
        // Somebody else's reply was quicker, and comes from another process.
        if (!open.closed.aborted) await run.waitForChange(window.signal);
        continue;
      }
      // A host that gives its request up tells nobody what the run waits for.
      if (!requestContext.hasRounds(mostInvalidReplies)) return { end: "window" };
      // In between two requests of a host of the 2026 era no clock of its own runs.
      if (host.isModern) window.clear();
      const { signal } = host.isModern ? requestContext : window;
      const own = problem?.isAbout(open.id) ? problem.text : undefined;
      const audience = { id: run.id, locale: run.locale, isModern: host.isModern, problem: own };
      problem = undefined;
      await askQuestion(open, audience, requestContext.ask, signal);
      if (host.isModern) window = createWindow();
    }
  } finally {
    until?.removeEventListener("abort", endWindow);
    window.clear();
    opening?.clear();
  }
}

/** Limits how long a request without a window waits for the conversation of its run, which it tells its caller, in milliseconds. */
const openingMs = 1000;

function hasConversation({ conversationId, events }: RunHandle): boolean {
  return conversationId !== "" || events.length > 0;
}
