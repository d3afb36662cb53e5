import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { isRecord, type JsonObject, type JsonSchema } from "../../kit/json.ts";
import type { RawResult } from "../calls/content.ts";
import { mostRounds } from "../limits.ts";
import { looseResult } from "./loose-result.ts";

export type Request =
  | { method: string; params: Record<string, unknown> }
  /** A call whose arguments are mirrored into HTTP headers: only the package's own call does that. */
  | { method: string; call: Call; inputSchema: JsonSchema };

interface Call {
  name: string;
  arguments: JsonObject;
  _meta?: Record<string, unknown> | undefined;
}

/** Answers one question that a server puts in place of a result. */
export type Answer = (method: string, params: unknown) => Promise<Record<string, unknown>>;

/** The timer of the package is never the one that ends a call: it can be neither paused nor told apart from a cancel. */
const never = 2 ** 31 - 1;

/**
 * Sends a request and answers what the server asks before it has a result (`input_required` of 2026-07-28). Rejects with the
 * package's errors.
 */
export async function sendWithInput(
  client: Client,
  request: Request,
  options: Pick<RequestOptions, "signal" | "onprogress">,
  answer: Answer,
): Promise<RawResult> {
  let more: Record<string, unknown> = {};
  for (let round = 0; round < mostRounds; round++) {
    const result = await send(client, request, more, options);
    if (result.resultType !== "input_required") return result;
    const asked = isRecord(result.inputRequests) ? Object.entries(result.inputRequests) : [];
    const inputResponses: Record<string, unknown> = {};
    for (const [key, question] of asked) inputResponses[key] = await answerOne(question, answer);
    more = { inputResponses, requestState: result.requestState };
  }
  throw new Error(`The server has asked ${mostRounds} times without giving a result`);
}

async function answerOne(question: unknown, answer: Answer): Promise<Record<string, unknown>> {
  if (!isRecord(question) || typeof question.method !== "string") throw new Error("The server asks without a method");
  return answer(question.method, question.params);
}

async function send(
  client: Client,
  request: Request,
  more: Record<string, unknown>,
  { signal, onprogress }: Pick<RequestOptions, "signal" | "onprogress">,
): Promise<RawResult> {
  const options = { signal, onprogress, timeout: never, allowInputRequired: true };
  if ("params" in request) {
    const { method, params } = request;
    return client.request({ method, params: { ...params, ...more } }, looseResult, options);
  }
  const toolDefinition = { name: request.call.name, inputSchema: { ...request.inputSchema, type: "object" as const } };
  return { ...(await client.callTool({ ...request.call, ...more }, { ...options, toolDefinition })) };
}
