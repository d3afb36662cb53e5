import { openJsonObject, openOutputSchema } from "../../../app/ask/answer-form.ts";
import type { AskRequest } from "../../../app/ask/ask-request.ts";
import type { Duet } from "../../../app/duet.ts";
import { openClientTools } from "../../../app/tools/client-tools.ts";
import { readChain } from "../../../core/chain-text.ts";
import { DuetError } from "../../../kit/errors.ts";
import { type Locale, removePrefix, say, type Text } from "../../../kit/locale.ts";
import { beginRun } from "../../../runs/begin-run.ts";
import type { RunHandle } from "../../../runs/live/run-handle.ts";
import { type RunService, releaseRun } from "../../../runs/run-service.ts";
import { createLeaveSignal } from "../../http/connection.ts";
import { HttpRefusalError } from "../../http/response/refusal.ts";
import type { RouteCall } from "../../http/routes.ts";
import { checkToolChoice } from "../check-tool-choice.ts";
import { collectFiles } from "../collect-files.ts";
import { type ContinuedRun, continueRun, describeRequest } from "../continue-run.ts";
import { fieldRefusedError } from "../field-refused-error.ts";
import { findModel } from "../model-names.ts";
import { replyToConsent } from "../reply-to-consent.ts";
import { beginSideRun } from "../side/side-answer.ts";
import { findSideRequest, plainSideRequest } from "../side/side-requests.ts";
import type { AnswerRequest, ReasoningDetail } from "./answer-request.ts";

/** Represents the run that answers a request, which may have ended. */
export interface OpenedAnswer {
  /** Identifies the answer. It is the run's ID for the first request of a run, and differs for those that go on with it. */
  id: string;
  request: AnswerRequest & { reasoning: ReasoningDetail };
  run: RunHandle;
  /** Counts the requests before this one that the run has answered with calls of the client's tools. */
  roundIndex: number;
  locale: Locale;
  /** Lists what the reader sees before the answer. */
  notes: readonly string[];
  /** Aborts when the client leaves before it has the whole answer. */
  left: AbortSignal;
  onFault?: RunService["onFault"];
}

/** Holds the run that answers a request, and what is told before its answer. */
interface OpenedRun extends ContinuedRun {
  notes: readonly Text[];
}

/**
 * Opens the run that answers a request: goes on with the one that waits for the request's tool results, or applies the
 * request's parameters, fetches its files and begins one. A request that a page makes for itself gets one turn of the function-call model. Throws
 * `HttpRefusalError` for what the request has wrong, and where the caller has had its share. The run is cancelled when the client
 * leaves, unless it is in the background.
 */
export async function openAnswer(service: RunService, asked: AnswerRequest, call: RouteCall): Promise<OpenedAnswer> {
  const { duet, settings } = service;
  const { conversation, isStreamed = true } = asked;
  const model = findModel(asked.model);
  const hasTools = asked.tools.length > 0;
  const side = model?.isSide
    ? plainSideRequest
    : findSideRequest({ isStreamed, hasTools, messages: conversation.said });
  const detail = asked.reasoning ?? model?.reasoning ?? settings.modelApi.reasoning;
  const request = { ...asked, reasoning: side ? ("none" as const) : detail };
  const locale = side ? duet.locale : duet.localeFor(conversation.question);
  const { run, roundIndex, notes } = side
    ? { run: await beginSideRun(service, { caller: call.caller, request, side }), roundIndex: 0, notes: [] }
    : await openRun(service, { request, locale }, call);
  return {
    id: roundIndex === 0 ? run.id : `${run.id}-${roundIndex + 1}`,
    request,
    run,
    roundIndex,
    locale,
    notes: notes.map((note) => say(locale, note)),
    onFault: service.onFault,
    left: request.isBackground ? new AbortController().signal : abortOnLeave(call, run, service),
  };
}

