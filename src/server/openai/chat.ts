import { readChain } from "../../core/chain-text.ts";
import type { AgentEvent } from "../../core/events.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { beginRun } from "../../runs/begin-run.ts";
import type { RunHandle } from "../../runs/run-handle.ts";
import type { RunService } from "../../runs/run-service.ts";
import { readJsonBody } from "../http/request/read-json-body.ts";
import { toRetryResponse } from "../http/response/again.ts";
import type { HttpRefusal } from "../http/response/refusal.ts";
import { RefusedError } from "../http/response/refuse.ts";
import type { Handle, RouteCall } from "../http/routes.ts";
import { abortOnLeave } from "./abort-on-leave.ts";
import { createCompletionId } from "./completion.ts";
import { toCompletionEnd } from "./finish.ts";
import { chooseModelParameters } from "./model-parameters.ts";
import { type ChatRequest, readChat } from "./read-chat.ts";
import { readMessages } from "./read-messages.ts";
import { answerSideCall } from "./side-answer.ts";
import { isSideCall } from "./side-calls.ts";
import { type AnswerOptions, streamAnswer } from "./stream-answer.ts";
import { waitForCompletion } from "./whole-answer.ts";

/** `POST /v1/chat/completions`. */
export function createChat(service: RunService): Handle {
  return async (call) => {
    const asked = readChat(await readJsonBody(call, service.settings.http.maxBody));
    return isSideCall(asked) ? answerSideCall(service, asked, call) : answer(service, asked, call);
  };
}

async function answer(service: RunService, asked: ChatRequest, call: RouteCall): Promise<Response> {
  const { duet, runs } = service;
  const { question, history, instruction, notes } = readMessages(asked.messages);
  const locale = duet.localeFor(question);
  const models = await chooseModelParameters(duet, asked);
  const run = beginRun({
    scope: { ...service, caller: call.caller },
    input: { question, mode: asked.mode, search: asked.search, max_tokens: asked.maxTokens },
    chain: readChain(undefined, undefined, call.request.headers),
    host: { asksForms: false },
    // Nobody can be asked over this wire.
    isUnattended: true,
    locale,
    models,
    given: { history, instruction },
  });
  const gone = abortOnLeave(call, run, service);
  const options: AnswerOptions = {
    naming: createCompletionId(run.id, asked.model),
    includesUsage: asked.includesUsage,
    locale,
    notes: [...notes, ...(asked.hasTools ? [unusedTools] : [])].map((note) => say(locale, note)),
    ended: runs.ended,
  };
  const headers = { "x-request-id": run.id };
  if (!asked.isStreamed) return Response.json(await waitForCompletion(run, options, gone), { headers });
  const refusal = await earlyRefusal(run, locale, gone);
  if (refusal) throw new RefusedError(refusal);
  const type = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-transform" };
  return new Response(streamAnswer(run, options), { headers: { ...headers, ...type, "x-accel-buffering": "no" } });
}

/** How long a stream's head waits for the run's first word, in milliseconds. */
const longestHeadMs = 2000;

/**
 * Waits until the run says something or is over, and gives the refusal of one that should be asked again later: clients
 * obey a status and its `Retry-After`, and no error within a stream that has begun.
 */
async function earlyRefusal(run: RunHandle, locale: Locale, gone: AbortSignal): Promise<HttpRefusal | undefined> {
  const limit = createTimeLimit(longestHeadMs, () => timeoutError("head", longestHeadMs), gone);
  while (run.outcome === undefined && !run.events.some(isUnderWay) && !limit.signal.aborted)
    await run.waitForEvent(limit.signal);
  limit.clear();
  if (run.outcome === undefined || toRetryResponse(run.outcome) === undefined) return undefined;
  const ending = toCompletionEnd(run.outcome, locale);
  return "failure" in ending ? ending.failure : undefined;
}

/** Whether the model speaks, a tool runs, or the run waits for something: its end is then not to be waited for. */
function isUnderWay(event: AgentEvent): boolean {
  if (event.type === "notice") return event.code === "retry";
  return !["run-start", "phase-start", "phase-end", "run-end"].includes(event.type);
}

const unusedTools = {
  zh: "请求中的工具没有使用：Duet 运行自己的工具。",
  en: "The tools of the request are not used: Duet runs tools of its own.",
};
