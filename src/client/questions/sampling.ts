import type { Sample, SamplingReply, SamplingRequest } from "../../core/model/sampling.ts";
import type { CallingHost } from "../../core/tools/calling-host.ts";
import { createSemaphore } from "../../kit/async/semaphore.ts";
import { waitAbortable } from "../../kit/async/timeout.ts";
import { toDuetError } from "../../kit/errors.ts";
import { isRecord } from "../../kit/json.ts";
import { redactValue } from "../../kit/text/redact.ts";
import type { AnswerContext, RequestingServer } from "./active-calls.ts";
import { badRequestError, notNowError, RequestRefusedError } from "./request-refusal.ts";

/** Limits a server's sampling requests; lengths are in UTF-16 units. */
const samplingLimits = { perMinute: 5, messages: 50, characters: 100_000, outputTokens: 4000 };

type SampleByHost = NonNullable<CallingHost["sample"]>;

/**
 * Answers `sampling/createMessage` of one server, one after the other, a few a minute: by the model of the host that has made the
 * call itself, where it has one for others, and else by ours, for which everything is a text.
 */
export function createSampling(asking: RequestingServer, sample: Sample) {
  const turn = createSemaphore(1);
  const starts: number[] = [];

  function count(): void {
    const now = performance.now();
    while (starts.length > 0 && now - (starts[0] ?? 0) > 60_000) starts.shift();
    if (starts.length >= samplingLimits.perMinute)
      throw notNowError(`At most ${samplingLimits.perMinute} texts a minute are written for a server`);
    starts.push(now);
  }

  async function askHost(sampleByHost: SampleByHost, params: unknown, { signal, tell }: AnswerContext) {
    const written = await waitAbortable(sampleByHost(toHostRequest(asking, params), signal), signal);
    if (written === undefined) throw notNowError("The host has not written the text");
    tell?.("sampling", describeHostText(asking));
    return written;
  }

  return async (params: unknown, context: AnswerContext): Promise<Record<string, unknown>> => {
    const { signal, tell, billing, host } = context;
    const request = readSamplingRequest(asking, params);
    count();
    await turn.acquire(signal);
    try {
      if (host?.sample) return await askHost(host.sample, params, context);
      const reply = await waitAbortable(sample({ ...request, billing }, signal), signal);
      tell?.("sampling", describeBill(asking, reply));
      return toSamplingResult(reply);
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof RequestRefusedError) throw thrown;
      tell?.("sampling-failed", describeFailure(asking, thrown));
      // Not why: that may name our provider, and is none of the server's business.
      throw notNowError("The model has not written the text", thrown);
    } finally {
      turn.release();
    }
  };
}

function readSamplingRequest({ from, redact }: RequestingServer, params: unknown): SamplingRequest {
  if (!isRecord(params) || !Array.isArray(params.messages))
    throw badRequestError("A request for a text needs messages");
  const { messages, systemPrompt, maxTokens, tools, toolChoice } = params;
  if (tools !== undefined || toolChoice !== undefined) throw badRequestError("Tools are not supported here");
  if (systemPrompt !== undefined && typeof systemPrompt !== "string")
    throw badRequestError("systemPrompt must be a string");
  if (!Number.isInteger(maxTokens) || Number(maxTokens) < 1)
    throw badRequestError("maxTokens must be a whole number of at least 1");
  if (messages.length === 0 || messages.length > samplingLimits.messages)
    throw badRequestError(`A request for a text has 1 to ${samplingLimits.messages} messages`);
  const read = messages.map(readMessage);
  if (read[0]?.role !== "user" || read.at(-1)?.role !== "user")
    throw badRequestError("The first and the last message are the user's");
  const length = read.reduce((sum, { text }) => sum + text.length, systemPrompt?.length ?? 0);
  if (length > samplingLimits.characters)
    throw badRequestError(`A request for a text has at most ${samplingLimits.characters} characters`);
  return {
    from,
    system: systemPrompt && redact(systemPrompt),
    messages: read.map(({ role, text }) => ({ role, text: redact(text) })),
    maxTokens: Math.min(Number(maxTokens), samplingLimits.outputTokens),
  };
}

/** Returns what a host is asked: a request that has been read before, with nothing in it that concerns other servers. */
function toHostRequest({ redact }: RequestingServer, params: unknown): Record<string, unknown> {
  const { messages, systemPrompt, maxTokens, temperature, stopSequences, modelPreferences } = isRecord(params)
    ? params
    : {};
  const limited = Math.min(Number(maxTokens), samplingLimits.outputTokens);
  return redactValue(
    { messages, systemPrompt, maxTokens: limited, temperature, stopSequences, modelPreferences },
    redact,
  );
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

function toSamplingResult({ text, model, finish }: SamplingReply): Record<string, unknown> {
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

function describeHostText({ from }: RequestingServer) {
  return {
    zh: `宿主的模型为 MCP 服务器 ${from} 写了一段文本`,
    en: `The host's model has written a text for the MCP server ${from}`,
  };
}

function describeFailure({ from }: RequestingServer, thrown: unknown) {
  const { text } = toDuetError(thrown);
  return {
    zh: `MCP 服务器 ${from} 要的一段文本没有写成：${text.zh}`,
    en: `The text requested by the MCP server ${from} was not written: ${text.en}`,
  };
}
