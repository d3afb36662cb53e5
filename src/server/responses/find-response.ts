import type { Caller } from "../../core/caller.ts";
import type { Outcome } from "../../core/run/outcome.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import type { RunHandle } from "../../runs/live/run-handle.ts";
import { toFinishedOutcome } from "../../runs/outcomes/finished-outcome.ts";
import type { RunService } from "../../runs/run-service.ts";
import { toOpenAiError } from "../http/response/dialects.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import { toAnswerEnd } from "../model-api/answer/answer-end.ts";
import { findModel } from "../model-api/model-names.ts";
import { readResponseId } from "./ids.ts";
import { createLiveResponse, type LiveOptions, type LiveResponse, type LiveResponses } from "./live-response.ts";
import { readBody } from "./read-request.ts";
import { endRemovedResponse } from "./remove-response.ts";
import { createResponse, type WireResponse } from "./response-object.ts";
import { createResponseWriter } from "./response-writer.ts";
import { isOver, loadResponse, type StoredResponse, saveResponse, saveResponseAgain } from "./stored-response.ts";

/** Holds what the routes of responses share. */
export interface ResponsesContext {
  service: RunService;
  live: LiveResponses;
}

/** Holds a response whose run this process knows, or one that is stored. */
export type FoundResponse =
  | { live: LiveResponse; stored: StoredResponse }
  | { live?: undefined; stored: StoredResponse };

/**
 * Finds a caller's response, and goes on with its run where the process of that has ended. Returns undefined for one that there is not,
 * and for another caller's.
 */
async function findResponse(context: ResponsesContext, caller: Caller, id: string): Promise<FoundResponse | undefined> {
  const known = context.live.find(id, caller);
  const live = known?.run.isMoved ? undefined : known;
  // Its run goes on in another process, and is read there.
  if (known?.run.isMoved) context.live.remove(id, caller);
  if (live !== undefined && (await isRemoved(context, caller, live))) {
    context.live.remove(id, caller);
    await endRemovedResponse(context.service, caller, live);
    return undefined;
  }
  if (live !== undefined) return { live, stored: live.stored };
  const named = readResponseId(id);
  if (named === undefined) return undefined;
  const { duet } = context.service;
  const store = await duet.store(caller);
  const stored = await loadResponse(store.responses, id);
  if (stored === undefined || isOver(stored.response)) return stored && { stored };
  return settle(context, caller, { stored, ...named });
}

/** Finds a response of the caller who asks. */
export type FindResponse = (id: string) => Promise<FoundResponse | undefined>;

/** Returns what finds the responses that one request names, each of them once: many items may stand in one response. */
export function createFinder(context: ResponsesContext, caller: Caller): FindResponse {
  const known = new Map<string, ReturnType<FindResponse>>();
  return (id) => {
    const finding = known.get(id) ?? findResponse(context, caller, id);
    known.set(id, finding);
    return finding;
  };
}

/** Returns true where another process has removed a response that is over, or its conversation. What the store cannot tell is there. */
async function isRemoved(
  { service: { duet } }: ResponsesContext,
  caller: Caller,
  { isSaved, response }: LiveResponse,
): Promise<boolean> {
  if (!isSaved) return false;
  async function find(): Promise<boolean> {
    const { responses } = await duet.store(caller);
    return responses === undefined || responses.has(response.id);
  }

  return (await ignoreRejection(find(), "the monitor of the store reports it")) === false;
}

/** Finds out what has become of the run of a response that was not over when it was stored. */
async function settle(
  context: ResponsesContext,
  caller: Caller,
  { stored, runId, roundIndex }: { stored: StoredResponse; runId: string; roundIndex: number },
): Promise<FoundResponse> {
  const { duet, resumer, followed } = context.service;
  // What a client has sent for its calls is known to no other process.
  const run =
    roundIndex === 0 ? ((await resumer.resume(runId, caller)) ?? (await followed.find(runId, caller))) : undefined;
  if (run !== undefined) {
    const live = reopenResponse(context, { run, stored, caller });
    return { live, stored: live.stored };
  }
  if (await duet.storedRuns.isGoing(runId)) return { stored };
  const store = await duet.store(caller);
  const trace = await store.trace(runId);
  if (trace === undefined) return { stored: { ...stored, response: toLostResponse(stored, context.service) } };
  const locale = duet.localeFor(trace.question);
  const outcome = toFinishedOutcome(trace, locale);
  const conversationId = outcome.conversation_id || undefined;
  const ended = { ...stored, conversationId, response: toEndedResponse(stored, outcome, locale) };
  await ignoreRejection(saveResponseAgain(store.responses, ended), "the next reader finds the same");
  return { stored: ended };
}

