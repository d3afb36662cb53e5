import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionSystemMessageParam,
  ChatCompletionToolChoiceOption,
  ChatCompletionToolMessageParam,
  ChatCompletionUserMessageParam,
} from "openai/resources/chat/completions";
import { fromParts, toParts, toPlainText } from "../../../core/model/message-content.ts";
import type { AssistantMessage, ContentPart, Message, MessageContent } from "../../../core/model/messages.ts";
import type { ResponseFormat, ToolDefinition } from "../../../core/model/model.ts";
import type { ModelSettings, Quirks } from "../../../core/model/model-settings.ts";
import { isRecord, type JsonObject } from "../../../kit/json.ts";
import { convertHistory, toWireToolName } from "../../history/convert-history.ts";
import { chooseParameters, type Parameters, toEffortFields } from "../../middleware/parameters.ts";
import type { WireRequest } from "../../middleware/repair.ts";
import { type FileData, noFileData, type PartWriter, toDataUrl, toDocumentName, writeParts } from "../file-data.ts";

/** Describes the body of a chat completion request, with the fields that vendors add to OpenAI's. */
export interface ChatRequest extends Pick<ChatCompletionCreateParamsStreaming, "model" | "stream" | "tools"> {
  [field: string]: unknown;
  messages: ChatMessage[];
}

export type ChatMessage =
  | ChatCompletionSystemMessageParam
  | ChatCompletionUserMessageParam
  | ChatAssistantMessage
  | ChatCompletionToolMessageParam;

export interface ChatAssistantMessage extends ChatCompletionAssistantMessageParam {
  tool_calls?: ChatToolCall[];
  reasoning_content?: string;
  reasoning_details?: unknown[];
  extra_content?: unknown;
}

export interface ChatToolCall extends ChatCompletionMessageFunctionToolCall {
  extra_content?: unknown;
}

/** Holds the parts of an assistant message that only the model that wrote it needs. */
export interface ChatNative {
  reasoningContent?: string;
  extraContent?: unknown;
  /** Maps the id of a call to its extra content. */
  callExtras?: Record<string, unknown>;
  /** Holds reasoning in a gateway's own format. */
  reasoningDetails?: unknown[];
}

/** Maps our values to the vendor's. */
export function toChatRequest(request: WireRequest, settings: ModelSettings, data: FileData = noFileData): ChatRequest {
  const { quirks } = settings;
  const hasTools = request.tools.length > 0;
  const { temperature, topP, effort, maxTokens, allowance, stop, toolChoice } = chooseParameters(request, settings);
  const maxTokensField: keyof ChatCompletionCreateParamsStreaming = quirks.maxTokensField ?? "max_tokens";
  const common = {
    model: settings.servedAs ?? settings.model,
    messages: moveToolImages(convertHistory(request.messages, settings), quirks).map((message) =>
      toChatMessage(message, settings, data),
    ),
    tools: hasTools ? request.tools.map(toChatTool) : undefined,
    stream: true,
    stream_options: { include_usage: true },
    temperature,
    top_p: topP,
    stop,
    tool_choice: toolChoice && toChatToolChoice(toolChoice),
    response_format: request.responseFormat && toChatFormat(request.responseFormat),
  } satisfies ChatCompletionCreateParamsStreaming;
  return {
    ...common,
    [maxTokensField]: maxTokens + allowance,
    ...toEffortFields(effort, quirks),
    ...quirks.body,
  };
}

function toChatToolChoice(choice: NonNullable<Parameters["toolChoice"]>): ChatCompletionToolChoiceOption {
  return typeof choice === "string" ? choice : { type: "function", function: { name: choice.tool } };
}

