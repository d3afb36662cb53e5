import { isRecord, type JsonObject } from "../../core/json.ts";
import type { AssistantMessage, Message } from "../../core/messages.ts";
import type { ModelRequest, ToolDefinition } from "../../core/model.ts";
import { nativePayload, pairedHistory, wireToolName } from "../history.ts";
import type { ModelSettings } from "../settings.ts";

/** The body of a chat completion, with the fields that vendors add to OpenAI's. */
export interface ChatRequest {
  [field: string]: unknown;
  model: string;
  messages: ChatMessage[];
  tools?: ChatTool[];
  stream: true;
}

export type ChatMessage =
  | { role: "system" | "user"; content: string }
  | ChatAssistantMessage
  | { role: "tool"; tool_call_id: string; content: string };

export interface ChatAssistantMessage {
  role: "assistant";
  content: string | null;
  tool_calls?: ChatToolCall[];
  reasoning_content?: string;
  extra_content?: unknown;
}

export interface ChatToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
  extra_content?: unknown;
}

export interface ChatTool {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/** What an assistant message keeps for the model that wrote it. */
export interface ChatNative {
  reasoningContent?: string;
  extraContent?: unknown;
  /** By the id of the call. */
  callExtras?: Record<string, unknown>;
}

/** Ours to theirs. */
export function toChatRequest(request: ModelRequest, settings: ModelSettings): ChatRequest {
  const { quirks } = settings;
  const hasTools = request.tools.length > 0;
  const effort = (hasTools ? quirks.effortWithTools : undefined) ?? settings.reasoningEffort ?? quirks.defaultEffort;
  const reasons = effort !== undefined && effort !== "none";
  const samples = quirks.noSampling === undefined || (quirks.noSampling === "while-reasoning" && !reasons);
  return {
    model: settings.servedAs ?? settings.model,
    messages: pairedHistory(request.messages).map((message) => toChatMessage(message, settings)),
    tools: hasTools ? request.tools.map(toChatTool) : undefined,
    stream: true,
    stream_options: quirks.noStreamOptions ? undefined : { include_usage: true },
    temperature: samples ? settings.temperature : undefined,
    top_p: samples ? settings.topP : undefined,
    [quirks.maxTokensField ?? "max_tokens"]: request.maxTokens ?? settings.maxTokens,
    reasoning_effort: effort,
    ...quirks.body,
  };
}

function toChatMessage(message: Message, settings: ModelSettings): ChatMessage {
  if (message.role === "assistant") return toChatAssistant(message, settings);
  if (message.role === "tool") return { role: "tool", tool_call_id: message.callId, content: message.content };
  return { role: message.role, content: message.content };
}

function toChatAssistant(message: AssistantMessage, settings: ModelSettings): ChatAssistantMessage {
  const native = readNative(nativePayload(message.native, settings));
  const foreign = native === undefined ? settings.quirks.foreignCallExtra : undefined;
  const calls = message.toolCalls.map(
    (call, position): ChatToolCall => ({
      id: call.id,
      type: "function",
      // Broken arguments in the history make DashScope refuse every later request.
      function: { name: wireToolName(call.name), arguments: call.arguments ? call.argumentsText || "{}" : "{}" },
      extra_content: native?.callExtras?.[call.id] ?? (position === 0 ? foreign : undefined),
    }),
  );
  return {
    role: "assistant",
    content: message.content || null,
    tool_calls: calls.length > 0 ? calls : undefined,
    reasoning_content: settings.quirks.echoReasoning ? (native?.reasoningContent ?? "") : undefined,
    extra_content: native?.extraContent,
  };
}

function readNative(payload: unknown): ChatNative | undefined {
  if (!isRecord(payload)) return undefined;
  return {
    reasoningContent: typeof payload.reasoningContent === "string" ? payload.reasoningContent : undefined,
    extraContent: payload.extraContent,
    callExtras: isRecord(payload.callExtras) ? payload.callExtras : undefined,
  };
}

// An object without `properties` is refused, and `$schema` is only weight.
function toChatTool(tool: ToolDefinition): ChatTool {
  const { $schema: _, ...schema } = tool.inputSchema;
  const parameters = { ...schema, type: "object", properties: schema.properties ?? emptyProperties };
  return { type: "function", function: { name: tool.name, description: tool.description, parameters } };
}

const emptyProperties: JsonObject = {};
