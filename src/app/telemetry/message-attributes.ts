import type { Attributes } from "@opentelemetry/api";
import { toPlainText } from "../../core/model/message-content.ts";
import type { AssistantMessage, Message } from "../../core/model/messages.ts";
import type { ModelRequest } from "../../core/model/model.ts";
import type { JsonValue } from "../../kit/json.ts";
import { truncateMiddle } from "../../kit/text/truncate.ts";
import { attribute } from "./attribute-names.ts";

/** Represents a part of a message in the terms of the GenAI conventions. */
export type MessagePart =
  | { type: "text" | "reasoning"; content: string }
  | { type: "tool_call"; id: string; name: string; arguments: JsonValue }
  | { type: "tool_call_response"; id: string; response: string };

/** Limits each text, in characters, and all messages of a request together: a span is held in memory until it is sent. */
const longestText = 32_000;
const longestRequest = 400_000;

/** Returns what a model was asked, as attributes of its span: JSON text, the form that the conventions require. */
export function toRequestAttributes({ messages, tools }: ModelRequest): Attributes {
  const system = messages.flatMap(({ role, content }) =>
    role === "system" ? [{ type: "text", content: shorten(toPlainText(content, "en")) }] : [],
  );
  const definitions = tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    parameters: inputSchema,
  }));
  return {
    [attribute.systemInstructions]: system.length > 0 ? JSON.stringify(system) : undefined,
    [attribute.inputMessages]: `[${keepLast(messages.flatMap(toMessage)).join(",")}]`,
    [attribute.toolDefinitions]: definitions.length > 0 ? JSON.stringify(definitions) : undefined,
  };
}

/** Returns the newest messages as JSON texts, as many as the limit of a request allows. */
function keepLast(messages: readonly object[]): string[] {
  const kept: string[] = [];
  let size = 0;
  for (const message of messages.toReversed()) {
    const json = JSON.stringify(message);
    size += json.length;
    if (size > longestRequest && kept.length > 0) break;
    kept.unshift(json);
  }
  return kept;
}

function toMessage(message: Message): { role: string; parts: MessagePart[] }[] {
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return [{ role: "user", parts: [{ type: "text", content: shorten(toPlainText(message.content, "en")) }] }];
    case "tool": {
      const response = shorten(toPlainText(message.content, "en"));
      return [{ role: "tool", parts: [{ type: "tool_call_response", id: message.callId, response }] }];
    }
    case "assistant":
      return [{ role: "assistant", parts: toOutputParts(message) }];
  }
}

/** Returns what a model wrote: its reasoning, its text and the calls that it asks for. */
export function toOutputParts({ reasoning = "", content, toolCalls }: AssistantMessage): MessagePart[] {
  return [
    ...(reasoning === "" ? [] : [{ type: "reasoning" as const, content: shorten(reasoning) }]),
    ...(content === "" ? [] : [{ type: "text" as const, content: shorten(content) }]),
    ...toolCalls.map(({ id, name, arguments: args, argumentsText }) => ({
      type: "tool_call" as const,
      id,
      name,
      arguments: args ?? argumentsText,
    })),
  ];
}

function shorten(text: string): string {
  return truncateMiddle(text, longestText, (missing) => `[${missing} characters left out]`);
}

/** Returns a list of one message as JSON text, the form that the conventions require in an attribute. */
export function toMessageAttribute(
  role: "user" | "assistant",
  parts: readonly MessagePart[],
  finishReason?: string,
): string {
  return JSON.stringify([{ role, parts, finish_reason: finishReason }]);
}