function toChatFormat(format: ResponseFormat): ChatCompletionCreateParamsStreaming["response_format"] {
  if (format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json_object" };
  const { name, schema, description } = format;
  return { type: "json_schema", json_schema: { name, description, schema, strict: true } };
}

/** A tool's message holds text alone on this wire: its images follow the results of the turn in a message of the user. */
function moveToolImages(messages: readonly Message[], { assistantAfterTools }: Quirks): Message[] {
  const moved: Message[] = [];
  let images: ContentPart[] = [];
  for (const message of [...messages, undefined]) {
    if (message?.role === "tool") {
      const [texts, shown] = splitTexts(message.content);
      moved.push({ ...message, content: texts.length > 0 ? fromParts(texts) : "(see the image below)" });
      if (shown.length > 0) images.push({ type: "text", text: `(Images of the result of ${message.tool}:)` }, ...shown);
      continue;
    }
    if (images.length > 0) {
      if (assistantAfterTools) moved.push({ role: "assistant", content: "(I look at the images.)", toolCalls: [] });
      const after = message?.role === "user" ? toParts(message.content) : [];
      moved.push({ role: "user", content: [...images, ...after] });
      images = [];
      if (message?.role === "user") continue;
    }
    if (message) moved.push(message);
  }
  return moved;
}

function splitTexts(content: MessageContent): [texts: ContentPart[], others: ContentPart[]] {
  const parts = toParts(content);
  return [parts.filter(({ type }) => type === "text"), parts.filter(({ type }) => type !== "text")];
}

function toChatMessage(message: Message, settings: ModelSettings, data: FileData): ChatMessage {
  if (message.role === "assistant") return toChatAssistant(message, settings);
  const { content } = message;
  if (message.role === "tool")
    return { role: "tool", tool_call_id: message.callId, content: toPlainText(content, "en") };
  if (typeof content === "string") return { role: message.role, content };
  return { role: "user", content: writeParts(content, data, chatParts) };
}

const chatParts: PartWriter<ChatCompletionContentPart> = {
  writeText: (text) => ({ type: "text", text }),
  writeImage: (file, base64) => ({ type: "image_url", image_url: { url: toDataUrl(file, base64) } }),
  writeFile: (file, base64) => ({
    type: "file",
    file: { filename: toDocumentName(file), file_data: toDataUrl(file, base64) },
  }),
};

function toChatAssistant(message: AssistantMessage, { quirks }: ModelSettings): ChatAssistantMessage {
  const native = readNative(message.native?.payload);
  // The signature of a turn stands on the first of its calls.
  const unsigned = message.toolCalls.every((call) => native?.callExtras?.[call.id] === undefined);
  const calls = message.toolCalls.map(
    (call, position): ChatToolCall => ({
      id: call.id,
      type: "function",
      function: { name: toWireToolName(call.name), arguments: call.argumentsText },
      extra_content:
        native?.callExtras?.[call.id] ?? (unsigned && position === 0 ? quirks.foreignCallExtra : undefined),
    }),
  );
  return {
    role: "assistant",
    content: message.content || null,
    tool_calls: calls.length > 0 ? calls : undefined,
    reasoning_content: getReasoning(message, native, quirks),
    reasoning_details: native?.reasoningDetails,
    extra_content: native?.extraContent,
  };
}

/**
 * DeepSeek and Kimi require the model's own reasoning byte for byte, even when it is "", and require "" where another model
 * wrote the turn.
 */
function getReasoning(
  { content }: AssistantMessage,
  native: ChatNative | undefined,
  { echoReasoning }: Quirks,
): string | undefined {
  if (!echoReasoning) return undefined;
  const reasoning = native?.reasoningContent ?? "";
  return reasoning === "" && echoReasoning === "never-empty" ? content || " " : reasoning;
}

function readNative(payload: unknown): ChatNative | undefined {
  if (!isRecord(payload)) return undefined;
  return {
    reasoningContent: typeof payload.reasoningContent === "string" ? payload.reasoningContent : undefined,
    extraContent: payload.extraContent,
    callExtras: isRecord(payload.callExtras) ? payload.callExtras : undefined,
    reasoningDetails: Array.isArray(payload.reasoningDetails) ? payload.reasoningDetails : undefined,
  };
}

// An object without `properties` is refused, and `$schema` is only weight.
function toChatTool(tool: ToolDefinition): ChatCompletionFunctionTool {
  const { $schema: _, ...schema } = tool.inputSchema;
  const parameters = { ...schema, type: "object", properties: schema.properties ?? emptyProperties };
  return { type: "function", function: { name: tool.name, description: tool.description, parameters } };
}

const emptyProperties: JsonObject = {};
