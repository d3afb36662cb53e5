import { openOutputSchema, outputSchemaPlace } from "../../../app/ask/answer-form.ts";
import type { Chain } from "../../../core/chain.ts";
import { toGoOnQuestion } from "../../../core/run/go-on.ts";
import type { Outcome } from "../../../core/run/outcome.ts";
import type { HostRequest } from "../../../core/store/journal.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { createTimeLimit, createWaitLimit, timeoutError, waitAbortable } from "../../../kit/async/timeout.ts";
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
 * the conversation has gone on since.
 */
export async function offerGoOn(
  scope: CallerScope,
  run: RunHandle,
  outcome: Outcome,
  receiver: OutcomeReceiver,
): Promise<RunHandle | undefined> {
  const { asked, locale } = run;
  const { host, chain, hostRequest } = receiver;
  if (outcome.limit === undefined || outcome.status !== "partial" || asked === undefined || !host.asksForms)
    return undefined;
  if (chain.depth > 0 || asked.chain.depth > 0 || !(await askToGoOn(scope, run, outcome, receiver))) return undefined;
  await checkIsNewest(scope, outcome, receiver.requestContext.signal);
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
  return next;
}

/** Returns true where the user wants to go on. A run whose place in its conversation cannot be read is offered to nobody. */
async function askToGoOn(
  { duet, caller }: CallerScope,
  run: RunHandle,
  outcome: Outcome,
  { host, requestContext: { ask, signal }, leftMs }: OutcomeReceiver,
): Promise<boolean> {
  // The window of a host of the 2026 era may be used up: it ends with this request, and the dialog comes between this one and the next.
  const limit = createWaitLimit(host.isModern ? Math.max(leftMs, leastOfferMs) : leftMs, signal);
  try {
    const looking = duet.store(caller).then((store) => isNewestRun(store, outcome));
    const isNewest = await ignoreRejection(
      waitAbortable(looking, limit.signal),
      "the next question reports what is wrong with the store",
    );
    const hasTime = host.isModern || limit.getLeftMs() >= leastOfferMs;
    // Another request for the same result may have asked meanwhile.
    if (!isNewest || !hasTime || run.isGoOnOffered) return false;
    run.isGoOnOffered = true;
    const { locale } = run;
    const partial = renderPartial(outcome, locale) ?? "";
    const message = `${partial}\n${say(locale, { zh: "要从这里继续吗？限制会重新计算。", en: "Go on from here, with the limits counted anew?" })}`;
    const form = { type: "object", properties: {} } as const;
    const reply = await ask({ kind: "form", message, form }, host.isModern ? undefined : limit.signal);
    // The host has given its request up, or could not ask.
    if (reply === undefined && (host.isModern || !limit.expired)) run.isGoOnOffered = false;
    return reply?.action === "accept";
  } finally {
    limit.clear();
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
