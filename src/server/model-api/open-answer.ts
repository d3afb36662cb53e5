import { openJsonObject, openOutputSchema } from "../../app/answer-form.ts";
import type { AskRequest } from "../../app/ask-request.ts";
import type { Duet } from "../../app/duet.ts";
import { readChain } from "../../core/chain-text.ts";
import { DuetError } from "../../kit/errors.ts";
import { type Locale, removePrefix, say } from "../../kit/locale.ts";
import { beginRun } from "../../runs/begin-run.ts";
import type { RunHandle } from "../../runs/run-handle.ts";
import { type RunService, releaseRun } from "../../runs/run-service.ts";
import { createLeaveSignal } from "../http/connection.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { RouteCall } from "../http/routes.ts";
import { collectFiles } from "./collect-files.ts";
import type { ModelRequest } from "./model-request.ts";

/** Represents the run that answers a request, which may have ended. */
export interface OpenedAnswer {
  request: ModelRequest;
  run: RunHandle;
  locale: Locale;
  /** Lists what the reader sees before the answer. */
  notes: readonly string[];
  /** Aborts when the client leaves before it has the whole answer. */
  left: AbortSignal;
}

/**
 * Opens the run that answers a request: fetches its files, applies its parameters and begins. Throws `HttpRefusalError` for what the
 * request has wrong, and where the caller has had its share. The run is cancelled when the client leaves, unless it is in the background.
 */
export async function openAnswer(service: RunService, request: ModelRequest, call: RouteCall): Promise<OpenedAnswer> {
  const { duet, runs } = service;
  const { conversation } = request;
  const { question, instruction } = conversation;
  const locale = duet.localeFor(question);
  const { attachments, history, notes } = await collectFiles(conversation, {
    field: request.fields.messages,
    duet,
    signal: createLeaveSignal(call.connection),
  });
  const models = await chooseModelParameters(duet, request);
  const answerForm = await openAnswerForm(request);
  await runs.prepare(call.caller);
  const run = beginRun({
    scope: { ...service, caller: call.caller },
    input: {
      question,
      mode: request.mode,
      search: request.search,
      max_tokens: request.maxTokens,
      conversation_id: request.storage?.conversationId,
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
      history: request.storage ? undefined : history,
      instruction,
      stop: request.stop,
      toolChoice: request.toolChoice,
    },
  });
  return {
    request,
    run,
    locale,
    notes: [...conversation.notes, ...notes, ...(request.tools.length > 0 ? [unusedTools] : [])].map((note) =>
      say(locale, note),
    ),
    left: request.isBackground ? new AbortController().signal : abortOnLeave(call, run, service),
  };
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
