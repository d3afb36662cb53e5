import { hash } from "node:crypto";
import { openOutputSchema, outputSchemaPlace } from "../../app/ask/answer-form.ts";
import type { AskRequest } from "../../app/ask/ask-request.ts";
import type { Duet } from "../../app/duet.ts";
import type { ModelChanges } from "../../app/models/change-models.ts";
import type { ModelParameters } from "../../config/models/resolve-model.ts";
import type { Attachment } from "../../core/attachment.ts";
import type { Caller } from "../../core/caller.ts";
import { readChain } from "../../core/chain-text.ts";
import type { Outcome } from "../../core/run/outcome.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { takeAttachments } from "../../runs/attachment-input.ts";
import { beginRun, canHandOut, type RunQuestionRequest } from "../../runs/begin-run.ts";
import { findEndOfWait, findMoved } from "../../runs/find-moved.ts";
import { leaveAfterSwitch } from "../../runs/leave-conversation.ts";
import type { RunHandle } from "../../runs/live/run-handle.ts";
import { type WaitResult, waitForRun } from "../../runs/live/wait-for-run.ts";
import { waitForEnd, waitUntil } from "../../runs/live/wait-until.ts";
import { markDelivered, toOutcomeFor } from "../../runs/outcomes/outcome-for.ts";
import { confirmRun } from "../../runs/questions/confirm.ts";
import { type CallerScope, releaseRun } from "../../runs/run-service.ts";
import { clientLeft, createLeaveSignal } from "../http/connection.ts";
import { readJsonBody, toFileBodyLimit } from "../http/request/read-body.ts";
import { HttpRefusalError, toRetryResponse } from "../http/response/refusal.ts";
import type { Handle, RouteCall } from "../http/routes.ts";
import type { ApiContext } from "./api-context.ts";
import { type ChatInput, chatHints, chatInput, toAskInput } from "./chat-input.ts";
import { findEarlierTurns } from "./conversations/earlier-turns.ts";
import { makeTitleAfter } from "./conversations/make-title.ts";
import type { WaitingQuestion } from "./conversations/waiting-question.ts";
import { type FoundRun, findRun } from "./find-run.ts";
import { toJsonResponse, toRunLocation } from "./json-response.ts";
import { isKnown, readKey, startOnce } from "./keyed-runs.ts";
import { readFields } from "./read-fields.ts";
import { isEventStreamPreferred, readLastId, watchRun } from "./watch-run.ts";

/**
 * Serves `POST /agent/chat`: asks the agent, and returns the outcome (docs/development/contract.md#result) or the events as they
 * happen.
 */
export function createChatRoute(api: ApiContext): Handle {
  return async (call) => {
    const { request, connection, caller } = call;
    readLastId(request.headers);
    const body = await readJsonBody(call, toFileBodyLimit(api.settings.http.maxBody));
    const taken = takeAttachments(readFields(chatInput, body, chatHints));
    if ("refused" in taken) throw new HttpRefusalError({ status: 400, text: taken.refused });
    const { input, attachments } = taken;
    const reads = isEventStreamPreferred(request) ? "events" : "answer";
    const signal = createLeaveSignal(connection);
    const chat: Chat = { api, scope: { ...api, caller }, call, input, attachments, reads, signal };
    const found = await startChatRun(chat);
    if (reads === "events") return watchRun(api, found, call, input.drafts === true);
    const outcome = await waitForAnswer(chat, found).catch((thrown) => {
      if (signal.aborted) return undefined;
      throw thrown;
    });
    if (outcome === undefined) return new Response(null, { status: clientLeft });
    const again = toRetryResponse(outcome);
    const status = outcome.status === "running" ? 202 : (again?.status ?? 200);
    return toJsonResponse(outcome, status, { ...toRunLocation(outcome.run_id), ...again?.headers });
  };
}

/** Timers accept no more, in milliseconds. The run's own limits end the wait long before. */
const longestMs = 2_147_483_647;

async function waitForAnswer({ scope, call, input, signal }: Chat, { run, kept, isKeyed }: ChatRun): Promise<Outcome> {
  if (kept !== undefined) return kept;
  const chain = readChain(undefined, input.duet_chain, call.request.headers);
  return waitForOutcome({
    scope,
    run,
    windowMs: input.wait_s === undefined ? longestMs : input.wait_s * 1000,
    isAsked: input.asks === true,
    handsOut: canHandOut(scope, chain),
    isKept: isKeyed,
    signal,
  });
}

export interface OutcomeWait {
  scope: CallerScope;
  run: RunHandle;
  /** Is how long to wait, in milliseconds. */
  windowMs: number;
  /** Is true when somebody answers the run's questions outside this request. */
  isAsked: boolean;
  /** Is true when a call that waits for approval may be returned as a token. */
  handsOut: boolean;
  /** Is true when the run continues without this request. */
  isKept: boolean;
  /** Aborts when whoever waits has left. */
  signal: AbortSignal;
  /** Is true where the run has left this process while the request waited for it. */
  hasLeft?: boolean | undefined;
}

