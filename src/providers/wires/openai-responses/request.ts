import type {
  EasyInputMessage,
  FunctionTool,
  ResponseCreateParamsStreaming,
  ResponseFunctionToolCall,
  ResponseInputFile,
  ResponseInputImage,
  ResponseInputItem,
  ResponseInputText,
} from "openai/resources/responses/responses";
import type { AssistantMessage, Message } from "../../../core/model/messages.ts";
import type { ResponseFormat, ToolDefinition } from "../../../core/model/model.ts";
import type { ModelSettings } from "../../../core/model/model-settings.ts";
import { isRecord, type JsonObject } from "../../../kit/json.ts";
import { convertHistory, toWireToolName } from "../../history/convert-history.ts";
import { chooseParameters, type Parameters } from "../../middleware/parameters.ts";
import type { WireRequest } from "../../middleware/repair.ts";
import { type FileData, noFileData, type PartWriter, toDataUrl, toDocumentName, writeParts } from "../file-data.ts";

/** Describes the fields of a Responses request body that Duet uses. */
export interface ResponsesRequest
  extends Pick<
    ResponseCreateParamsStreaming,
    "model" | "tools" | "include" | "store" | "stream" | "text" | "tool_choice"
  > {
  [field: string]: unknown;
  input: InputItem[];
  max_output_tokens: number;
  /** The effort is in the words of the vendor, which may be newer than the package. */
  reasoning?: { effort?: string; summary?: "auto" };
}

export type InputItem = EasyInputMessage | ResponseFunctionToolCall | ResponseInputItem.FunctionCallOutput | OutputItem;

/** Represents an item as the model sent it; it is sent back unread. */
export type OutputItem = { type: string } & Record<string, unknown>;

/** Selects optional features, which some models and some accounts are refused. */
export interface Extras {
  summary: boolean;
  encryptedReasoning: boolean;
}

/** OpenAI refuses a smaller limit. */
const leastOutputTokens = 16;

/** Maps our values to the vendor's. */
export function toResponsesRequest(
  request: WireRequest,
  settings: ModelSettings,
  extras: Extras = { summary: true, encryptedReasoning: true },
  data: FileData = noFileData,
): ResponsesRequest {
  const { quirks } = settings;
  const canReason = !quirks.noReasoning;
  const { temperature, topP, effort, maxTokens, allowance, toolChoice } = chooseParameters(request, settings);
  const summary = extras.summary && effort !== "none" ? "auto" : undefined;
  const common = {
    model: settings.servedAs ?? settings.model,
    tools: request.tools.length > 0 ? request.tools.map(toTool) : undefined,
    max_output_tokens: Math.max(leastOutputTokens, maxTokens + allowance),
    temperature,
    top_p: topP,
    tool_choice: toolChoice && toToolChoice(toolChoice),
    text: request.responseFormat && toTextConfig(request.responseFormat),
    include: canReason && extras.encryptedReasoning ? ["reasoning.encrypted_content"] : undefined,
    // Nothing of a conversation stays with the vendor: what must come back is sent.
    store: false,
    stream: true,
  } satisfies ResponseCreateParamsStreaming;
  return {
    ...common,
    input: convertHistory(request.messages, settings).flatMap((message) => toItems(message, settings, data)),
    reasoning: canReason && (effort || summary) ? { effort, summary } : undefined,
    ...quirks.body,
  };
}

function toToolChoice(choice: NonNullable<Parameters["toolChoice"]>): ResponsesRequest["tool_choice"] {
  return typeof choice === "string" ? choice : { type: "function", name: choice.tool };
}

function toTextConfig(format: ResponseFormat): ResponsesRequest["text"] {
  if (format.type === "text") return undefined;
  if (format.type === "json_object") return { format: { type: "json_object" } };
  const { name, schema, description } = format;
  return { format: { type: "json_schema", name, description, schema, strict: true } };
}

function toItems(message: Message, settings: ModelSettings, data: FileData): InputItem[] {
  if (message.role === "assistant") return getNativeItems(message) ?? toNeutralItems(message, settings);
  const { content } = message;
  const written = typeof content === "string" ? content : writeParts(content, data, responseParts);
  if (message.role !== "tool") return [{ role: message.role, content: written }];
  return [{ type: "function_call_output", call_id: message.callId, output: written }];
}

const responseParts: PartWriter<ResponseInputText | ResponseInputImage | ResponseInputFile> = {
  writeText: (text) => ({ type: "input_text", text }),
  writeImage: (file, base64) => ({ type: "input_image", image_url: toDataUrl(file, base64), detail: "auto" }),
  writeFile: (file, base64) => ({
    type: "input_file",
    filename: toDocumentName(file),
    file_data: toDataUrl(file, base64),
  }),
};

/** The vendor whose model labelled a text wants the label back with it; others may refuse a field that they do not know. */
function toNeutralItems({ content, toolCalls, phase, author }: AssistantMessage, settings: ModelSettings): InputItem[] {
  const label = phase && author?.startsWith(`${settings.provider}/`) ? { phase } : undefined;
  const said: InputItem[] = content === "" ? [] : [{ role: "assistant", content, ...label }];
  return said.concat(
    toolCalls.map((call) => ({
      type: "function_call",
      call_id: call.id,
      name: toWireToolName(call.name),
      arguments: call.argumentsText,
    })),
  );
}

/** Returns the turn in its author's own items. Returns undefined where they would be refused and neutral items are equivalent. */
function getNativeItems({ native, toolCalls }: AssistantMessage): OutputItem[] | undefined {
  if (!Array.isArray(native?.payload)) return undefined;
  const items = native.payload.filter(isItem);
  const asked = items.filter((item) => item.type === "function_call");
  const sameCalls =
    asked.length === toolCalls.length &&
    toolCalls.every(({ id, name, argumentsText }, position) => {
      const item = asked[position];
      return item?.call_id === id && item.name === toWireToolName(name) && item.arguments === argumentsText;
    });
  if (!sameCalls || !items.every(isSelfContained)) return undefined;
  return removeOrphans(items);
}

/**
 * Reasoning can only be sent back when it came encrypted or as plain text; its id alone means nothing when the vendor does not
 * store it.
 */
function isSelfContained(item: OutputItem): boolean {
  if (item.type !== "reasoning") return true;
  return !!item.encrypted_content || (Array.isArray(item.content) && item.content.length > 0);
}

// "Item 'rs_...' of type 'reasoning' was provided without its required following item" refuses the whole request.
function removeOrphans(items: OutputItem[]): OutputItem[] | undefined {
  const last = items.findLastIndex((item) => item.type !== "reasoning");
  return last < 0 ? undefined : items.slice(0, last + 1);
}

// `strict` left out means strict here, and an object without `properties` is refused.
function toTool(tool: ToolDefinition): FunctionTool {
  const { $schema: _, ...schema } = tool.inputSchema;
  const parameters = { ...schema, type: "object", properties: schema.properties ?? emptyProperties };
  return { type: "function", name: tool.name, description: tool.description, parameters, strict: false };
}

export function isItem(value: unknown): value is OutputItem {
  return isRecord(value) && typeof value.type === "string";
}

const emptyProperties: JsonObject = {};
