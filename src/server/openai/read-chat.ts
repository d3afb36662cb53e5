import * as z from "zod";
import { isRecord } from "../../kit/json.ts";
import type { AnswerRequest } from "../model-api/answer/answer-request.ts";
import { parseMode, reasoningDetails } from "../model-api/model-names.ts";
import { readFields } from "../model-api/read/read-fields.ts";
import { readFormat } from "../model-api/read/read-format.ts";
import type { WireMessage } from "./read-messages.ts";
import { checkAllowed, readToolChoice, readTools, toToolField, wireTool } from "./read-tools.ts";

/** Represents a request for a chat completion, limited to the fields that Duet uses. Its messages are read by `readMessages`. */
export interface ChatRequest extends Omit<AnswerRequest, "conversation"> {
  messages: readonly WireMessage[];
  includesUsage: boolean;
  /** Names the person who asks, in the client's words. It counts for a trusted key only. */
  user: string | undefined;
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
        tool_calls: z.array(z.unknown()).max(1000).nullish(),
        tool_call_id: z.string().max(1000).nullish(),
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
  tools: z
    .array(wireTool)
    .max(512)
    .nullish()
    .describe("The client's own tools. A call of one ends the answer; the next request brings its result."),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().nullish(),
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
  const fields = readFields(chatBody, body);
  const mode = parseMode(fields.model);
  const { messages, stream, stream_options, stop, tools, reasoning } = fields;
  const { choice, allowed } = readToolChoice(fields.tool_choice);
  const all = readTools(tools ?? []);
  checkAllowed(allowed, all);
  // A tool that may not be called still counts where the client has it.
  const used = [...all.entries()].filter(([, { name }]) => allowed?.has(name) ?? true);
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
    tools: used.map(([, tool]) => tool),
    toolChoice: choice,
    callsInParallel: fields.parallel_tool_calls ?? true,
    format: readFormat(
      { type: fields.response_format?.type, schema: fields.response_format?.json_schema?.schema },
      { type: "response_format.type", schema: chatFields.schema },
    ),
    search: isRecord(fields.web_search_options) ? true : undefined,
    reasoning: typeof reasoning === "string" ? reasoning : reasoning?.exclude === true ? "none" : undefined,
    user: fields.safety_identifier ?? fields.user ?? undefined,
    fields: { ...chatFields, toToolField: (index, field) => toToolField(used[index]?.[0] ?? index, field) },
  };
}

function toStopTexts(stop: z.infer<typeof chatBody>["stop"]): readonly string[] | undefined {
  const texts = typeof stop === "string" ? [stop] : (stop ?? []);
  return texts.length > 0 ? texts : undefined;
}

/** Names the fields of a chat in errors. */
export const chatFields = {
  messages: "messages",
  callsBeforeResults: {
    zh: "从提问开始的全部消息，包括含 tool_calls 的 assistant 消息",
    en: "all messages from the question on, with the tool_calls of the assistant's",
  },
  schema: "response_format.json_schema.schema",
  temperature: "temperature",
  topP: "top_p",
  toolChoice: "tool_choice",
};