/** Waits for a run on behalf of one request; one that nobody else counts on is cancelled with it. Rejects when the signal aborts. */
export async function waitForOutcome({ scope, run, isKept, signal, hasLeft, ...wait }: OutcomeWait): Promise<Outcome> {
  const waiter = {};
  const beganAt = performance.now();
  const until = findEndOfWait(scope, run, hasLeft);
  run.addWaiter(waiter, waiter);
  // Held by nobody who could leave.
  if (isKept) run.addWaiter({});
  try {
    const waitResult = await (wait.isAsked
      ? waitInWindow(run, { windowMs: wait.windowMs, signal, until })
      : waitForRun(run, {
          ...wait,
          until,
          host: silent,
          requestContext: { signal, ask: async () => undefined, hasRounds: () => true },
        }));
    const moved = waitResult.end === "ended" ? await findMoved(scope, run, signal) : undefined;
    if (moved?.kept) return moved.kept;
    if (moved) {
      const windowMs = Math.max(0, wait.windowMs - (performance.now() - beganAt));
      return await waitForOutcome({ ...wait, scope, run: moved.run, isKept, signal, windowMs, hasLeft: true });
    }
    // A caller who learns that it continues will ask for it again.
    if (waitResult.end !== "ended") {
      run.addWaiter({});
      await waitForConversation(run, signal);
    }
    const outcome = await toOutcomeFor(scope, run, waitResult);
    // Whoever has left meanwhile receives nothing.
    if (!signal.aborted) markDelivered(run, waitResult);
    return outcome;
  } finally {
    if (signal.aborted) releaseRun(scope, run, [waiter]);
    else run.removeWaiter(waiter);
  }
}

/** Limits the wait for a run to find its conversation, in milliseconds. */
const longestBeginningMs = 2000;

/** Resolves once it is known which conversation the run belongs to, which the caller needs for its next question. */
async function waitForConversation(run: RunHandle, signal: AbortSignal): Promise<void> {
  const limit = createTimeLimit(longestBeginningMs, () => timeoutError("wait_s", longestBeginningMs), signal);
  await waitUntil(run, () => run.conversationId !== "", limit.signal);
  limit.clear();
}

/** Represents a caller who cannot be asked during its request. */
const silent = {
  name: "",
  version: "",
  asksProgress: false,
  title: "",
  protocolVersion: "",
  asksForms: false,
  asksUrls: false,
  isModern: false,
  capabilities: {},
};

async function waitInWindow(
  run: RunHandle,
  { windowMs, signal, until }: { windowMs: number; signal: AbortSignal; until: AbortSignal | undefined },
): Promise<WaitResult> {
  const window = createTimeLimit(until?.aborted ? 0 : windowMs, () => timeoutError("wait_s", windowMs), signal);
  const endWindow = (): void => window.spend(window.getLeftMs());
  until?.addEventListener("abort", endWindow, { once: true });
  try {
    const outcome = await waitForEnd(run, window.signal);
    signal.throwIfAborted();
    return { end: outcome === undefined ? "window" : "ended" };
  } finally {
    until?.removeEventListener("abort", endWindow);
    window.clear();
  }
}

/** Represents a question sent to `POST /agent/chat`. */
interface Chat {
  api: ApiContext;
  scope: CallerScope;
  call: RouteCall;
  input: ChatInput;
  attachments: readonly Attachment[];
  reads: "events" | "answer";
  /** Aborts when the caller has left. */
  signal: AbortSignal;
}

/** Holds the run of a question, and whether the caller gave it a key with which to repeat the request. */
type ChatRun = FoundRun & { isKeyed: boolean };

/** Returns the run that the question's key already stands for, the run that it confirms, or a new run. */
export async function startChatRun(chat: Chat): Promise<ChatRun> {
  const { api, scope, call, input, attachments } = chat;
  const { wait_s, drafts, ...asked } = input;
  const files = attachments.map(({ name, bytes }) => [name ?? "", hash("sha256", bytes)]);
  const key = readKey(call.request.headers, call.caller, files.length === 0 ? asked : { ...asked, files });
  if (key === undefined) return { run: await open(chat, undefined), isKeyed: false };
  const id = await api.keyed.join(key, {
    isThere: (runId) => isThere(scope, runId),
    begin: () =>
      startOnce(scope, key, { open: () => open(chat, key.runId), isRecordOptional: isFromOwnPage(call.request) }),
  });
  return { ...(await findRun(scope, id)), isKeyed: true };
}

/** Browsers say so, and no script can: a person sits at the page. */
export function isFromOwnPage({ headers }: { headers: Headers }): boolean {
  return headers.get("sec-fetch-site") === "same-origin";
}

async function isThere({ duet, runs, caller }: CallerScope, runId: string): Promise<boolean> {
  const run = runs.find(runId, caller);
  if (run !== undefined) return isKnown(run);
  const store = await duet.store(caller);
  return (await store.runs({ beginning: runId })).length > 0;
}

