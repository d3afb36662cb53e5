import * as z from "zod";
import {
  conversationChangesSchema,
  conversationEntrySchema,
  conversationListSchema,
  conversationSchema,
  discardedConversationSchema,
} from "../../../core/schemas/conversation-schema.ts";
import { eventSchema } from "../../../core/schemas/events-schema.ts";
import { operatorSchemas } from "../../../core/schemas/operator-schema.ts";
import { outcomeSchema } from "../../../core/schemas/outcome-schema.ts";
import { ownUsageSchema } from "../../../core/schemas/own-usage-schema.ts";
import { queueSchema, waitingQuestionSchema } from "../../../core/schemas/queue-schema.ts";
import {
  questionSchema,
  replySchema,
  runEntrySchema,
  runListSchema,
  runSchema,
  stepResultSchema,
} from "../../../core/schemas/run-schema.ts";
import { settingsSchema } from "../../../core/schemas/settings-schema.ts";
import { traceSchema } from "../../../core/schemas/trace-schema.ts";
import { errorCodes, requestErrorCodes } from "../../../kit/errors.ts";
import { chatBody } from "../../openai/read-chat.ts";
import { approvalsBody } from "../../operator/approvals-route.ts";
import { promptChangeBody } from "../../operator/prompts-route.ts";
import { signInBody } from "../../operator/server-routes.ts";
import { settingChangesBody } from "../../operator/settings-route.ts";
import { toolChangeBody } from "../../operator/tools-route.ts";
import { responsesBody } from "../../responses/request-body.ts";
import { chatInput } from "../chat/chat-input.ts";
import { queuedInput } from "../conversations/queue-routes.ts";
import { feedbackBody } from "../feedback.ts";
import { imageBody } from "../images.ts";
import { messageBody } from "../messages.ts";
import { pageLimits } from "../page-query.ts";
import { anthropicSchemas } from "./anthropic-schemas.ts";
import {
  deletedResponseSchema,
  responseEventSchema,
  responseItemListSchema,
  responseSchema,
} from "./response-schemas.ts";

/** Describes the response of `GET /agent/runs/{id}/trace`, which may be cut where a stored trace is not. */
export const traceResponseSchema = traceSchema.extend({
  left_out: z
    .object({ characters: z.int(), entries: z.int() })
    .optional()
    .meta({ description: "What was cut from a trace that is too long." }),
});

const usage = z.looseObject({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() });

const annotation = z.object({
  type: z.literal("url_citation"),
  url_citation: z.object({ url: z.string(), title: z.string(), start_index: z.int(), end_index: z.int() }),
});

const notices = outcomeSchema.shape.notices.meta({ description: "As in the result of a run." });

export const chatCompletion = z.looseObject({
  id: z.string(),
  object: z.literal("chat.completion"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.int(),
      message: z.looseObject({
        role: z.literal("assistant"),
        content: z.string().nullable(),
        reasoning_content: z.string().optional().meta({ description: "The steps of the run." }),
        annotations: z.array(annotation).optional().meta({ description: "The citations." }),
      }),
      finish_reason: z.string().nullable(),
    }),
  ),
  usage: usage.optional(),
  notices,
});

export const chatCompletionChunk = z.looseObject({
  id: z.string(),
  object: z.literal("chat.completion.chunk"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.int(),
      delta: z.looseObject({ content: z.string().nullish(), reasoning_content: z.string().nullish() }),
      finish_reason: z.string().nullish(),
    }),
  ),
  usage: usage.nullish(),
  notices,
});

const model = z.object({
  id: z.string().meta({ description: "duet-agent, duet-plan or duet-chat." }),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.string(),
});

export const modelList = z.object({ object: z.literal("list"), data: z.array(model) });

const retryAfter = z.number().optional().meta({ description: "A retry makes sense after this many seconds." });

/** Describes the problem details (RFC 9457) of a request that is not served. */
export const problemSchema = z.object({
  type: z.string().meta({ description: "urn:duet:error: followed by the code." }),
  title: z.string(),
  status: z.int(),
  detail: z.string().meta({ description: "What is wrong, with the value and what is allowed." }),
  code: z.enum([...errorCodes, ...requestErrorCodes]),
  hint: z.string().nullable().meta({ description: "What to do about it." }),
  retry_after_s: retryAfter,
});

/** Describes the same error in OpenAI's format, which is used under `/v1`. */
export const openAiErrorSchema = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
    retry_after_s: retryAfter,
  }),
});

