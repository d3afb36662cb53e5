import { isRecord } from "../../core/json.ts";
import type { AssistantMessage, Message } from "../../core/messages.ts";
import type { ModelRequest, ToolDefinition } from "../../core/model.ts";
import { nativePayload, pairedHistory, wireToolName } from "../history.ts";
import type { ModelSettings } from "../settings.ts";

/** The body of a Messages request, as far as we use it. */
export interface MessagesRequest {
  [field: string]: unknown;
  model: string;
  system?: string;
  messages: TurnParam[];
  tools?: ToolParam[];
  max_tokens: number;
  stream: true;
}

export interface TurnParam {
  role: "user" | "assistant";
  content: Block[];
}

/** A content block as it goes over the wire; those of the model itself go back unread. */
export type Block = { type: string } & Record<string, unknown>;

export interface ToolParam {
  name: string;
  description: string;
  input_schema: Record<string, unknown>;
}

/** Ours to theirs. */
export function toMessagesRequest(request: ModelRequest, settings: ModelSettings): MessagesRequest {
  const { quirks, reasoningEffort: effort } = settings;
  const system = request.messages.filter((message) => message.role === "system").map((message) => message.content);
  const thinks = quirks.adaptiveThinking && effort !== undefined && effort !== "none";
  const samples = quirks.noSampling === undefined || (quirks.noSampling === "while-reasoning" && !thinks);
  return {
    model: settings.servedAs ?? settings.model,
    system: system.join("\n\n").trim() || undefined,
    messages: toTurns(pairedHistory(request.messages), settings),
    tools: request.tools.length > 0 ? request.tools.map(toToolParam) : undefined,
    max_tokens: request.maxTokens ?? settings.maxTokens,
    stream: true,
    // Claude takes one of the two, and the narrower one is what somebody set on purpose.
    temperature: samples && settings.topP === undefined ? settings.temperature : undefined,
    top_p: samples ? settings.topP : undefined,
    thinking: thinks ? { type: "adaptive" } : undefined,
    output_config: thinks ? { effort } : undefined,
    ...quirks.body,
  };
}

/** Neighbours of one role become one turn, so that all results of a round stand first in the next user turn. */
function toTurns(messages: Message[], settings: ModelSettings): TurnParam[] {
  const ids = new CallIds();
  const turns: TurnParam[] = [];
  for (const message of messages) {
    if (message.role === "system") continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = toBlocks(message, settings, ids);
    const previous = turns.at(-1);
    if (previous?.role === role) previous.content.push(...content);
    else turns.push({ role, content });
  }
  return turns;
}

function toBlocks(message: Message, settings: ModelSettings, ids: CallIds): Block[] {
  if (message.role === "assistant") return toAssistantBlocks(message, settings, ids);
  if (message.role !== "tool") return [{ type: "text", text: message.content.trim() ? message.content : "(empty)" }];
  const content = message.content.trim() ? message.content : "(empty)";
  const failed = message.ok ? undefined : true;
  return [{ type: "tool_result", tool_use_id: ids.of(message.callId), content, is_error: failed }];
}

// Thinking blocks must go back byte for byte, in their order; a text of white space alone is refused even from Claude.
function toAssistantBlocks(message: AssistantMessage, settings: ModelSettings, ids: CallIds): Block[] {
  ids.startTurn();
  const native = nativePayload(message.native, settings);
  if (Array.isArray(native)) {
    for (const call of message.toolCalls) ids.keep(call.id);
    return native.filter(isBlock).filter((block) => block.type !== "text" || !isBlank(block.text));
  }
  const text: Block[] = isBlank(message.content) ? [] : [{ type: "text", text: message.content }];
  return text.concat(
    message.toolCalls.map((call) => ({
      type: "tool_use",
      id: ids.make(call.id),
      name: wireToolName(call.name),
      input: call.arguments ?? {},
    })),
  );
}

/** Anthropic allows only some characters in the ids of calls, and each id once in a conversation; others are freer. */
class CallIds {
  #used = new Set<string>();
  #turn = new Map<string, string>();

  startTurn(): void {
    this.#turn = new Map();
  }

  keep(id: string): void {
    this.#used.add(id);
    this.#turn.set(id, id);
  }

  make(id: string): string {
    const base = id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 48) || "call";
    let made = base;
    for (let count = 2; this.#used.has(made); count++) made = `${base}-${count}`;
    this.#used.add(made);
    this.#turn.set(id, made);
    return made;
  }

  of(id: string): string {
    return this.#turn.get(id) ?? id;
  }
}

function toToolParam(tool: ToolDefinition): ToolParam {
  const { $schema: _, ...schema } = tool.inputSchema;
  return { name: tool.name, description: tool.description, input_schema: { ...schema, type: "object" } };
}

function isBlock(value: unknown): value is Block {
  return isRecord(value) && typeof value.type === "string";
}

function isBlank(text: unknown): boolean {
  return typeof text !== "string" || text.trim() === "";
}
