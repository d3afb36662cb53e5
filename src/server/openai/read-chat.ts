import * as z from "zod";
import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { describeNoObject } from "../api/read-fields.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import { parseInput } from "../mcp/read-input.ts";
import { fieldRefusedError } from "../model-api/field-refused-error.ts";
import { parseMode, reasoningDetails } from "../model-api/model-names.ts";
import type { ModelRequest } from "../model-api/model-request.ts";
import type { WireMessage } from "./read-messages.ts";

/** Represents a request for a chat completion, limited to the fields that Duet uses. Its messages are read by `readMessages`. */
export interface ChatRequest extends Omit<ModelRequest, "conversation"> {
  messages: readonly WireMessage[];
  includesUsage: boolean;
}

const stopText = z.string().min(1).max(1000);
const tokens = z.int().min(1).nullish();

/** Clients send many more fields, and null for what they do not set. */
export const chatBody = z.looseObject({
  model: z.string().min(1).max(200),
  messages: z
    .array(
      z.looseObject({
        role: z.string().max(100),
        content: z
          .unknown()
          .optional()
          .describe("A text, or parts: text, image_url (an http, https or data: URL), file (file_data in base64)."),
      }),
    )
    .min(1)
    .max(10_000),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: tokens,
  max_completion_tokens: tokens,
  temperature: z.number().min(0).lt(2).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  n: z.int().min(1).max(1).nullish(),
  stop: z.union([stopText, z.array(stopText).max(16)]).nullish(),
  response_format: z
    .looseObject({ type: z.string(), json_schema: z.looseObject({ schema: z.unknown() }).nullish() })
    .nullish(),
  user: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  reasoning: z
    .union([z.enum(reasoningDetails), z.looseObject({ exclude: z.boolean().nullish() })])
    .nullish()
    .describe("How much of its work the run tells in reasoning_content: none, brief or full."),
});

/** Throws `HttpRefusalError` (400, or 404 for the model) with one line that names the field, its value and what is allowed. */
export function readChat(body: unknown): ChatRequest {
  const fields = readFields(body);
  const mode = parseMode(fields.model);
  const { messages, stream, stream_options, stop, tools, functions, reasoning } = fields;
  refuseToolChoice("tool_choice", fields.tool_choice);
  refuseToolChoice("function_call", fields.function_call);
  return {
    model: fields.model,
    mode,
    messages,
    isStreamed: stream ?? false,
    includesUsage: stream_options?.include_usage ?? false,
    maxTokens: fields.max_completion_tokens ?? fields.max_tokens ?? undefined,
    temperature: fields.temperature ?? undefined,
    topP: fields.top_p ?? undefined,
    stop: toStopTexts(stop),
    toolChoice: fields.tool_choice === "none" ? "none" : undefined,
    format: readFormat(fields.response_format),
    search: isRecord(fields.web_search_options) ? true : undefined,
    tools: [tools, functions].some((list) => Array.isArray(list) && list.length > 0) ? [unreadTool] : [],
    reasoning: typeof reasoning === "string" ? reasoning : reasoning?.exclude === true ? "none" : undefined,
    user: fields.safety_identifier ?? fields.user ?? undefined,
    fields: chatFields,
  };
}

function readFields(body: unknown): z.infer<typeof chatBody> {
  if (!isRecord(body)) throw new HttpRefusalError({ status: 400, text: describeNoObject(body) });
  const read = parseInput(chatBody, body);
  if ("input" in read) return read.input;
  const [problem] = read.problems;
  throw fieldRefusedError(problem?.path ?? "", problem?.text ?? describeNoObject(body));
}

/** A client cannot make Duet call one of the client's tools: Duet would wait for a call that never comes. */
function refuseToolChoice(param: string, choice: unknown): void {
  if (choice === undefined || choice === null || choice === "auto" || choice === "none") return;
  const shown = JSON.stringify(choice).slice(0, 100);
  throw fieldRefusedError(param, {
    zh: `${shown} 不可用（允许：auto、none）：Duet 运行自己的工具，不调用请求中的工具`,
    en: `${shown} (allowed: auto, none): Duet runs its own tools and calls none of the request's`,
  });
}

function toStopTexts(stop: z.infer<typeof chatBody>["stop"]): readonly string[] | undefined {
  const texts = typeof stop === "string" ? [stop] : (stop ?? []);
  return texts.length > 0 ? texts : undefined;
}

/** Reads the kind of format. The schema itself is checked when it is opened. */
function readFormat(format: z.infer<typeof chatBody>["response_format"]): ChatRequest["format"] {
  const type = format?.type ?? "text";
  if (type === "text") return undefined;
  if (type === "json_object") return { type };
  if (type !== "json_schema") throw fieldRefusedError("response_format.type", describeFormats(type));
  const schema = format?.json_schema?.schema;
  if (!isRecord(schema)) throw fieldRefusedError("response_format.json_schema.schema", describeMissingSchema);
  return { type, name: "answer", schema };
}

function describeFormats(type: string): Text {
  const shown = JSON.stringify(type.slice(0, 50));
  const allowed = "text, json_object, json_schema";
  return { zh: `${shown} 不可用（允许：${allowed}）`, en: `${shown} (allowed: ${allowed})` };
}

const describeMissingSchema: Text = { zh: "缺少（允许：JSON Schema）", en: "is missing (allowed: a JSON Schema)" };

const unreadTool = { name: "", description: "", inputSchema: {} };

const chatFields = {
  messages: "messages",
  schema: "response_format.json_schema.schema",
  temperature: "temperature",
  topP: "top_p",
};
