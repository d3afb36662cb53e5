/** Represents a part of a message in the terms of the GenAI conventions. */
export interface MessagePart {
  type: "text" | "reasoning";
  content: string;
}

/** Returns a list of one message as JSON text, the form that the conventions require in an attribute. */
export function toMessageAttribute(
  role: "user" | "assistant",
  parts: readonly MessagePart[],
  finishReason?: string,
): string {
  return JSON.stringify([{ role, parts, finish_reason: finishReason }]);
}
