/** A piece of a message in the words of the GenAI conventions. */
export interface MessagePart {
  type: "text" | "reasoning";
  content: string;
}

/** A list of one message, as the conventions have it in an attribute: JSON text. */
export function toMessageAttribute(
  role: "user" | "assistant",
  parts: readonly MessagePart[],
  finishReason?: string,
): string {
  return JSON.stringify([{ role, parts, finish_reason: finishReason }]);
}
