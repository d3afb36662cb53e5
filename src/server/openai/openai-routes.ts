import { openJsonObject, openOutputSchema } from "../../app/answer-form.ts";
import type { AskRequest } from "../../app/ask-request.ts";
import type { Duet } from "../../app/duet.ts";
import { withTurnBudget } from "../../app/models/with-turn-budget.ts";
import { readChain } from "../../core/chain-text.ts";
import type { AgentEvent } from "../../core/events.ts";
import type { Message } from "../../core/messages.ts";
import { renderMissingConsent } from "../../core/notices.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import { type Locale, removePrefix, say } from "../../kit/locale.ts";
import { createRandomHex } from "../../kit/random.ts";
import { beginRun } from "../../runs/begin-run.ts";
import type { RunHandle } from "../../runs/run-handle.ts";
import type { RunService } from "../../runs/run-service.ts";
import { createLeaveSignal } from "../http/connection.ts";
import { readJsonBody, toFileBodyLimit } from "../http/request/read-body.ts";
import type { HttpRefusal } from "../http/response/dialects.ts";
import { HttpRefusalError, toRetryResponse } from "../http/response/refusal.ts";
import type { Handle, Route, RouteCall } from "../http/routes.ts";
import { collectFiles } from "./collect-files.ts";
import { createCompletionId, toCompletion, toUsage } from "./completion.ts";
import { toCompletionEnd } from "./completion-end.ts";
import { type ChatRequest, createModelRoutes, readChat } from "./read-chat.ts";
import { readMessages } from "./read-messages.ts";
import { readText } from "./read-parts.ts";
import { isSideCall } from "./side-calls.ts";
import { streamSideRun } from "./side-run.ts";
import { type AnswerStreamOptions, abortOnLeave, createReasoning, streamAnswer } from "./stream-answer.ts";

/** Serves programs that use OpenAI's API: `/v1/chat/completions` and `/v1/models`. */
export function createOpenAiRoutes(service: RunService): Readonly<Record<string, Route>> {
  const models = createModelRoutes(Date.now());
  return {
    "/v1/chat/completions": { POST: createChat(service) },
    "/v1/models": { GET: models.list },
    "/v1/models/:id": { GET: models.one },
  };
}

/** Serves `POST /v1/chat/completions`. */
export function createChat(service: RunService): Handle {
  return async (call) => {
    const asked = readChat(await readJsonBody(call, toFileBodyLimit(service.settings.http.maxBody)));
    return isSideCall(asked) ? answerSideCall(service, asked, call) : answer(service, asked, call);
  };
}

async function answer(service: RunService, asked: ChatRequest, call: RouteCall): Promise<Response> {
  const { duet, runs } = service;
  const read = readMessages(asked.messages);
  const { question, instruction } = read;
  const locale = duet.localeFor(question);
  const { attachments, history, notes } = await collectFiles(read, duet, createLeaveSignal(call.connection));
  const models = await chooseModelParameters(duet, asked);
  const answerForm = await openAnswerForm(asked);
  await runs.prepare(call.caller);
  const run = beginRun({
    scope: { ...service, caller: call.caller },
    input: { question, mode: asked.mode, search: asked.search, max_tokens: asked.maxTokens },
    attachments,
    chain: readChain(undefined, undefined, call.request.headers),
    host: { asksForms: false },
    // Nobody can be asked over this wire.
    isUnattended: true,
    locale,
    models,
    answerForm,
    given: { history, instruction, stop: asked.stop, toolChoice: asked.toolChoice },
  });
  const gone = abortOnLeave(call, run, service);
  const options: AnswerStreamOptions = {
    naming: createCompletionId(run.id, asked.model),
    includesUsage: asked.includesUsage,
    locale,
    notes: [...read.notes, ...notes, ...(asked.hasTools ? [unusedTools] : [])].map((note) => say(locale, note)),
    waitForEnd: runs.waitForEnd,
  };
  const headers = { "x-request-id": run.id };
  if (!asked.isStreamed) return Response.json(await waitForCompletion(run, options, gone), { headers });
  const refusal = await findEarlyRefusal(run, locale, gone);
  if (refusal) throw new HttpRefusalError(refusal);
  const type = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-transform" };
  return new Response(streamAnswer(run, options), { headers: { ...headers, ...type, "x-accel-buffering": "no" } });
}

const schemaPlace = { field: "response_format.json_schema.schema", code: "invalid_request" } as const;

async function openAnswerForm({ format }: ChatRequest): Promise<AskRequest["answerForm"]> {
  if (format?.type === "json_schema") return openOutputSchema(format.schema, schemaPlace);
  return format && openJsonObject();
}

/** Limits how long the response head of a stream waits for the run's first output, in milliseconds. */
const longestHeadMs = 2000;

/**
 * Waits until the run says something or is over, and gives the refusal of one that should be asked again later: clients
 * obey a status and its `Retry-After`, and no error within a stream that has begun.
 */
