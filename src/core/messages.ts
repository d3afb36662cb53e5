import type { JsonObject } from "../kit/json.ts";

/**
 * The conversation as every model understands it. What only its own author can read (signatures, thinking
 * blocks) travels in `native`, which a wire gives back to the same model and drops for any other.
 */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

export interface SystemMessage {
  role: "system";
  content: string;
}

export interface UserMessage {
  role: "user";
  content: string;
}

export interface AssistantMessage {
  role: "assistant";
  /** The text that the model said, without its reasoning; may be empty beside tool calls. */
  content: string;
  /** The model's own reasoning, as plain text. */
  reasoning?: string;
  toolCalls: ToolCall[];
  native?: NativeTurn;
}

export interface ToolMessage {
  role: "tool";
  callId: string;
  tool: string;
  content: string;
  ok: boolean;
}

export interface ToolCall {
  /** Unique within its turn; made up by the wire where the provider sent none. */
  id: string;
  name: string;
  /** The arguments as the model wrote them: JSON text, never repaired. */
  argumentsText: string;
  /** The parsed arguments; undefined when the text is not a JSON object. */
  arguments: JsonObject | undefined;
}

/** A turn in its author's own words, opaque to everybody else. */
export interface NativeTurn {
  wire: string;
  provider: string;
  model: string;
  payload: unknown;
}
