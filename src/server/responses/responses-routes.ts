import { showValue } from "../../core/tools/argument-feedback.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { findEndOfWait } from "../../runs/find-moved.ts";
import type { RunService } from "../../runs/run-service.ts";
import { toJsonResponse } from "../api/json-response.ts";
import { createLeaveSignal } from "../http/connection.ts";
import { readJsonBody, toFileBodyLimit } from "../http/request/read-body.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { Handle, Route, RouteCall } from "../http/routes.ts";
import { openAnswer } from "../model-api/answer/open-answer.ts";
import { findEarlyRefusal } from "../model-api/answer/stream-answer.ts";
import { withAsker } from "../model-api/find-asker.ts";
import { createSave, getResponse, type ResponsesContext } from "./find-response.ts";
import { toResponseId } from "./ids.ts";
import { createLiveResponse, createLiveResponses, type LiveResponse, waitUntilSettled } from "./live-response.ts";
import { openContext } from "./open-context.ts";
import { readInputQuery, readStart, toItemPage } from "./read-query.ts";
import { type ResponsesRequest, readRequest } from "./read-request.ts";
import { endRemovedResponse, endResponse, graceMs, removeConversation } from "./remove-response.ts";
import { createResponse } from "./response-object.ts";
import { replayResponse, streamResponse } from "./response-stream.ts";
import { toKeptItems } from "./stored-response.ts";

/** Serves programs that use OpenAI's Responses API. Responses of other callers are reported as not found. */
export function createResponsesRoutes(service: RunService): Readonly<Record<string, Route>> {
  const context: ResponsesContext = { service, live: createLiveResponses() };
  service.runs.onForget(context.live.removeConversation);
  return {
    "/v1/responses": { POST: create(context) },
    "/v1/responses/:id": { GET: withPerson(read(context)), DELETE: withPerson(remove(context)) },
    "/v1/responses/:id/cancel": { POST: Object.assign(withPerson(cancel(context)), { readsNoBody: true as const }) },
    "/v1/responses/:id/input_items": { GET: withPerson(listInput(context)) },
  };

  /** Serves the call on behalf of who asks, whom a header or the query names here. */
  function withPerson(handle: Handle): Handle {
    return (call) => {
      const query = new URL(call.request.url).searchParams;
      const user = query.get("safety_identifier") ?? query.get("user") ?? undefined;
      return handle(withAsker(call, service.settings.modelApi, user));
    };
  }
}

function create(context: ResponsesContext): Handle {
  return async (given) => {
    const { http, modelApi } = context.service.settings;
    const request = readRequest(await readJsonBody(given, toFileBodyLimit(http.maxBody)));
    const call = withAsker(given, modelApi, request.user);
    const live = await begin(context, request, call);
    const headers = { "x-request-id": live.run.id };
    if (request.isBackground) await waitUntilRecorded(context, { live, request, call });
    if (request.isStreamed) return toStream(context, live, { from: 0, call });
    if (request.isBackground) return toJsonResponse({ ...live.stored.response, status: "queued" }, 200, headers);
    await waitUntilSettled(live, new AbortController().signal);
    if (live.failure) throw new HttpRefusalError(live.failure);
    return toJsonResponse(live.response, 200, headers);
  };
}

/** Begins the run that answers a request. Throws `HttpRefusalError` where it has failed at once, and should be asked again later. */
async function begin(context: ResponsesContext, request: ResponsesRequest, call: RouteCall): Promise<LiveResponse> {
  const { caller } = call;
  const opened = await openContext(context, request, caller);
  const { readTools, encryptsReasoning, isStored } = request;
  opened.conversation.notes.push(...readTools.notes);
  const answer = await openAnswer(context.service, { ...request, ...opened }, call);
  const { run, locale, notes } = answer;
  const id = toResponseId(run.id, answer.roundIndex);
  const before =
    answer.roundIndex > 0 ? context.live.find(toResponseId(run.id, answer.roundIndex - 1), caller) : undefined;
  const conversationId = opened.namedId ?? before?.response.conversation?.id;
  const stored = {
    response: createResponse({ id, createdAt: run.startedAt, body: request.body, conversationId }),
    input: toKeptItems(id, request.items),
    body: request.body,
    notes,
    conversationId: opened.storage?.conversationId,
  };
  const save = isStored ? createSave(context, caller) : async () => false;
  const { writeCall, search } = readTools;
  const live = createLiveResponse({ answer, stored, locale, encryptsReasoning, writeCall, search, save });
  if (isStored) context.live.add(live, caller);
  const refusal = request.isStreamed && !request.isBackground ? await findEarlyRefusal(answer, "retried") : undefined;
  if (refusal) throw new HttpRefusalError(refusal);
  return live;
}

