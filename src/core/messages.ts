import type { JsonObject } from "../kit/json.ts";

/**
 * Represents a conversation in a form that is independent of the model. Data that only its author can read (signatures, thinking
 * blocks) is kept in `native`, which a wire returns to the same model and drops for any other.
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
  /** Holds the model's text without its reasoning. It may be empty beside tool calls. */
  content: string;
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
  /** Is unique within its turn. The wire generates it when the provider sent none. */
  id: string;
  name: string;
  /** Holds the arguments as the model wrote them: JSON text, never repaired. */
  argumentsText: string;
  /** Holds the parsed arguments, and is undefined when the text is not a JSON object. */
  arguments: JsonObject | undefined;
}

/** Holds a turn in the wire format of its author. It is opaque to all other code. */
export interface NativeTurn {
  wire: string;
  provider: string;
  model: string;
  payload: unknown;
}
