import type { ModelMessage } from "../model-api/answer/answer-request.ts";
import { readBlocks, type WireBlock } from "./read-blocks.ts";

/** Represents the messages of a request as a client sends them. */
export interface WireConversation {
  system?: string | readonly WireBlock[] | null | undefined;
  messages: readonly { role: "user" | "assistant" | "system"; content: string | readonly WireBlock[] }[];
}

/** Throws `HttpRefusalError` (400), which names the block, for what a run cannot take. */
export function readMessages({ system, messages }: WireConversation): ModelMessage[] {
  const instruction: ModelMessage[] = system ? [{ role: "instruction", text: readBlocks(system, "system").text }] : [];
  return [...instruction, ...messages.flatMap(readMessage)];
}

/** The results of tools come in the user's message, before what the user says. */
function readMessage({ role, content }: WireConversation["messages"][number], index: number): ModelMessage[] {
  const { text, files, calls, results } = readBlocks(content, `messages[${index}].content`);
  if (role === "system") return [{ role: "instruction", text }];
  if (role === "assistant") return [{ role, text, calls }];
  const told = results.map((result): ModelMessage => ({ role: "tool", result }));
  const isSilent = text.trim() === "" && files.length === 0;
  return isSilent && told.length > 0 ? told : [...told, { role, text, files }];
}
