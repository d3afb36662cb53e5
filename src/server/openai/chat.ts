import { chainOf } from "../../core/chain-text.ts";
import { say } from "../../core/locale.ts";
import { readJsonBody } from "../http/read-request.ts";
import type { Handle, RouteCall } from "../http/routes.ts";
import { begin } from "../runs/begin.ts";
import type { RunRoom } from "../runs/room.ts";
import { nameAnswer } from "./completion.ts";
import { holdFor } from "./hold-for.ts";
import { modelsFor } from "./model-parameters.ts";
import { type ChatRequest, readChat } from "./read-chat.ts";
import { readMessages } from "./read-messages.ts";
import { answerSideCall } from "./side-answer.ts";
import { isSideCall } from "./side-calls.ts";
import { type AnswerOptions, streamAnswer } from "./stream-answer.ts";
import { wholeAnswer } from "./whole-answer.ts";

/** `POST /v1/chat/completions`. */
export function createChat(room: RunRoom): Handle {
  return async (call) => {
    const asked = readChat(await readJsonBody(call, room.settings.http.maxBody));
    return isSideCall(asked) ? answerSideCall(room, asked, call) : answer(room, asked, call);
  };
}

async function answer(room: RunRoom, asked: ChatRequest, call: RouteCall): Promise<Response> {
  const { duet, runs } = room;
  const { question, history, instruction, notes } = readMessages(asked.messages);
  const locale = duet.localeFor(question);
  const models = await modelsFor(duet, asked);
  const run = begin({
    seat: { ...room, caller: call.caller },
    input: { question, mode: asked.mode, search: asked.search, max_tokens: asked.maxTokens },
    chain: chainOf(undefined, undefined, call.request.headers),
    host: { asksForms: false },
    // Nobody can be asked over this wire.
    isUnattended: true,
    locale,
    models,
    given: { history, instruction },
  });
  const gone = holdFor(call, run, room);
  const options: AnswerOptions = {
    naming: nameAnswer(run.id, asked.model),
    includesUsage: asked.includesUsage,
    locale,
    notes: [...notes, ...(asked.hasTools ? [unusedTools] : [])].map((note) => say(locale, note)),
    ended: runs.ended,
  };
  const headers = { "x-request-id": run.id };
  if (!asked.isStreamed) return Response.json(await wholeAnswer(run, options, gone), { headers });
  const type = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-transform" };
  return new Response(streamAnswer(run, options), { headers: { ...headers, ...type, "x-accel-buffering": "no" } });
}

const unusedTools = {
  zh: "请求中的工具没有使用：Duet 运行自己的工具。",
  en: "The tools of the request are not used: Duet runs tools of its own.",
};
