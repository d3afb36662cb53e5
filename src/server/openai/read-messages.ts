import type { ModelMessage } from "../model-api/answer/answer-request.ts";
import { readRole } from "../model-api/read/read-role.ts";
import { readContent, readText } from "./read-parts.ts";
import { readCalls } from "./read-tools.ts";

/** Represents a message as a client sends it. Other fields are ignored. */
export interface WireMessage {
  role: string;
  content?: unknown;
  /** Holds an assistant's calls of the client's tools. */
  tool_calls?: unknown;
  /** Names the call to which a result belongs. */
  tool_call_id?: string | null | undefined;
}

const roles: Readonly<Record<string, ModelMessage["role"]>> = {
  system: "instruction",
  developer: "instruction",
  user: "user",
  assistant: "assistant",
  tool: "tool",
  function: "tool",
};

/** Throws `HttpRefusalError` (400), which names the message, for what a run cannot take: a part that is no text, image or file. */
export function readMessages(messages: readonly WireMessage[]): ModelMessage[] {
  return messages.map((message, index) => readMessage(message, `messages[${index}]`));
}

function readMessage(message: WireMessage, place: string): ModelMessage {
  const role = readRole(roles, message.role, place);
  const { content } = message;
  const at = `${place}.content`;
  switch (role) {
    case "tool":
      return { role, result: { callId: message.tool_call_id ?? "", ...readContent(content, at), isError: false } };
    case "user":
      return { role, ...readContent(content, at) };
    case "assistant":
      return { role, text: readText(content, at), calls: readCalls(message.tool_calls) };
    default:
      return { role, text: readText(content, at) };
  }
}
