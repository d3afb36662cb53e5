import { openJsonObject, openOutputSchema } from "../../app/answer-form.ts";
import type { AskRequest } from "../../app/ask-request.ts";
import type { Duet } from "../../app/duet.ts";
import type { Caller } from "../../core/caller.ts";
import { readChain } from "../../core/chain-text.ts";
import { DuetError } from "../../kit/errors.ts";
import { type Locale, removePrefix, say, type Text } from "../../kit/locale.ts";
import { beginRun } from "../../runs/begin-run.ts";
import type { RunHandle } from "../../runs/run-handle.ts";
import { type RunService, releaseRun } from "../../runs/run-service.ts";
import { createLeaveSignal } from "../http/connection.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { RouteCall } from "../http/routes.ts";
import { collectFiles } from "./collect-files.ts";
import { findAsker } from "./find-asker.ts";
import { findModel } from "./model-names.ts";
import type { ModelRequest, ReasoningDetail } from "./model-request.ts";
import { beginSideRun } from "./side-answer.ts";
import { findSideRequest, plainSideRequest } from "./side-requests.ts";

/** Represents the run that answers a request, which may have ended. */
export interface OpenedAnswer {
  request: ModelRequest & { reasoning: ReasoningDetail };
  run: RunHandle;
  locale: Locale;
  /** Lists what the reader sees before the answer. */
  notes: readonly string[];
  /** Aborts when the client leaves before it has the whole answer. */
  left: AbortSignal;
}

/**
 * Opens the run that answers a request: fetches its files, applies its parameters and begins. A request that a page makes for itself
 * gets one turn of the function-call model. Throws `HttpRefusalError` for what the request has wrong, and where the caller has had
 * its share. The run is cancelled when the client leaves, unless it is in the background.
 */
export async function openAnswer(service: RunService, asked: ModelRequest, call: RouteCall): Promise<OpenedAnswer> {
  const { duet, settings } = service;
  const { conversation, isStreamed = true } = asked;
  const model = findModel(asked.model);
  const caller = findAsker(call, settings.modelApi, asked.user);
  const hasTools = asked.tools.length > 0;
  const side = model?.isSide
    ? plainSideRequest
    : findSideRequest({ isStreamed, hasTools, messages: conversation.said });
  if (side) {
    const request = { ...asked, reasoning: "none" } as const;
    const run = await beginSideRun(service, { caller, request, side });
    return { request, run, locale: duet.locale, notes: [], left: abortOnLeave(call, run, service) };
  }
  const request = { ...asked, reasoning: asked.reasoning ?? model?.reasoning ?? settings.modelApi.reasoning };
  const locale = duet.localeFor(conversation.question);
  const { run, notes } = await beginAnswer(service, { request, caller, locale }, call);
  return {
    request,
    run,
    locale,
    notes: [...conversation.notes, ...notes, ...(hasTools ? [unusedTools] : [])].map((note) => say(locale, note)),
    left: request.isBackground ? new AbortController().signal : abortOnLeave(call, run, service),
  };
}

async function beginAnswer(
  service: RunService,
  { request, caller, locale }: { request: ModelRequest; caller: Caller; locale: Locale },
  call: RouteCall,
): Promise<{ run: RunHandle; notes: Text[] }> {
  const { duet, runs } = service;
  const { conversation, storage } = request;
  const { question, instruction, documents } = conversation;
  const { attachments, history, notes } = await collectFiles(conversation, {
    field: request.fields.messages,
    duet,
    signal: createLeaveSignal(call.connection),
  });
  const models = await chooseModelParameters(duet, request);
  const answerForm = await openAnswerForm(request);
  await runs.prepare(caller);
  const run = beginRun({
    scope: { ...service, caller },
    input: {
      question,
      mode: request.mode,
      search: request.search,
      max_tokens: request.maxTokens,
      conversation_id: storage?.conversationId,
    },
    attachments,
    chain: readChain(undefined, undefined, call.request.headers),
    host: { asksForms: false },
    // Nobody can be asked over these wires.
    isUnattended: true,
    locale,
    models,
    answerForm,
    given: {
      ...{ instruction, stop: request.stop, toolChoice: request.toolChoice },
      // A conversation of ours has its sources under the numbers from one on.
      ...(storage === undefined && { history, documents }),
    },
  });
  return { run, notes };
}

/**
 * Cancels the run when its client disconnects, unless others hold the run or the configuration says otherwise. The returned
 * signal aborts on the disconnect.
 */
export function abortOnLeave({ connection }: RouteCall, run: RunHandle, service: RunService): AbortSignal {
  const gone = new AbortController();
  run.hold(connection);
  connection.onClose((isWhole) => {
    if (isWhole) return void run.release(connection);
    releaseRun(service, run, [connection]);
    gone.abort();
  });
  return gone.signal;
}

async function openAnswerForm({ format, fields }: ModelRequest): Promise<AskRequest["answerForm"]> {
  if (format?.type === "json_schema")
    return openOutputSchema(format.schema, { field: fields.schema, code: "invalid_request" });
  return format && openJsonObject();
}

const unusedTools = {
  zh: "请求中的工具没有使用：Duet 运行自己的工具。",
  en: "The tools of the request are not used: Duet runs its own tools.",
};

/**
 * Returns the models with the client's temperature and top_p applied to the answer. Returns undefined when the client sets
 * neither, or when the answer model has no parameters. Throws `HttpRefusalError` (400) for a value that the model does not accept.
 */
async function chooseModelParameters(
  duet: Duet,
  { temperature, topP, fields }: Pick<ModelRequest, "temperature" | "topP" | "fields">,
): Promise<AskRequest["models"]> {
  if (temperature === undefined && topP === undefined) return undefined;
  const { answer } = await duet.modelParameters();
  const hasParameters = Object.values(answer).some((value) => value !== undefined);
  if (!hasParameters) return undefined;
  try {
    return await duet.models({ parameters: { answer: { temperature, topP } } });
  } catch (thrown) {
    if (!(thrown instanceof DuetError) || thrown.code !== "config") throw thrown;
    const param = thrown.text.en.includes("top_p") ? fields.topP : fields.temperature;
    const text = removePrefix(thrown.text, { zh: "answer.", en: "answer." });
    throw new HttpRefusalError({ status: 400, text, hint: thrown.hint, param });
  }
}
