import type { Sample, SamplingReply, SamplingRequest } from "../../core/sampling.ts";
import { createSemaphore } from "../../kit/async/semaphore.ts";
import { waitAbortable } from "../../kit/async/timeout.ts";
import { toDuetError } from "../../kit/errors.ts";
import { isRecord } from "../../kit/json.ts";
import type { AnswerContext, RequestingServer } from "./active-calls.ts";
import { badRequestError, notNowError } from "./request-refusal.ts";

/** Limits a server's sampling requests; lengths are in UTF-16 units. */
const most = { perMinute: 5, messages: 50, characters: 100_000, outputTokens: 4000 };

/** Answers `sampling/createMessage` of one server: texts only, one after the other, a few a minute. */
export function createSampling(asking: RequestingServer, sample: Sample) {
  const turn = createSemaphore(1);
  const starts: number[] = [];

  function count(): void {
    const now = performance.now();
    while (starts.length > 0 && now - (starts[0] ?? 0) > 60_000) starts.shift();
    if (starts.length >= most.perMinute)
      throw notNowError(`At most ${most.perMinute} texts a minute are written for a server`);
    starts.push(now);
  }

  return async (params: unknown, { signal, tell }: AnswerContext): Promise<Record<string, unknown>> => {
    const request = readRequest(asking, params);
    count();
    await turn.acquire(signal);
    try {
      const reply = await waitAbortable(sample(request, signal), signal);
      tell?.("sampling", describeBill(asking, reply));
      return toResult(reply);
    } catch (thrown) {
      signal.throwIfAborted();
      tell?.("sampling-failed", describeFailure(asking, thrown));
      // Not why: that may name our provider, and is none of the server's business.
      throw notNowError("The model has not written the text", thrown);
    } finally {
      turn.release();
    }
  };
}

function readRequest({ from, redact }: RequestingServer, params: unknown): SamplingRequest {
  if (!isRecord(params) || !Array.isArray(params.messages))
    throw badRequestError("A request for a text needs messages");
  const { messages, systemPrompt, maxTokens, tools, toolChoice } = params;
  if (tools !== undefined || toolChoice !== undefined) throw badRequestError("Tools are not supported here");
  if (systemPrompt !== undefined && typeof systemPrompt !== "string")
    throw badRequestError("systemPrompt must be a string");
  if (!Number.isInteger(maxTokens) || Number(maxTokens) < 1)
    throw badRequestError("maxTokens must be a whole number of at least 1");
  if (messages.length === 0 || messages.length > most.messages)
    throw badRequestError(`A request for a text has 1 to ${most.messages} messages`);
  const read = messages.map(readMessage);
  if (read[0]?.role !== "user" || read.at(-1)?.role !== "user")
    throw badRequestError("The first and the last message are the user's");
  const length = read.reduce((sum, { text }) => sum + text.length, systemPrompt?.length ?? 0);
  if (length > most.characters) throw badRequestError(`A request for a text has at most ${most.characters} characters`);
  return {
    from,
    system: systemPrompt && redact(systemPrompt),
    messages: read.map(({ role, text }) => ({ role, text: redact(text) })),
    maxTokens: Math.min(Number(maxTokens), most.outputTokens),
  };
}

function readMessage(message: unknown): SamplingRequest["messages"][number] {
  const { role, content } = isRecord(message) ? message : {};
  if (role !== "user" && role !== "assistant") throw badRequestError('The role of a message is "user" or "assistant"');
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  return { role, text: blocks.map(readBlock).join("\n").toWellFormed() };
}

/** Replaces content that the model cannot be shown by a description of it. */
function readBlock(block: unknown): string {
  const { type, text, mimeType } = isRecord(block) ? block : {};
  if (type === "text" && typeof text === "string") return text;
  if (type === "image" || type === "audio") return `[${type}: ${String(mimeType).slice(0, 100)}]`;
  throw badRequestError("A message is made of texts");
}

function toResult({ text, model, finish }: SamplingReply): Record<string, unknown> {
  const stopReason = finish === "length" ? "maxTokens" : "endTurn";
  return { role: "assistant", content: { type: "text", text }, model, stopReason };
}

function describeBill({ from }: RequestingServer, { model, tokens, costUsd }: SamplingReply) {
  const cost = costUsd === null ? "" : ` · $${costUsd.toFixed(4)}`;
  return {
    zh: `${model} 为 MCP 服务器 ${from} 写了一段文本 · ${tokens} token${cost}`,
    en: `${model} has written a text for the MCP server ${from} · ${tokens} tokens${cost}`,
  };
}

function describeFailure({ from }: RequestingServer, thrown: unknown) {
  const { text } = toDuetError(thrown);
  return {
    zh: `MCP 服务器 ${from} 要的一段文本没有写成：${text.zh}`,
    en: `The text requested by the MCP server ${from} was not written: ${text.en}`,
  };
}
