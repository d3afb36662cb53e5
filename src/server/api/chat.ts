import { readChain } from "../../core/chain-text.ts";
import type { Outcome } from "../../core/outcome.ts";
import { canHandOut } from "../../runs/begin-run.ts";
import type { HttpConnection } from "../http/connection.ts";
import { readJsonBody } from "../http/request/read-json-body.ts";
import { toRetryResponse } from "../http/response/again.ts";
import type { Handle } from "../http/routes.ts";
import { isEventStreamPreferred } from "./accept.ts";
import type { ApiContext } from "./api-context.ts";
import { chatInput } from "./chat-input.ts";
import { toJsonResponse, toRunLocation } from "./json-answer.ts";
import { readFields } from "./read-fields.ts";
import { type Chat, type ChatRun, startChatRun } from "./start-chat-run.ts";
import { waitForOutcome } from "./wait-for-outcome.ts";
import { watchRun } from "./watch-run.ts";

/** `POST /agent/chat`: asks the agent, and gives the outcome (the contract's section 5) or the events as they happen. */
export function createChatRoute(api: ApiContext): Handle {
  return async (call) => {
    const { request, connection, caller } = call;
    const input = readFields(chatInput, await readJsonBody(call, api.settings.http.maxBody));
    const reads = isEventStreamPreferred(request) ? "events" : "answer";
    const signal = leaving(connection);
    const chat: Chat = { api, scope: { ...api, caller }, call, input, reads, signal };
    const found = await startChatRun(chat);
    if (reads === "events") return watchRun(api, found, call);
    const outcome = await answerOf(chat, found).catch((thrown) => {
      if (signal.aborted) return undefined;
      throw thrown;
    });
    if (outcome === undefined) return new Response(null, { status: clientLeft });
    const again = toRetryResponse(outcome);
    const status = outcome.status === "running" ? 202 : (again?.status ?? 200);
    return toJsonResponse(outcome, status, { ...toRunLocation(outcome.run_id), ...again?.headers });
  };
}

/** Nobody reads it; nginx names it so in its logs. */
const clientLeft = 499;

/** A timer takes no more, in milliseconds: the run's own limits end the wait long before. */
const longestMs = 2_147_483_647;

async function answerOf({ scope, call, input, signal }: Chat, { run, kept, isKeyed }: ChatRun): Promise<Outcome> {
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

function leaving({ onClose }: HttpConnection): AbortSignal {
  const left = new AbortController();
  onClose((isWhole) => {
    if (!isWhole) left.abort();
  });
  return left.signal;
}
