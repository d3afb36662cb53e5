import { chainOf } from "../../core/chain-text.ts";
import type { Outcome } from "../../core/outcome.ts";
import { handsOut } from "../../runs/begin-run.ts";
import type { Connection } from "../http/connection.ts";
import { readJsonBody } from "../http/request/read-json-body.ts";
import { againOf } from "../http/response/again.ts";
import type { Handle } from "../http/routes.ts";
import { prefersEvents } from "./accept.ts";
import type { ApiRoom } from "./api-context.ts";
import { chatInput } from "./chat-input.ts";
import { jsonAnswer, placeOf } from "./json-answer.ts";
import { readFields } from "./read-fields.ts";
import { beginChat, type Chat, type ChatRun } from "./start-chat-run.ts";
import { waitForRun } from "./wait-for-outcome.ts";
import { watchRun } from "./watch-run.ts";

/** `POST /agent/chat`: asks the agent, and gives the outcome (the contract's section 5) or the events as they happen. */
export function chatRoute(room: ApiRoom): Handle {
  return async (call) => {
    const { request, connection, caller } = call;
    const input = readFields(chatInput, await readJsonBody(call, room.settings.http.maxBody));
    const reads = prefersEvents(request) ? "events" : "answer";
    const signal = leaving(connection);
    const chat: Chat = { room, seat: { ...room, caller }, call, input, reads, signal };
    const found = await beginChat(chat);
    if (reads === "events") return watchRun(room, found, call);
    const outcome = await answerOf(chat, found).catch((thrown) => {
      if (signal.aborted) return undefined;
      throw thrown;
    });
    if (outcome === undefined) return new Response(null, { status: clientLeft });
    const again = againOf(outcome);
    const status = outcome.status === "running" ? 202 : (again?.status ?? 200);
    return jsonAnswer(outcome, status, { ...placeOf(outcome.run_id), ...again?.headers });
  };
}

/** Nobody reads it; nginx names it so in its logs. */
const clientLeft = 499;

/** A timer takes no more, in milliseconds: the run's own limits end the wait long before. */
const longestMs = 2_147_483_647;

async function answerOf({ seat, call, input, signal }: Chat, { run, kept, isKeyed }: ChatRun): Promise<Outcome> {
  if (kept !== undefined) return kept;
  const chain = chainOf(undefined, input.duet_chain, call.request.headers);
  return waitForRun({
    seat,
    run,
    windowMs: input.wait_s === undefined ? longestMs : input.wait_s * 1000,
    isAsked: input.asks === true,
    handsOut: handsOut(seat, chain),
    isKept: isKeyed,
    signal,
  });
}

function leaving({ onClose }: Connection): AbortSignal {
  const left = new AbortController();
  onClose((isWhole) => {
    if (!isWhole) left.abort();
  });
  return left.signal;
}
