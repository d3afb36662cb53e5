import type { ClientToolCall } from "../../core/client-tools.ts";
import { tryParseJson } from "../../kit/json.ts";
import type { AnswerCitation, AnswerFinish, AnswerUsage } from "../model-api/answer/answer-end.ts";
import type { WholeAnswer } from "../model-api/answer/answer-events.ts";

/** Names one message in its stream and as a whole. */
export interface MessageId {
  /** Has the form `msg_…`. */
  id: string;
  /** Is the model's name as the client sent it. */
  model: string;
}

export function createMessageId(answerId: string, model: string): MessageId {
  return { id: `msg_${answerId}`, model };
}

/** Returns the object of a message, whose content may still be to come. */
export function toMessage({ id, model }: MessageId, content: readonly object[], ending: MessageEnding): object {
  return { id, type: "message", role: "assistant", model, content, ...ending, container: null };
}

export interface MessageEnding {
  stop_reason: StopReason | null;
  stop_sequence: null;
  usage: MessageUsage;
}

/** Returns a whole answer as one message. */
export function toWholeMessage(naming: MessageId, { reasoning, text, calls, end }: WholeAnswer): object {
  const thought = reasoning === "" ? [] : [{ type: "thinking", thinking: reasoning, signature: naming.id }];
  const citations = end.citations.length > 0 ? end.citations.map(toCitation) : null;
  const said = text === "" && calls.length > 0 ? [] : [{ type: "text", text, citations }];
  const content = [...thought, ...said, ...calls.map((call) => ({ ...toToolUse(call), input: readArguments(call) }))];
  const ending = { stop_reason: stopReasons[end.finish], stop_sequence: null, usage: toUsage(end.usage) };
  return { ...toMessage(naming, content, ending), ...(end.notices && { notices: end.notices }) };
}

export function toToolUse({ id, name }: ClientToolCall): { type: "tool_use"; id: string; name: string } {
  return { type: "tool_use", id, name };
}

function readArguments({ argumentsText }: ClientToolCall): unknown {
  return tryParseJson(argumentsText) ?? {};
}

export type StopReason = "end_turn" | "max_tokens" | "refusal" | "tool_use";

export const stopReasons: Readonly<Record<AnswerFinish, StopReason>> = {
  stop: "end_turn",
  length: "max_tokens",
  "content-filter": "refusal",
  "tool-calls": "tool_use",
};

/** Represents a source in the form that Anthropic's web search has. What it said stands in the answer's steps, not here. */
export function toCitation({ url, title }: AnswerCitation): object {
  return { type: "web_search_result_location", url, title, cited_text: "", encrypted_index: "" };
}

/** Counts the tokens of a run as Anthropic does: those that came from a cache are no part of the input's. */
export function toUsage({ inputTokens, outputTokens, cachedTokens }: AnswerUsage) {
  return {
    input_tokens: inputTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    output_tokens: outputTokens,
  };
}

export type MessageUsage = ReturnType<typeof toUsage>;
