import { openOutputSchema, outputSchemaPlace } from "../../../app/ask/answer-form.ts";
import type { Chain } from "../../../core/chain.ts";
import { isNotGoneOn } from "../../../core/notices/outcome-notices.ts";
import { toGoOnQuestion } from "../../../core/run/go-on.ts";
import type { Outcome } from "../../../core/run/outcome.ts";
import type { HostRequest } from "../../../core/store/journal.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import {
  createTimeLimit,
  createWaitLimit,
  type TimeLimit,
  timeoutError,
  waitAbortable,
} from "../../../kit/async/timeout.ts";
import { DuetError } from "../../../kit/errors.ts";
import { say } from "../../../kit/locale.ts";
import { renderPartial } from "../../../render/event-lines.ts";
import { beginRun } from "../../../runs/begin-run.ts";
import type { Host } from "../../../runs/input/host.ts";
import type { RequestContext } from "../../../runs/input/pending-work.ts";
import type { RunHandle } from "../../../runs/live/run-handle.ts";
import { isNewestRun } from "../../../runs/outcomes/outcome-for.ts";
import type { CallerScope } from "../../../runs/run-service.ts";

/** Holds the request of a host that has received a run's outcome. */
export interface OutcomeReceiver {
  host: Host;
  chain: Chain;
  hostRequest: HostRequest | undefined;
  requestContext: RequestContext;
  /** Is how long the request may still last, in milliseconds. */
  leftMs: number;
}

/** A dialog that closes before a person has read it asks nothing. In milliseconds. */
const leastOfferMs = 2000;

/**
 * Offers the host's user, once, to go on with a run that has reached a limit, for `leftMs` milliseconds at most; a host of the 2026 era
 * asks between two requests, where no clock of its own runs. Returns the new run, in the same conversation; undefined where nobody can
 * be asked or wants it, where too little time is left for a reply, where another agent has asked for the run or its result, and where
 * the conversation has gone on since. Where another request for the same result has asked, its user's reply counts for this one.
 */
export async function offerGoOn(
  scope: CallerScope,
  run: RunHandle,
  outcome: Outcome,
  receiver: OutcomeReceiver,
): Promise<RunHandle | undefined> {
  if (outcome.limit === undefined || outcome.status !== "partial" || isNotGoneOn(outcome)) return undefined;
  const { host, requestContext, leftMs } = receiver;
  // The window of a host of the 2026 era may be used up: it ends with this request, and the dialog comes between this one and the next.
  const limit = createWaitLimit(host.isModern ? Math.max(leftMs, leastOfferMs) : leftMs, requestContext.signal);
  try {
    while (run.goOnOffer || (await canOffer(scope, run, outcome, { ...receiver, limit }))) {
      // It may have been made while the store was read.
      const offer = run.goOnOffer;
      if (offer === undefined) return await makeOffer(scope, run, outcome, { ...receiver, limit });
      const nextId = await ignoreRejection(waitAbortable(offer, limit.signal), "the window is over");
      // A dialog that nobody could reply to is taken back, and this request asks.
      if (run.goOnOffer === offer) return nextId === undefined ? undefined : scope.runs.find(nextId, scope.caller);
    }
    return undefined;
  } finally {
    limit.clear();
  }
}

interface OfferReceiver extends OutcomeReceiver {
  limit: TimeLimit;
}

/** Returns true where the host's user can be asked. A run whose place in its conversation cannot be read is offered to nobody. */
async function canOffer(
  { duet, caller }: CallerScope,
  { asked }: RunHandle,
  outcome: Outcome,
  { host, chain, limit }: OfferReceiver,
): Promise<boolean> {
  if (asked === undefined || !host.asksForms || chain.depth > 0 || asked.chain.depth > 0) return false;
  const looking = duet.store(caller).then((store) => isNewestRun(store, outcome));
  const isNewest = await ignoreRejection(
    waitAbortable(looking, limit.signal),
    "the next question reports what is wrong with the store",
  );
  return isNewest === true && (host.isModern || limit.getLeftMs() >= leastOfferMs);
}

/** Asks the host's user, and goes on where that is wanted. Rejects where it is wanted and cannot be. */
async function makeOffer(
  scope: CallerScope,
  run: RunHandle,
  outcome: Outcome,
  { host, chain, hostRequest, requestContext: { ask, signal }, limit }: OfferReceiver,
): Promise<RunHandle | undefined> {
  const { asked, locale } = run;
  if (asked === undefined) return undefined;
  const offer = Promise.withResolvers<string | undefined>();
  run.goOnOffer = offer.promise;
  try {
    const partial = renderPartial(outcome, locale) ?? "";
    const message = `${partial}\n${say(locale, { zh: "要从这里继续吗？限制会重新计算。", en: "Go on from here, with the limits counted anew?" })}`;
    const form = { type: "object", properties: {} } as const;
    const reply = await ask({ kind: "form", message, form }, host.isModern ? undefined : limit.signal);
    // The host has given its request up, or could not ask.
    if (reply === undefined && (host.isModern || !limit.expired)) run.goOnOffer = undefined;
    if (reply?.action !== "accept") return undefined;
    await checkIsNewest(scope, outcome, signal);
    const { input } = asked;
    const { output_schema: schema } = input;
    const next = beginRun({
      ...{ scope, host, chain, locale, hostRequest, goesOnWith: run },
      answerForm: schema && (await openOutputSchema(schema, outputSchemaPlace)),
      input: {
        ...input,
        question: toGoOnQuestion(input.question, locale),
        conversation_id: outcome.conversation_id,
        confirmation: undefined,
        go_on: true,
      },
    });
    next.earlier = outcome;
    offer.resolve(next.id);
    return next;
  } finally {
    offer.resolve(undefined);
  }
}

/** The dialog may have stood open for minutes. Throws where another question has been answered in the conversation meanwhile. */
async function checkIsNewest({ duet, caller }: CallerScope, outcome: Outcome, signal: AbortSignal): Promise<void> {
  const what = { zh: "读取对话", en: "reading the conversation" };
  const limit = createTimeLimit(longestCheckMs, () => timeoutError(what, longestCheckMs), signal);
  try {
    const looking = duet.store(caller).then((store) => isNewestRun(store, outcome));
    if (!(await waitAbortable(looking, limit.signal))) throw movedOnError();
  } finally {
    limit.clear();
  }
}

/** Limits how long that is looked for, in milliseconds. */
const longestCheckMs = 5000;

function movedOnError(): DuetError {
  return new DuetError({
    code: "invalid_request",
    text: {
      zh: "询问期间，这个对话里又回答了别的问题。",
      en: "Another question has been answered in this conversation meanwhile.",
    },
  });
}