interface BegunResponse {
  live: LiveResponse;
  request: ResponsesRequest;
  call: RouteCall;
}

/**
 * Waits until the client can ask for the response by its ID, also from another replica. Ends the run and throws `HttpRefusalError` (503)
 * where the store should keep the response, and has failed to.
 */
async function waitUntilRecorded(context: ResponsesContext, { live, request, call }: BegunResponse): Promise<void> {
  const isRecorded = await live.waitUntilRecorded(createLeaveSignal(call.connection));
  if (isRecorded || !request.isStored) return;
  const { service } = context;
  const store = await ignoreRejection(service.duet.store(call.caller), "the monitor of the store reports it");
  // Such a store never keeps responses: this process alone knows them.
  if (store !== undefined && store.responses === undefined) return;
  context.live.remove(live.response.id, call.caller);
  await ignoreRejection(endRemovedResponse(service, call.caller, live), "the monitor of the store reports it");
  throw new HttpRefusalError(notRecorded);
}

const notRecorded = {
  status: 503,
  error: "overloaded",
  text: {
    zh: "对话存储暂时无法写入，无法保存这个后台响应，它的运行已停止。",
    en: "The conversation store cannot be written right now, so this background response cannot be saved. Its run was stopped.",
  },
  hint: { zh: "请稍后再试，或不带 background 提问。", en: "Try again later, or ask without background." },
  headers: { "retry-after": "5" },
} as const;

function toStream(
  { service }: ResponsesContext,
  live: LiveResponse,
  { from, call: { connection } }: { from: number; call: RouteCall },
): Response {
  // Who reads the run of another process reads on from another one, where this one closes.
  const until = findEndOfWait(service, live.run);
  return toEventResponse(streamResponse(live, from, { connection, until }), live.run.id);
}

function toEventResponse(body: string | ReadableStream, runId: string | undefined): Response {
  return new Response(body, {
    headers: {
      ...(runId && { "x-request-id": runId }),
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-transform",
      "x-accel-buffering": "no",
    },
  });
}

function read(context: ResponsesContext): Handle {
  return async (call) => {
    const { live, stored } = await getResponse(context, call.caller, call.params.id ?? "");
    const start = readStart(call.request);
    if (start === undefined) return toJsonResponse(stored.response);
    return live
      ? toStream(context, live, { from: start, call })
      : toEventResponse(replayResponse(stored.response, start), undefined);
  };
}

function cancel(context: ResponsesContext): Handle {
  return async ({ caller, params: { id = "" } }) => {
    const { live, stored } = await getResponse(context, caller, id);
    if (live === undefined || live.isOver) return toJsonResponse(stored.response);
    await context.service.runs.cancel(live.run, graceMs);
    await waitUntilSettled(live, AbortSignal.timeout(graceMs));
    return toJsonResponse(live.response);
  };
}

/** The conversation goes with the last response of it, unless the client has named it: then it is not ours to remove. */
function remove(context: ResponsesContext): Handle {
  return async ({ caller, params: { id = "" } }) => {
    const { live, stored } = await getResponse(context, caller, id);
    if (live) await endResponse(context.service, live);
    const { duet } = context.service;
    const store = await duet.store(caller);
    await store.responses?.remove(id);
    context.live.remove(id, caller);
    const { conversationId = live?.stored.conversationId, response } = stored;
    if (conversationId !== undefined && response.conversation === undefined)
      await removeConversation(context.service, caller, conversationId);
    return toJsonResponse({ id, object: "response", deleted: true });
  };
}

function listInput(context: ResponsesContext): Handle {
  return async ({ request, caller, params: { id = "" } }) => {
    const { stored } = await getResponse(context, caller, id);
    const query = readInputQuery(request);
    const page = toItemPage(stored.input, query);
    if (page !== undefined) return toJsonResponse(page);
    const shown = showValue(query.after);
    throw new HttpRefusalError({
      status: 400,
      param: "after",
      text: {
        zh: `after：没有编号为 ${shown} 的条目（允许：此列表中条目的 id）`,
        en: `after: there is no item ${shown} (allowed: the id of an item in this list)`,
      },
    });
  };
}