function reopenResponse(
  context: ResponsesContext,
  { run, stored, caller }: { run: RunHandle; stored: StoredResponse; caller: Caller },
): LiveResponse {
  const request = readBody(stored.body);
  const { locale } = run;
  const usual = context.service.settings.modelApi.reasoning;
  const reasoning = request.reasoning ?? findModel(request.model)?.reasoning ?? usual;
  const conversation = {
    question: run.question,
    files: [],
    history: [],
    steps: [],
    instruction: undefined,
    notes: [],
    said: [],
    documents: new Set<number>(),
    lead: "",
  };
  const live = createLiveResponse({
    answer: {
      id: run.id,
      roundIndex: 0,
      request: { ...request, conversation, reasoning },
      run,
      locale,
      notes: stored.notes,
      left: new AbortController().signal,
      onFault: context.service.onFault,
    },
    stored: { ...stored, response: restartResponse(stored) },
    locale,
    encryptsReasoning: request.encryptsReasoning,
    writeCall: request.readTools.writeCall,
    search: request.readTools.search,
    save: createSave(context, caller),
  });
  context.live.add(live, caller);
  return live;
}

/** Returns what saves the responses of a caller. What cannot be saved is known to this process alone. */
export function createSave({ service }: ResponsesContext, caller: Caller): LiveOptions["save"] {
  async function save(stored: StoredResponse, wasSaved: boolean): Promise<boolean> {
    const { responses } = await service.duet.store(caller);
    await (wasSaved ? saveResponseAgain(responses, stored) : saveResponse(responses, stored));
    return responses !== undefined;
  }

  return async (...saved) => (await ignoreRejection(save(...saved), "the monitor of the store reports it")) ?? false;
}

function restartResponse({ response, body }: StoredResponse): WireResponse {
  const { id, created_at, conversation } = response;
  return createResponse({ id, createdAt: created_at * 1000, body, conversationId: conversation?.id });
}

function toEndedResponse(stored: StoredResponse, outcome: Outcome, locale: Locale): WireResponse {
  const writer = createResponseWriter(restartResponse(stored), () => undefined, { encryptsReasoning: false });
  const end = toAnswerEnd(outcome, locale);
  writer.addText(outcome.response);
  if (outcome.status === "cancelled") writer.cancel("failure" in end ? undefined : end.usage);
  else if ("failure" in end) writer.fail(toOpenAiError(end.failure, locale));
  else writer.end(end);
  return writer.response;
}

function toLostResponse(stored: StoredResponse, { duet }: RunService): WireResponse {
  const writer = createResponseWriter(restartResponse(stored), () => undefined, { encryptsReasoning: false });
  writer.fail({ code: "server_error", message: say(duet.locale, lost) });
  return writer.response;
}

const lost: Text = {
  zh: "程序在这次运行中意外结束，运行没有留下可继续的记录。",
  en: "The program ended unexpectedly during this run, which has left no records to go on from.",
};

/** Returns a caller's response. Throws `HttpRefusalError` (404) for one that there is not, and for another caller's. */
export async function getResponse(context: ResponsesContext, caller: Caller, id: string): Promise<FoundResponse> {
  const found = await findResponse(context, caller, id);
  if (found !== undefined) return found;
  const shown = showValue(id);
  throw new HttpRefusalError({
    status: 404,
    text: {
      zh: `没有编号为 ${shown} 的响应（允许：本调用方未以 store: false 请求、且未删除的响应的 id）。`,
      en: `There is no response ${shown} (allowed: the id of a response of this caller that was not asked for with store: false and not deleted).`,
    },
  });
}