async function findEarlyRefusal(run: RunHandle, locale: Locale, gone: AbortSignal): Promise<HttpRefusal | undefined> {
  const limit = createTimeLimit(longestHeadMs, () => timeoutError("head", longestHeadMs), gone);
  const isSilent = (): boolean => run.draft === undefined && !run.events.some(isUnderWay);
  while (run.outcome === undefined && isSilent() && !limit.signal.aborted) await run.waitForEvent(limit.signal);
  limit.clear();
  if (run.outcome === undefined || toRetryResponse(run.outcome) === undefined) return undefined;
  const ending = toCompletionEnd(run.outcome, locale);
  return "failure" in ending ? ending.failure : undefined;
}

/**
 * Returns true when the model writes, a tool runs, or the run waits for something. The response then no longer waits for the
 * run's end.
 */
function isUnderWay(event: AgentEvent): boolean {
  if (event.type === "notice") return event.code === "retry";
  return !["run-start", "phase-start", "phase-end", "run-end"].includes(event.type);
}

const unusedTools = {
  zh: "请求中的工具没有使用：Duet 运行自己的工具。",
  en: "The tools of the request are not used: Duet runs its own tools.",
};

/**
 * Returns the models with the client's temperature and top_p applied to the answer. Returns undefined when the client sets
 * neither, or when the answer model has no parameters. Throws `HttpRefusalError` (400) for a value that the model does not accept.
 */
export async function chooseModelParameters(
  duet: Duet,
  { temperature, topP }: Pick<ChatRequest, "temperature" | "topP">,
): Promise<AskRequest["models"]> {
  if (temperature === undefined && topP === undefined) return undefined;
  const { answer } = await duet.modelParameters();
  const hasParameters = Object.values(answer).some((value) => value !== undefined);
  if (!hasParameters) return undefined;
  try {
    return await duet.models({ parameters: { answer: { temperature, topP } } });
  } catch (thrown) {
    if (!(thrown instanceof DuetError) || thrown.code !== "config") throw thrown;
    const param = thrown.text.en.includes("top_p") ? "top_p" : "temperature";
    const text = removePrefix(thrown.text, { zh: "answer.", en: "answer." });
    throw new HttpRefusalError({ status: 400, text, hint: thrown.hint, param });
  }
}

/** Waits for a run and returns it as one chat completion. Throws `HttpRefusalError` when it has no answer. */
export async function waitForCompletion(
  run: RunHandle,
  { naming, locale, notes, waitForEnd: ended }: AnswerStreamOptions,
  signal: AbortSignal,
): Promise<object> {
  const reasoning = createReasoning(locale);
  const thoughts: string[] = notes.map((note) => `ℹ ${note}\n\n`);
  const take = (event: AgentEvent): void => void thoughts.push(reasoning(event));
  for (const event of run.events) take(event);
  const unfollow = run.follow(take);
  const outcome = await ended(run, signal);
  unfollow();
  const ending = toCompletionEnd(outcome ?? run.snapshot(), locale);
  if ("failure" in ending) throw new HttpRefusalError(ending.failure);
  const { notice, ...said } = ending;
  if (notice !== "") thoughts.push(`\n\n${notice}`);
  const content = [run.snapshot().response, ...renderMissingConsent(ending)].join("\n\n");
  return toCompletion(naming, { ...said, content, reasoning: thoughts.join("").trim() });
}

/** Limits the output, in tokens, when the client sets no limit. */
const mostTokens = 1000;

/**
 * Has the function-call model answer a chat page's own request: one turn that counts as a run of the caller's and stands in no
 * list. Throws where the caller has had its share, and `HttpRefusalError` where the model has no answer.
 */
export async function answerSideCall(service: RunService, asked: ChatRequest, call: RouteCall): Promise<Response> {
  const { duet, runs } = service;
  const { locale } = duet;
  const { model, messages, maxTokens = mostTokens } = asked;
  const { functionCall } = await duet.models();
  // A model that goes by rules can name nothing, and the client goes on without.
  if (functionCall.followsPrompts === false) return Response.json(createEmptyChunk(model));
  const said = messages.map(({ content }): Message => ({ role: "user", content: readText(content, "messages") }));
  const runId = `run-${createRandomHex()}`;
  await runs.prepare(call.caller);
  const run = runs.begin({
    id: runId,
    key: runId,
    caller: call.caller,
    locale,
    request: { question: "", mode: "chat" },
    isAside: true,
    canAsk: () => false,
    patienceMs: 0,
    ask: ({ signal, budget }) =>
      streamSideRun({ runId, model: withTurnBudget(functionCall, budget), messages: said, maxTokens, signal }),
  });
  const outcome = (await runs.waitForEnd(run, abortOnLeave(call, run, service))) ?? run.snapshot();
  const ending = toCompletionEnd(outcome, locale);
  if ("failure" in ending) throw new HttpRefusalError(ending.failure);
  const { finish, usage, notices } = ending;
  const answer = { content: outcome.response, reasoning: "", annotations: [], finish, usage, notices };
  return Response.json(toCompletion(createCompletionId(runId, model), answer), { headers: { "x-request-id": runId } });
}

function createEmptyChunk(model: string): object {
  const nothing = {
    content: "",
    reasoning: "",
    annotations: [],
    finish: "stop",
    usage: toUsage([]),
    notices: undefined,
  } as const;
  return toCompletion(createCompletionId(`side-${createRandomHex()}`, model), { ...nothing, annotations: [] });
}