function open({ api, call, ...chat }: Chat, runId: string | undefined): Promise<RunHandle> {
  return beginChatRun(api, { ...chat, caller: call.caller, headers: call.request.headers, runId });
}

/** Represents a question as it was sent to one of the routes that take one. */
export interface ChatQuestion {
  caller: Caller;
  headers: Headers;
  input: ChatInput;
  attachments: readonly Attachment[];
  reads: "events" | "answer";
  signal: AbortSignal;
  runId?: string | undefined;
}

/** Returns a question that has waited as one that is asked now. Nobody is there to read its events, so it is finished without. */
export function toChatQuestion(
  { caller, headers, input, attachments, conversationId, reservedRunId: runId }: WaitingQuestion,
  signal: AbortSignal,
): ChatQuestion {
  const asked: ChatInput = { ...input, conversation_id: conversationId, on_disconnect: "finish" };
  return { caller, headers, input: asked, attachments, reads: "events", signal, runId };
}

/** Begins the run of a question. Throws where what it names is not there, and where no run can begin. */
export async function beginChatRun(
  api: ApiContext,
  { caller, headers, input, attachments, reads, signal, runId }: ChatQuestion,
): Promise<RunHandle> {
  const scope: CallerScope = { ...api, caller };
  const asks = input.asks === true;
  const earlier = await findEarlierTurns(scope, input);
  const asked: RunQuestionRequest = {
    scope,
    input: toAskInput(input),
    attachments: [...attachments, ...earlier.attachments],
    after: input.parent,
    onDisconnect: input.on_disconnect,
    chain: readChain(undefined, input.duet_chain, headers),
    host: { asksForms: asks },
    // One answer can hand out what waits for a person; a reader of events who answers nothing is not to wait for it.
    isUnattended: reads === "events" && !asks,
    locale: input.locale ?? scope.duet.localeFor(input.message),
    models: await chooseRunModels(scope.duet, input, signal),
    answerForm: input.output_schema && (await openOutputSchema(input.output_schema, outputSchemaPlace)),
    isInteractive: isFromOwnPage({ headers }),
    runId,
  };
  asked.input = await leaveAfterSwitch(asked);
  // What another mode begins anew follows nothing.
  if (asked.input.conversation_id !== (input.conversation_id || undefined)) asked.after = undefined;
  await scope.runs.prepare(caller);
  const run = input.confirmation ? await confirmRun(asked, input.confirmation) : beginRun(asked);
  if (input.make_title && api.makesTitles) void makeTitleAfter(api, run);
  return run;
}

/**
 * Returns the two models for a question, or undefined when the question names none. Only models that can be chosen are accepted:
 * a caller never says where a model is. Throws `HttpRefusalError`.
 */
export async function chooseRunModels(
  duet: Duet,
  { models, parameters }: ChatInput,
  signal: AbortSignal,
): Promise<AskRequest["models"]> {
  const changes: ModelChanges = {
    functionCall: models?.function_call,
    answer: models?.answer,
    parameters: parameters && {
      functionCall: toParameters(parameters.function_call),
      answer: toParameters(parameters.answer),
    },
  };
  if (Object.values(changes).every((change) => change === undefined)) return undefined;
  await refuseOthers(duet, { "models.function_call": models?.function_call, "models.answer": models?.answer }, signal);
  try {
    return await duet.models.open(changes);
  } catch (thrown) {
    if (!(thrown instanceof DuetError) || thrown.code !== "config") throw thrown;
    throw new HttpRefusalError({ status: 400, text: withParameterPlace(thrown.text), hint: thrown.hint });
  }
}

/** Names a refused parameter by its place in the body. Where one model does both, the parameters of `answer` apply. */
function withParameterPlace({ zh, en }: Text): Text {
  const rename = (text: string): string =>
    text.replace(
      /^(?:(function_call|answer)\.)?(?=(?:temperature|top_p|max_tokens): )/,
      (_, role = "answer") => `parameters.${role}.`,
    );
  return { zh: rename(zh), en: rename(en) };
}

function toParameters(given: NonNullable<ChatInput["parameters"]>["answer"]): ModelParameters | undefined {
  return given && { temperature: given.temperature, topP: given.top_p, maxTokens: given.max_tokens };
}

async function refuseOthers(
  duet: Duet,
  named: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<void> {
  const given = Object.entries(named).filter(([, name]) => name !== undefined);
  if (given.length === 0) return;
  const choices = await duet.models.listNames(signal);
  for (const [field, name = ""] of given) {
    if (choices.includes(name)) continue;
    const shown = showValue(name);
    const allowed = choices.join(", ");
    throw new HttpRefusalError({
      status: 400,
      text: {
        zh: `${field}: ${shown} 不可选（允许：${allowed}）`,
        en: `${field}: ${shown} cannot be chosen (allowed: ${allowed})`,
      },
    });
  }
}
