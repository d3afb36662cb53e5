import { hash } from "node:crypto";
import type { Attachment } from "../../../core/attachment.ts";
import { readChain } from "../../../core/chain-text.ts";
import type { Outcome } from "../../../core/run/outcome.ts";
import { takeAttachments } from "../../../runs/attachment-input.ts";
import { canHandOut } from "../../../runs/begin-run.ts";
import type { RunHandle } from "../../../runs/live/run-handle.ts";
import type { CallerScope } from "../../../runs/run-service.ts";
import { clientLeft, createLeaveSignal } from "../../http/connection.ts";
import { readJsonBody, toFileBodyLimit } from "../../http/request/read-body.ts";
import { HttpRefusalError, toRetryResponse } from "../../http/response/refusal.ts";
import type { Handle, RouteCall } from "../../http/routes.ts";
import type { ApiContext } from "../api-context.ts";
import { isEventStreamPreferred, readLastId } from "../events/event-headers.ts";
import { watchRun } from "../events/watch-run.ts";
import { type FoundRun, findRun } from "../find-run.ts";
import { toJsonResponse, toRunLocation } from "../json-response.ts";
import { readFields } from "../read-fields.ts";
import { beginChatRun, isFromOwnPage } from "./begin-chat-run.ts";
import { type ChatInput, chatHints, chatInput } from "./chat-input.ts";
import { isKnown, readKey, startOnce } from "./keyed-runs.ts";
import { waitForOutcome } from "./wait-for-outcome.ts";

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

async function isThere({ duet, runs, caller }: CallerScope, runId: string): Promise<boolean> {
  const run = runs.find(runId, caller);
  if (run !== undefined) return isKnown(run);
  const store = await duet.store(caller);
  return (await store.runs({ beginning: runId })).length > 0;
}

function open({ api, call, ...chat }: Chat, runId: string | undefined): Promise<RunHandle> {
  return beginChatRun(api, { ...chat, caller: call.caller, headers: call.request.headers, runId });
}
