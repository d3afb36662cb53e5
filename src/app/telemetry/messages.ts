/** A piece of a message in the words of the GenAI conventions. */
export interface Part {
  type: "text" | "reasoning";
  content: string;
}

/** A list of one message, as the conventions have it in an attribute: JSON text. */
export function message(role: "user" | "assistant", parts: readonly Part[], finishReason?: string): string {
  return JSON.stringify([{ role, parts, finish_reason: finishReason }]);
}
