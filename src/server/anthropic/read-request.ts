import * as z from "zod";
import type { ClientToolDefinition } from "../../core/client-tools.ts";
import type { HttpRefusal } from "../http/response/dialects.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { AnswerRequest, ModelMessage } from "../model-api/answer/answer-request.ts";
import { parseMode } from "../model-api/model-names.ts";
import { readFields } from "../model-api/read/read-fields.ts";
import { toConversation } from "../model-api/to-conversation.ts";
import { readMessages } from "./read-messages.ts";
import { readToolChoice, readTools, toToolField } from "./read-tools.ts";

/** Represents a request for a message. */
export interface MessageRequest extends AnswerRequest {
  isStreamed: boolean;
  /** Names the person who asks, in the client's words. It counts for a trusted key only. */
  user: string | undefined;
}

/** Holds what a count of tokens is about. */
export interface CountRequest {
  messages: readonly ModelMessage[];
  tools: readonly ClientToolDefinition[];
}

const content = z.union([z.string(), z.array(z.looseObject({ type: z.string().max(100) }))]);

/** Holds the fields that both a message and the count of its tokens have. */
const sharedFields = {
  model: z.string().min(1).max(200),
  messages: z
    .array(
      z.looseObject({
        role: z.enum(["user", "assistant", "system"]),
        content: content.describe("A text, or blocks: text, image, document, search_result, tool_use, tool_result."),
      }),
    )
    .min(1)
    .max(10_000),
  system: content.nullish().describe("A text, or blocks of the type text."),
  tools: z
    .array(
      z.looseObject({
        type: z.string().max(100).nullish(),
        name: z.string().min(1).max(1000),
        description: z.string().nullish(),
        input_schema: z.looseObject({}).nullish(),
      }),
    )
    .max(1000)
    .nullish(),
};

const format = z.looseObject({ type: z.literal("json_schema"), schema: z.looseObject({}) }).nullish();

/** Is the body of `POST /v1/messages/count_tokens`. */
export const countBody = z.looseObject(sharedFields);

/** Is the body of `POST /v1/messages`. Clients send more fields, such as `top_k`, and null for what they do not set. */
export const messageBody = z.looseObject({
  ...sharedFields,
  max_tokens: z.int().min(1),
  stream: z.boolean().nullish(),
  stop_sequences: z.array(z.string().min(1).max(1000)).max(16).nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  tool_choice: z
    .looseObject({
      type: z.enum(["auto", "any", "tool", "none"]),
      name: z.string().max(1000).nullish(),
      disable_parallel_tool_use: z.boolean().nullish(),
    })
    .nullish(),
  thinking: z.looseObject({ type: z.string().max(100), display: z.string().nullish() }).nullish(),
  output_config: z.looseObject({ format }).nullish(),
  metadata: z.looseObject({ user_id: z.string().nullish() }).nullish(),
  thread: z.looseObject({}).nullish().describe("Is refused: Duet holds no messages, and the request brings them all."),
});

/** Throws `HttpRefusalError` (400, or 404 for the model) with one line that names the field, its value and what is allowed. */
export function readMessageRequest(body: unknown): MessageRequest {
  const asked = readFields(messageBody, body);
  const mode = parseMode(asked.model);
  if (asked.thread) throw new HttpRefusalError(threadRefusal);
  const { own, places, isSearch, notes } = readTools(asked.tools ?? []);
  const conversation = toConversation(readMessages(asked), fields);
  const schema = asked.output_config?.format?.schema;
  return {
    model: asked.model,
    mode,
    conversation: { ...conversation, notes: [...conversation.notes, ...notes] },
    tools: own,
    toolChoice: readToolChoice(asked.tool_choice),
    callsInParallel: asked.tool_choice?.disable_parallel_tool_use !== true,
    format: schema && { type: "json_schema", name: "answer", schema },
    stop: asked.stop_sequences?.length ? asked.stop_sequences : undefined,
    temperature: asked.temperature ?? undefined,
    topP: asked.top_p ?? undefined,
    maxTokens: asked.max_tokens,
    search: isSearch ? true : undefined,
    reasoning: isShown(asked.thinking) ? undefined : "none",
    fields: { ...fields, toToolField: (index, field) => toToolField(places[index] ?? index, field) },
    isStreamed: asked.stream ?? false,
    user: asked.metadata?.user_id ?? undefined,
  };
}

/** Has the tool runners of the official SDKs, which ask for a thread by themselves, go on without one. */
const threadRefusal: HttpRefusal = {
  status: 400,
  text: {
    zh: "thread：Duet 不保存消息（允许：不带这个字段，并在 messages 中带上整个对话）",
    en: "thread: Duet holds no messages (allowed: to leave it out, with the whole conversation in messages)",
  },
  param: "thread",
  details: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
};

/** Reads what is to be counted. Throws `HttpRefusalError` (400, or 404 for the model). */
export function readCountRequest(body: unknown): CountRequest {
  const asked = readFields(countBody, body);
  parseMode(asked.model);
  return { messages: readMessages(asked), tools: readTools(asked.tools ?? []).own };
}

/** Clients that have not asked for thoughts do not expect blocks of them. */
function isShown(thinking: z.infer<typeof messageBody>["thinking"]): boolean {
  return thinking?.type !== undefined && thinking.type !== "disabled" && thinking.display !== "omitted";
}

const fields = {
  messages: "messages",
  callsBeforeResults: {
    zh: "从提问开始的全部消息，包括含 tool_use 的 assistant 消息",
    en: "all messages from the question on, with the tool_use blocks of the assistant's",
  },
  schema: "output_config.format.schema",
  temperature: "temperature",
  topP: "top_p",
  toolChoice: "tool_choice.name",
};
