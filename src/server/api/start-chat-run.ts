import { readChain } from "../../core/chain-text.ts";
import { beginRun, type RunQuestionRequest } from "../../runs/begin-run.ts";
import { confirmRun } from "../../runs/questions/confirm.ts";
import type { RunHandle } from "../../runs/run-handle.ts";
import type { CallerScope } from "../../runs/run-service.ts";
import type { RouteCall } from "../http/routes.ts";
import type { ApiContext } from "./api-context.ts";
import { type ChatInput, toAskInput } from "./chat-input.ts";
import { chooseRunModels } from "./choose-models.ts";
import { type FoundRun, findRun } from "./find-run.ts";
import { readKey } from "./idempotency.ts";
import { startOnce } from "./start-once.ts";

/** A question that came to `POST /agent/chat`. */
export interface Chat {
  api: ApiContext;
  scope: CallerScope;
  call: RouteCall;
  input: ChatInput;
  /** Whether its caller reads events, and not one answer. */
  reads: "events" | "answer";
  /** Aborts when the caller has left. */
  signal: AbortSignal;
}

/** The run of a question, and whether its caller has named it, to ask for it again. */
export type ChatRun = FoundRun & { isKeyed: boolean };

/** The run that the question's key stands for already, the one that it confirms, or a new one. */
export async function startChatRun(chat: Chat): Promise<ChatRun> {
  const { api, scope, call, input } = chat;
  const { wait_s, ...asked } = input;
  const key = readKey(call.request.headers, call.caller, asked);
  if (key === undefined) return { run: await open(chat, undefined), isKeyed: false };
  const id = await api.keyed.join(key, {
    isThere: (runId) => isThere(scope, runId),
    begin: () => startOnce(scope, key, () => open(chat, key.runId)),
  });
  return { ...(await findRun(scope, id)), isKeyed: true };
}

/** Browsers say so, and no script can: a person sits at the page. */
function comesFromOurPage({ headers }: Request): boolean {
  return headers.get("sec-fetch-site") === "same-origin";
}

async function isThere({ duet, runs, caller }: CallerScope, runId: string): Promise<boolean> {
  if (runs.find(runId, caller) !== undefined) return true;
  const store = await duet.store(caller);
  return (await store.runs({ beginning: runId })).length > 0;
}

async function open({ scope, call, input, reads, signal }: Chat, runId: string | undefined): Promise<RunHandle> {
  const asks = input.asks === true;
  const asked: RunQuestionRequest = {
    scope,
    input: toAskInput(input),
    chain: readChain(undefined, input.duet_chain, call.request.headers),
    host: { asksForms: asks },
    // One answer can hand out what waits for a person; a reader of events who answers nothing is not to wait for it.
    isUnattended: reads === "events" && !asks,
    locale: input.locale ?? scope.duet.localeFor(input.message),
    models: await chooseRunModels(scope.duet, input, signal),
    isInteractive: comesFromOurPage(call.request),
    runId,
  };
  return input.confirmation ? confirmRun(asked, input.confirmation) : beginRun(asked);
}
