import type { ClientToolCall } from "../../core/client-tools.ts";
import type { Outcome } from "../../core/run/outcome.ts";
import type { AnswerCitation, AnswerEnd, AnswerFinish, AnswerUsage } from "../model-api/answer/answer-end.ts";

/** Names one answer in each of its pieces. */
export interface CompletionId {
  /** Has the form `chatcmpl-…`. */
  id: string;
  /** Is in seconds since 1970. */
  created: number;
  /** Is the model's name as the client sent it. */
  model: string;
}

export type Finish = "stop" | "length" | "content_filter" | "tool_calls";

const finishes: Readonly<Record<AnswerFinish, Finish>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
};

/** Holds what one piece of a streamed answer adds. */
export interface Delta {
  role?: "assistant";
  content?: string;
  reasoning_content?: string;
  annotations?: Annotation[];
  tool_calls?: (WireCall & { index: number })[];
}

/** Represents a call of a client's tool in OpenAI's format. */
export interface WireCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

export interface CompletionResult {
  text: string;
  reasoning: string;
  calls: readonly ClientToolCall[];
  end: Pick<AnswerEnd, "finish" | "usage" | "citations" | "notices">;
}

export function createCompletionId(answerId: string, model: string): CompletionId {
  return { id: `chatcmpl-${answerId}`, created: Math.floor(Date.now() / 1000), model };
}

/** With `includesUsage` the last piece contains the usage, and all pieces before it contain null. */
export function toChunk(
  naming: CompletionId,
  delta: Delta,
  finish: AnswerFinish | null,
  { includesUsage, notices }: { includesUsage: boolean; notices?: Outcome["notices"] },
): object {
  return {
    id: naming.id,
    object: "chat.completion.chunk",
    created: naming.created,
    model: naming.model,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish && finishes[finish] }],
    ...(includesUsage ? { usage: null } : {}),
    ...(notices && { notices }),
  };
}

export function toUsageChunk({ id, created, model }: CompletionId, usage: AnswerUsage): object {
  return { id, object: "chat.completion.chunk", created, model, choices: [], usage: toWireUsage(usage) };
}

export function toCompletion({ id, created, model }: CompletionId, answer: CompletionResult): object {
  const { text, reasoning, calls, end } = answer;
  const { finish, usage, citations, notices } = end;
  const message = {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    annotations: toAnnotations(citations),
    ...(calls.length > 0 && { tool_calls: calls.map(toWireCall) }),
    ...(reasoning !== "" && { reasoning_content: reasoning }),
  };
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishes[finish] }],
    usage: toWireUsage(usage),
    ...(notices && { notices }),
  };
}

/**
 * Represents a citation in OpenAI's format. `start_index` and `end_index` say where its number is in the text, in UTF-16 units.
 */
export interface Annotation {
  type: "url_citation";
  url_citation: { url: string; title: string; start_index: number; end_index: number };
}

export function toAnnotations(citations: readonly AnswerCitation[]): Annotation[] {
  return citations.map(({ url, title, start, end }) => ({
    type: "url_citation",
    url_citation: { url, title, start_index: start, end_index: end },
  }));
}

export function toWireCall({ id, name, argumentsText }: ClientToolCall): WireCall {
  return { id, type: "function", function: { name, arguments: argumentsText } };
}

function toWireUsage({ inputTokens, outputTokens, cachedTokens, reasoningTokens }: AnswerUsage) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}
