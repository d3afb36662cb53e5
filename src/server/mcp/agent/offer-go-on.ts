import { openOutputSchema } from "../../../app/answer-form.ts";
import type { Chain } from "../../../core/chain.ts";
import { toGoOnQuestion } from "../../../core/go-on.ts";
import type { Outcome } from "../../../core/outcome.ts";
import type { HostRequest } from "../../../core/store/journal.ts";
import { createWaitLimit } from "../../../kit/async/timeout.ts";
import { say } from "../../../kit/locale.ts";
import { renderPartial } from "../../../render/event-lines.ts";
import { beginRun } from "../../../runs/begin-run.ts";
import type { Host } from "../../../runs/input/host.ts";
import type { RequestContext } from "../../../runs/input/pending-work.ts";
import type { RunHandle } from "../../../runs/run-handle.ts";
import type { CallerScope } from "../../../runs/run-service.ts";

/** Names the field of `agent_ask` with the form of the answer, for its errors. */
export const schemaPlace = { field: "output_schema", code: "invalid_request" } as const;

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
  { host, chain, hostRequest, requestContext, leftMs }: OutcomeReceiver,
): Promise<RunHandle | undefined> {
  const { asked, locale } = run;
  const { signal } = requestContext;
  if (outcome.limit === undefined || outcome.status !== "partial" || asked === undefined || !host.asksForms)
    return undefined;
  if (!host.isModern && leftMs < leastOfferMs) return undefined;
  if (chain.depth > 0 || asked.chain.depth > 0 || (await hasLaterRun(scope, outcome))) return undefined;
  // Another request for the same result may have asked meanwhile.
  if (run.isGoOnOffered) return undefined;
  const partial = renderPartial(outcome, locale) ?? "";
  const message = `${partial}\n${say(locale, { zh: "要从这里继续吗？限制会重新计算。", en: "Go on from here, with the limits counted anew?" })}`;
  const limit = host.isModern ? undefined : createWaitLimit(leftMs, signal);
  run.isGoOnOffered = true;
  const reply = await requestContext.ask({ kind: "form", message, form: emptyForm }, limit?.signal);
  limit?.clear();
  // The host has given its request up, or could not ask.
  if (reply === undefined && !limit?.expired) run.isGoOnOffered = false;
  if (reply?.action !== "accept") return undefined;
  const { input } = asked;
  const { output_schema: schema } = input;
  return beginRun({
    ...{ scope, host, chain, locale, hostRequest, goesOnWith: run },
    answerForm: schema && (await openOutputSchema(schema, schemaPlace)),
    input: {
      ...input,
      question: toGoOnQuestion(input.question, locale),
      conversation_id: outcome.conversation_id,
      confirmation: undefined,
      go_on: true,
    },
  });
}

const emptyForm = { type: "object", properties: {} } as const;

/** Returns true where the last run of the conversation is another one, which would be gone on with. */
async function hasLaterRun({ duet, caller }: CallerScope, outcome: Outcome): Promise<boolean> {
  const store = await duet.store(caller);
  const newest = (await store.runs({ conversationId: outcome.conversation_id })).at(-1);
  return newest !== undefined && newest.id !== outcome.run_id;
}