const schemas = {
  ...anthropicSchemas,
  AgentEvent: eventSchema,
  ChatCompletion: chatCompletion,
  ChatCompletionChunk: chatCompletionChunk,
  ChatCompletionRequest: chatBody,
  ChatRequest: chatInput,
  Conversation: conversationSchema,
  ConversationChanges: conversationChangesSchema,
  ConversationEntry: conversationEntrySchema,
  ConversationList: conversationListSchema,
  DeletedResponse: deletedResponseSchema,
  DiscardedConversation: discardedConversationSchema,
  FeedbackRequest: feedbackBody,
  ImageRequest: imageBody,
  Model: model,
  ModelList: modelList,
  OpenAiError: openAiErrorSchema,
  ...operatorSchemas,
  Outcome: outcomeSchema,
  OwnUsage: ownUsageSchema,
  Message: messageBody,
  Problem: problemSchema,
  PromptChange: promptChangeBody,
  Question: questionSchema,
  Queue: queueSchema,
  QueuedQuestion: queuedInput,
  Reply: replySchema,
  Response: responseSchema,
  ResponseEvent: responseEventSchema,
  ResponseItemList: responseItemListSchema,
  ResponseRequest: responsesBody,
  Run: runSchema,
  RunEntry: runEntrySchema,
  RunList: runListSchema,
  SettingChanges: settingChangesBody,
  Settings: settingsSchema,
  SignInRequest: signInBody,
  StepResult: stepResultSchema,
  ToolApprovals: approvalsBody,
  ToolChange: toolChangeBody,
  Trace: traceResponseSchema,
  WaitingQuestion: waitingQuestionSchema,
} as const;

type SchemaName = keyof typeof schemas;

export function toSchemaReference(name: string): string {
  return `#/components/schemas/${name}`;
}

/** Returns all schemas as JSON Schema (2020-12), as OpenAPI 3.1 uses it. Nested schemas are referenced by name. */
export function createSchemaComponents(): Record<string, object> {
  const named = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) named.add(schema, { id });
  // What more there may be one day is no fault of today's answers: as input, objects take it.
  const { schemas: found } = z.toJSONSchema(named, {
    io: "input",
    uri: toSchemaReference,
    override: removeUsualBound,
  });
  return Object.fromEntries(Object.entries(found).map(([name, { $schema, $id, ...schema }]) => [name, schema]));
}

/** Removes the lower bound of safe integers. Of the upper one a client has to know: a greater number is refused. */
function removeUsualBound({ jsonSchema }: { jsonSchema: { minimum?: number } }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

export function describeJson(name: SchemaName) {
  return { "application/json": { schema: { $ref: toSchemaReference(name) } } };
}

export function describeResponse(description: string, name: SchemaName) {
  return { description, content: describeJson(name) };
}

/**
 * Describes an answer that is one object, and with `Accept: text/event-stream` or `stream: true` a stream whose events have this
 * data. OpenAPI 3.1 has no words for a stream, and a second media type would leave generated clients with a choice of types that
 * only a cast resolves, so the stream is an extension.
 */
export function describeStreamed(description: string, name: SchemaName, event: SchemaName, example?: string) {
  const stream = { mediaType: "text/event-stream", eventSchema: { $ref: toSchemaReference(event) } };
  return { ...describeResponse(description, name), "x-event-stream": { ...stream, ...(example && { example }) } };
}

/** Describes problem details for one reason why a request is not served. */
export function describeProblem(description: string) {
  return { description, content: { "application/problem+json": { schema: { $ref: toSchemaReference("Problem") } } } };
}

/**
 * Describes problem details, or the outcome of a run that failed before it did anything. `Retry-After` then says when to ask
 * again.
 */
export function toProblemOrOutcome(description: string) {
  const { content } = describeProblem(description);
  const headers = { "Retry-After": { description: "Seconds.", schema: { type: "integer" } } };
  return { description, headers, content: { ...content, ...describeJson("Outcome") } };
}

export function describePathParameter(name: string, description: string) {
  return { name, in: "path", required: true, description, schema: { type: "string" } };
}

export function describeQueryParameter(name: keyof typeof pageLimits, description: string) {
  const { from, to, otherwise } = pageLimits[name];
  const schema = { type: "integer", minimum: from, maximum: to, default: otherwise };
  return { name, in: "query", description, schema };
}

export const pageParameters = [
  describeQueryParameter("limit", "How many."),
  describeQueryParameter("offset", "How many to skip."),
];

/** Says why a request may be refused on any path, signed in or not. */
export const refusedPage = { 403: describeProblem("This Host, or a page of this origin, is not allowed.") };

/** Lists why any request under `/agent` may be refused. */
export const commonProblems = {
  401: describeProblem("The token is missing or not valid; see WWW-Authenticate."),
  403: describeProblem("This caller, or a page of this origin, is not allowed to do this."),
  default: describeProblem("Any other error, with its code; Retry-After in seconds where a retry may help."),
};

/** Says how long a body may be that carries files. */
export const bodyWithFiles =
  "May carry files: at most eight times serve.http.maxBody bytes (32 MiB with the default), and never more than 100 MB.";

export const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  description: "1 to 200 visible ASCII characters. The same request under the same key means the same run.",
  schema: { type: "string", minLength: 1, maxLength: 200, pattern: "^[!-~]+$" },
};
