import * as z from "zod";
import { askOutput } from "../../../runs/ask-schema.ts";
import { chatBody } from "../../openai/read-chat.ts";
import { chatInput } from "../chat-input.ts";
import { conversationListSchema, conversationSchema } from "./conversation-schema.ts";
import { eventSchema } from "./event-schema.ts";
import { chatCompletion, chatCompletionChunk, model, modelList } from "./openai-schema.ts";
import { openAiErrorSchema, problemSchema } from "./problem-schema.ts";
import { questionSchema, replySchema, runListSchema, runSchema } from "./run-schema.ts";
import { settingsSchema } from "./settings-schema.ts";
import { traceSchema } from "./trace-schema.ts";

/** By the names under which operations refer to them. */
const schemas = {
  AgentEvent: eventSchema,
  ChatCompletion: chatCompletion,
  ChatCompletionChunk: chatCompletionChunk,
  ChatCompletionRequest: chatBody,
  ChatRequest: chatInput,
  Conversation: conversationSchema,
  ConversationList: conversationListSchema,
  Model: model,
  ModelList: modelList,
  OpenAiError: openAiErrorSchema,
  Outcome: askOutput,
  Problem: problemSchema,
  Question: questionSchema,
  Reply: replySchema,
  Run: runSchema,
  RunList: runListSchema,
  Settings: settingsSchema,
  Trace: traceSchema,
} as const;

export type SchemaName = keyof typeof schemas;

/** Where a schema of that name stands in the document. */
export function toSchemaReference(name: string): string {
  return `#/components/schemas/${name}`;
}

/** All of them as JSON Schema (2020-12), as OpenAPI 3.1 has it; one that stands in another one is referred to. */
export function createSchemaComponents(): Record<string, object> {
  const named = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) named.add(schema, { id });
  // What more there may be one day is no fault of today's answers: as input, objects take it.
  const { schemas: found } = z.toJSONSchema(named, {
    io: "input",
    uri: toSchemaReference,
    override: withoutUsualBounds,
  });
  return Object.fromEntries(Object.entries(found).map(([name, { $schema, $id, ...schema }]) => [name, schema]));
}

/** That a number is no greater than numbers can be need not be said of each. */
function withoutUsualBounds({ jsonSchema }: { jsonSchema: { minimum?: number; maximum?: number } }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
