import type {
  ResponseCustomToolCall,
  ResponseFunctionToolCall,
  ResponseFunctionWebSearch,
  ResponseOutputMessage,
  ResponseOutputText,
  ResponseReasoningItem,
  ResponseUsage,
  Response as SdkResponse,
} from "openai/resources/responses/responses";
import type { Outcome } from "../../core/run/outcome.ts";
import type { AnswerCitation, AnswerUsage } from "../model-api/answer/answer-end.ts";
import type { AnswerSearch } from "../model-api/answer/answer-search.ts";
import { itemPrefixes, toItemId } from "./ids.ts";
import type { ResponsesBody } from "./request-body.ts";

/**
 * Represents a response as OpenAI's wire has it. The official client adds `output_text`, and its types say less than the wire of what may
 * be null.
 */
export interface WireResponse {
  id: string;
  object: "response";
  /** Is in seconds since 1970, as `completed_at` is. */
  created_at: number;
  completed_at: number | null;
  status: NonNullable<SdkResponse["status"]>;
  background: boolean;
  /** Has a code that OpenAI lists, or another one by which its clients know what to do. */
  error: { code: string; message: string } | null;
  incomplete_details: SdkResponse["incomplete_details"];
  instructions: string | null;
  max_output_tokens: number | null;
  max_tool_calls: null;
  metadata: Record<string, string>;
  model: string;
  output: OutputItem[];
  parallel_tool_calls: boolean;
  previous_response_id: string | null;
  prompt_cache_key: string | null;
  reasoning: object;
  safety_identifier: string | null;
  service_tier: "default";
  store: boolean;
  temperature: number | null;
  text: object;
  tool_choice: unknown;
  tools: readonly unknown[];
  top_logprobs: number;
  top_p: number | null;
  truncation: "disabled";
  usage: ResponseUsage | null;
  user: string | null;
  conversation?: { id: string };
  /** Holds the notices of the result, which OpenAI's object has no place for. */
  notices?: Outcome["notices"];
}

export type OutputItem = WireMessage | WireReasoning | WireFunctionCall | WireCustomCall | WireSearch;

export type WireMessage = Omit<ResponseOutputMessage, "content"> & { content: WireText[] };

export type WireText = Omit<ResponseOutputText, "annotations"> & { annotations: WireCitation[] };

export type WireCitation = ResponseOutputText.URLCitation;

export type WireReasoning = ResponseReasoningItem & { status: ItemStatus };

export type WireFunctionCall = ResponseFunctionToolCall & { id: string; status: ItemStatus };

/** The official client's type has no status, and the wire has. */
export type WireCustomCall = ResponseCustomToolCall & { id: string; status: ItemStatus };

export type WireSearch = Omit<ResponseFunctionWebSearch, "action"> & { action: ResponseFunctionWebSearch.Search };

export type ItemStatus = "in_progress" | "completed" | "incomplete";

export function createMessage(responseId: string, index: number): WireMessage {
  const id = toItemId(itemPrefixes.message, responseId, index);
  return { id, type: "message", status: "in_progress", role: "assistant", content: [] };
}

/** Programs that keep nothing with us send the encrypted content back. What it says does not matter, since thoughts are not read again. */
export function createReasoningItem(responseId: string, index: number, isEncrypted: boolean): WireReasoning {
  const id = toItemId(itemPrefixes.reasoning, responseId, index);
  return { id, type: "reasoning", status: "in_progress", summary: [], ...(isEncrypted && { encrypted_content: id }) };
}

/** Returns a search as the item that it becomes. Programs that want its sources say so. */
export function createSearchItem(
  responseId: string,
  index: number,
  { query, ok, urls }: AnswerSearch,
  showsSources: boolean,
): WireSearch {
  const sources = showsSources ? { sources: urls.map((url) => ({ type: "url" as const, url })) } : {};
  return {
    id: toItemId(itemPrefixes.search, responseId, index),
    type: "web_search_call",
    status: ok ? "completed" : "failed",
    action: { type: "search", query, queries: [query], ...sources },
  };
}

export function createText(): WireText {
  return { type: "output_text", text: "", annotations: [], logprobs: [] };
}

export function toCitation({ url, title, start, end }: AnswerCitation): WireCitation {
  return { type: "url_citation", url, title, start_index: start, end_index: end };
}

/** Counts as OpenAI does: cached tokens are part of the input's, reasoning tokens of the output's. */
export function toUsage({ inputTokens, outputTokens, cachedTokens, reasoningTokens }: AnswerUsage): ResponseUsage {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}

export interface NewResponse {
  id: string;
  /** Is in milliseconds since 1970. */
  createdAt: number;
  body: ResponsesBody;
  /** Is the conversation that the client has named. */
  conversationId: string | undefined;
}

/** Creates a response that has nothing to say yet. It repeats what was asked, as OpenAI's do. */
export function createResponse({ id, createdAt, body, conversationId }: NewResponse): WireResponse {
  return {
    id,
    object: "response",
    created_at: Math.floor(createdAt / 1000),
    status: body.background ? "queued" : "in_progress",
    background: body.background ?? false,
    completed_at: null,
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: null,
    metadata: body.metadata ?? {},
    model: body.model,
    output: [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: { effort: null, summary: null, ...body.reasoning },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: "default",
    store: body.store ?? true,
    temperature: body.temperature ?? null,
    text: { ...body.text, format: body.text?.format ?? { type: "text" } },
    tool_choice: body.tool_choice ?? "auto",
    tools: body.tools ?? [],
    top_logprobs: 0,
    top_p: body.top_p ?? null,
    truncation: "disabled",
    usage: null,
    user: body.user ?? null,
    ...(conversationId !== undefined && { conversation: { id: conversationId } }),
  };
}