async function openRun(
  service: RunService,
  { request, locale }: { request: AnswerRequest; locale: Locale },
  call: RouteCall,
): Promise<OpenedRun> {
  const { duet, runs } = service;
  const { caller } = call;
  const { conversation, storage, tools } = request;
  const { question, instruction, steps, documents } = conversation;
  const consented = replyToConsent(runs, request, caller);
  if (consented) return { ...consented, notes: conversation.notes };
  const clientTools = await openClientTools(tools, {
    refuse: (index, field, text) => fieldRefusedError(request.fields.toToolField(index, field), text),
    isParallel: request.callsInParallel,
  });
  const signal = createLeaveSignal(call.connection);
  await checkToolChoice(duet, request, { clientTools, signal });
  const continued = await continueRun(runs, request, { caller, clientTools });
  if (continued) return { ...continued, notes: conversation.notes };
  const models = await chooseModelParameters(duet, request);
  const answerForm = await openAnswerForm(request);
  await runs.prepare(caller);
  // Nothing is fetched or read for a caller who has had its share.
  runs.checkAdmission(caller);
  const { attachments, history, notes } = await collectFiles(conversation, {
    field: request.fields.messages,
    duet,
    locale,
    signal,
  });
  // A person may read an answer, and reply; a program that wants JSON or comes back for it later does not.
  const asksInAnswer = request.format === undefined && storage === undefined && request.isBackground !== true;
  const run = beginRun({
    scope: { ...service, caller },
    input: {
      question,
      // A plan is gone with its run.
      mode: request.mode === "plan" && steps.length > 0 ? "agent" : request.mode,
      search: request.search,
      max_tokens: request.maxTokens,
      conversation_id: storage?.conversationId,
    },
    attachments,
    chain: readChain(undefined, undefined, call.request.headers),
    host: { asksForms: false },
    isUnattended: !asksInAnswer,
    asksInAnswer,
    locale,
    models,
    answerForm,
    given: {
      ...{ instruction, stop: request.stop, toolChoice: request.toolChoice },
      // A conversation of ours has its sources under the numbers from one on.
      ...(storage === undefined && { history, documents }),
      clientTools: tools.length > 0 ? clientTools : undefined,
      earlierSteps: steps.length > 0 ? steps : undefined,
    },
  });
  run.clientCalls.asked = describeRequest(request);
  return { run, roundIndex: 0, notes: [...conversation.notes, ...notes] };
}

/**
 * Cancels the run when its client disconnects, unless others hold the run or the configuration says otherwise. The returned
 * signal aborts on the disconnect.
 */
export function abortOnLeave({ connection }: RouteCall, run: RunHandle, service: RunService): AbortSignal {
  const gone = new AbortController();
  run.addWaiter(connection);
  connection.onClose((isWhole) => {
    if (isWhole) return void run.removeWaiter(connection);
    releaseRun(service, run, [connection]);
    gone.abort();
  });
  return gone.signal;
}

/** Throws `HttpRefusalError` (400), which names the field, for a schema that cannot be used. */
async function openAnswerForm({ format, fields }: AnswerRequest): Promise<AskRequest["answerForm"]> {
  if (format?.type !== "json_schema") return format && openJsonObject();
  try {
    return await openOutputSchema(format.schema, { field: fields.schema, code: "invalid_request" });
  } catch (thrown) {
    if (!(thrown instanceof DuetError) || thrown.code !== "invalid_request") throw thrown;
    throw new HttpRefusalError({ status: 400, text: thrown.text, hint: thrown.hint, param: fields.schema });
  }
}

/**
 * Returns the models with the client's temperature and top_p applied to the answer. Returns undefined when the client sets
 * neither, or when the answer model has no parameters. Throws `HttpRefusalError` (400) for a value that the model does not accept.
 */
async function chooseModelParameters(
  duet: Duet,
  { temperature, topP, fields }: Pick<AnswerRequest, "temperature" | "topP" | "fields">,
): Promise<AskRequest["models"]> {
  if (temperature === undefined && topP === undefined) return undefined;
  const { answer } = await duet.models.getParameters();
  const hasParameters = Object.values(answer).some((value) => value !== undefined);
  if (!hasParameters) return undefined;
  try {
    return await duet.models.open({ parameters: { answer: { temperature, topP } } });
  } catch (thrown) {
    if (!(thrown instanceof DuetError) || thrown.code !== "config") throw thrown;
    const param = thrown.text.en.includes("top_p") ? fields.topP : fields.temperature;
    const text = removePrefix(thrown.text, { zh: "answer.", en: "answer." });
    throw new HttpRefusalError({ status: 400, text, hint: thrown.hint, param });
  }
}
