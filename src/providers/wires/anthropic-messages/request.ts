import type {
  Base64ImageSource,
  CacheControlEphemeral,
  DocumentBlockParam,
  ImageBlockParam,
  MessageCreateParamsStreaming,
  OutputConfig,
  TextBlockParam,
  ThinkingConfigAdaptive,
  ThinkingConfigEnabled,
  Tool,
  ToolResultBlockParam,
  ToolUseBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import type { AssistantMessage, Message } from "../../../core/model/messages.ts";
import type { ToolDefinition } from "../../../core/model/model.ts";
import type { ModelSettings } from "../../../core/model/model-settings.ts";
import { isImageType } from "../../../kit/images/image-type.ts";
import { isRecord } from "../../../kit/json.ts";
import { convertHistory, isBlank, toWireToolName } from "../../history/convert-history.ts";
import { chooseParameters, type Parameters } from "../../middleware/parameters.ts";
import type { WireRequest } from "../../middleware/repair.ts";
import { type FileData, noFileData, type PartWriter, toDocumentName, writeParts } from "../file-data.ts";

/** Describes the fields of a Messages request body that Duet uses. */
export interface MessagesRequest
  extends Pick<
    MessageCreateParamsStreaming,
    "model" | "system" | "max_tokens" | "stream" | "stop_sequences" | "tool_choice"
  > {
  [field: string]: unknown;
  messages: TurnParam[];
  tools?: Tool[];
}

export interface TurnParam {
  role: "user" | "assistant";
  content: Block[];
}

/** Represents a content block as it is sent: one that we wrote, or one that the model wrote, which is sent back unread. */
export type Block =
  | TextBlockParam
  | ImageBlockParam
  | DocumentBlockParam
  | ToolUseBlockParam
  | ToolResultBlockParam
  | NativeBlock;

export type NativeBlock = { type: string } & Record<string, unknown>;

/** Maps our values to the vendor's. */
export function toMessagesRequest(
  request: WireRequest,
  settings: ModelSettings,
  data: FileData = noFileData,
): MessagesRequest {
  const messages = convertHistory(request.messages, settings);
  const system = messages.find((message) => message.role === "system")?.content;
  const parameters = chooseParameters(request, settings);
  const tools = toToolParams(request.tools, messages, parameters.toolChoice);
  const turns = toTurns(messages, chooseMarked(messages, { system, ...tools }), data);
  const thinks = settings.quirks.adaptiveThinking || canThink(turns);
  const parts = {
    system,
    messages: turns,
    ...tools,
  };
  return {
    model: settings.servedAs ?? settings.model,
    ...parts,
    ...(settings.quirks.cacheMarks ? addCacheMarks(parts) : {}),
    stream: true,
    temperature: parameters.temperature,
    top_p: parameters.topP,
    stop_sequences: parameters.stop,
    ...addFormat(toThinkingFields(thinks ? parameters : removeThinking(parameters, request), settings), request),
    ...settings.quirks.body,
  };
}

/** Without thinking, only a second try needs room beside what can be read. */
function removeThinking(parameters: Parameters, { allowance = 0 }: WireRequest): Parameters {
  return { ...parameters, effort: undefined, allowance };
}

/** Anthropic's API knows a form for answers only as a schema. */
function addFormat(
  fields: ThinkingFields,
  { responseFormat: format }: Pick<WireRequest, "responseFormat">,
): ThinkingFields & { output_config?: { format?: OutputConfig["format"] } } {
  if (format?.type !== "json_schema") return fields;
  const { type, schema } = format;
  return { ...fields, output_config: { ...fields.output_config, format: { type, schema } } };
}

/** Tool results and the user message after them become one turn, with the results first. */
function toTurns(messages: readonly Message[], marked: ReadonlySet<Message>, data: FileData): TurnParam[] {
  const turns: TurnParam[] = [];
  for (const message of messages) {
    if (message.role === "system") continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const blocks = toBlocks(message, data);
    const content = marked.has(message) ? markLast(blocks) : blocks;
    const previous = turns.at(-1);
    if (previous?.role === role) previous.content.push(...content);
    else turns.push({ role, content });
  }
  return turns;
}

// With a budget: "a final `assistant` message must start with a thinking block (preceding the lastmost set of `tool_use`
// and `tool_result` blocks)", which the calls of another model do not have.
function canThink(turns: readonly TurnParam[]): boolean {
  const latest = turns.findLast((turn) => turn.role === "assistant")?.content ?? [];
  return latest[0]?.type.endsWith("thinking") || !latest.some((block) => block.type === "tool_use");
}

function toBlocks(message: Message, data: FileData): Block[] {
  if (message.role === "assistant") return getNativeBlocks(message) ?? toNeutralBlocks(message);
  if (message.role !== "tool") return writeParts(message.content, data, messageParts);
  const { callId, content, ok } = message;
  const written = typeof content === "string" ? content : writeParts(content, data, messageParts);
  return [{ type: "tool_result", tool_use_id: callId, content: written, is_error: ok ? undefined : true }];
}

const messageParts: PartWriter<TextBlockParam | ImageBlockParam | DocumentBlockParam> = {
  writeText: (text) => ({ type: "text", text }),
  writeImage: ({ mediaType }, base64) => ({
    type: "image",
    source: { type: "base64", media_type: toImageType(mediaType), data: base64 },
  }),
  writeFile: (file, base64) => ({
    type: "document",
    source: { type: "base64", media_type: "application/pdf", data: base64 },
    title: toDocumentName(file),
  }),
};

/** The types that the vendor takes are those that an image part can have. */
function toImageType(mediaType: string): Base64ImageSource["media_type"] {
  return isImageType(mediaType) ? mediaType : "image/png";
}

// Thinking blocks must go back byte for byte, in their order; a text of white space alone is refused even from Claude.
function getNativeBlocks({ native, toolCalls }: AssistantMessage): Block[] | undefined {
  if (!Array.isArray(native?.payload)) return undefined;
  const blocks = native.payload
    .filter(isBlock)
    .filter((block) => block.type !== "text" || !isBlank(String(block.text)));
  const uses = blocks.filter((block) => block.type === "tool_use");
  const sameCalls =
    uses.length === toolCalls.length && toolCalls.every(({ id }, position) => uses[position]?.id === id);
  return sameCalls ? blocks.map(withFittingName) : undefined;
}

function withFittingName(block: NativeBlock): NativeBlock {
  return block.type === "tool_use" ? { ...block, name: toWireToolName(String(block.name)) } : block;
}

function toNeutralBlocks({ content, toolCalls }: AssistantMessage): Block[] {
  const text: Block[] = content === "" ? [] : [{ type: "text", text: content }];
  return text.concat(
    toolCalls.map((call) => ({
      type: "tool_use",
      id: call.id,
      name: toWireToolName(call.name),
      input: call.arguments ?? {},
    })),
  );
}

/**
 * Anthropic requires that "requests which have `tool_use` or `tool_result` blocks in messages must define tools", even when no
 * tool is available.
 */
function toToolParams(
  tools: readonly ToolDefinition[],
  messages: readonly Message[],
  choice?: Parameters["toolChoice"],
): Partial<Pick<MessagesRequest, "tools" | "tool_choice">> {
  if (tools.length > 0) return { tools: tools.map(toToolParam), tool_choice: choice && toToolChoice(choice) };
  const called = messages.flatMap((message) => (message.role === "tool" ? [toWireToolName(message.tool)] : []));
  if (called.length === 0) return {};
  const past = [...new Set(called)].map((name) => ({ name, description: "", input_schema: emptySchema }));
  return { tools: past, tool_choice: { type: "none" } };
}

function toToolChoice(choice: NonNullable<Parameters["toolChoice"]>): MessagesRequest["tool_choice"] {
  if (typeof choice !== "string") return { type: "tool", name: choice.tool };
  return { type: choice === "required" ? "any" : choice };
}

const emptySchema: Tool.InputSchema = { type: "object" };

function toToolParam(tool: ToolDefinition): Tool {
  const { $schema: _, ...schema } = tool.inputSchema;
  return { name: tool.name, description: tool.description, input_schema: { ...schema, type: "object" } };
}

function isBlock(value: unknown): value is NativeBlock {
  return isRecord(value) && typeof value.type === "string";
}

/** Holds the parts of a request body that get cache marks. */
interface Parts<Tool, Turn> {
  tools?: Tool[];
  system?: string;
  messages: Turn[];
}

/** Anthropic refuses more marks in a request. */
const mostMarks = 4;

/**
 * Returns the messages whose own cache marks are sent: the last of them, as many as the marks that every request gets leave room
 * for. The last message always gets one.
 */
function chooseMarked(
  messages: readonly Message[],
  { tools, system }: { tools?: unknown; system?: unknown },
): Set<Message> {
  const free = mostMarks - 1 - (tools ? 1 : 0) - (system ? 1 : 0);
  const own = messages.slice(0, -1).filter(({ role, cacheMark }) => cacheMark && role !== "system");
  return new Set(own.slice(-free));
}

/**
 * Marks where the next request of the conversation will start to differ: after the tools, after the system prompt and
 * after the last message. Anthropic passes over a mark that stands before too little.
 */
export function addCacheMarks<Tool extends object, Block extends { type: string }, Turn extends { content: Block[] }>({
  tools,
  system,
  messages,
}: Parts<Tool, Turn>) {
  const last = messages.at(-1);
  return {
    tools: tools && markLast(tools),
    system: system === undefined ? undefined : markLast<TextBlockParam>([{ type: "text", text: system }]),
    messages: last ? [...messages.slice(0, -1), { ...last, content: markLast(last.content) }] : messages,
  };
}

/** Marks the last item that can have a mark: "thinking blocks cannot be cached directly with `cache_control`". */
function markLast<Item extends object>(items: readonly Item[]): Item[] {
  const last = items.findLastIndex((item) => !("type" in item && String(item.type).endsWith("thinking")));
  return items.map((item, position) => (position === last ? { ...item, ...mark } : item));
}

const mark: { cache_control: CacheControlEphemeral } = { cache_control: { type: "ephemeral" } };

/** Holds the fields that set how much to think, and the output limit, which includes thinking. */
export interface ThinkingFields {
  max_tokens: number;
  thinking?: ThinkingConfigAdaptive | ThinkingConfigEnabled;
  /** The effort is in the words of the vendor, which may be newer than the package. */
  output_config?: Omit<OutputConfig, "effort"> & { effort?: string };
}

/** Models with adaptive thinking take the effort as a word; older ones take the allowance as a budget of tokens. */
export function toThinkingFields(
  { effort, maxTokens, allowance }: Parameters,
  { quirks }: Pick<ModelSettings, "quirks">,
): ThinkingFields {
  // The limit that was set is meant for what can be read, and a budget must stay below the field's value.
  const max_tokens = maxTokens + allowance;
  if (effort === undefined || effort === "none") return { max_tokens };
  if (quirks.adaptiveThinking) return { max_tokens, thinking: { type: "adaptive" }, output_config: { effort } };
  if (allowance < leastBudget) return { max_tokens: maxTokens };
  return { max_tokens, thinking: { type: "enabled", budget_tokens: allowance } };
}

/** Anthropic refuses a smaller budget. */
const leastBudget = 1024;
