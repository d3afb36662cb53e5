import * as z from "zod";
import { outcomeSchema } from "../../../core/schemas/outcome-schema.ts";

const status = z.enum(["in_progress", "completed", "incomplete"]);

const citation = z.object({
  type: z.literal("url_citation"),
  url: z.string(),
  title: z.string(),
  start_index: z.int(),
  end_index: z.int(),
});

const outputText = z.object({
  type: z.literal("output_text"),
  text: z.string(),
  annotations: z.array(citation).meta({ description: "The citations." }),
  logprobs: z.array(z.unknown()).optional(),
});

const called = {
  id: z.string(),
  call_id: z.string(),
  name: z.string(),
  namespace: z.string().optional(),
  status,
};

const outputItem = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("message"),
    id: z.string(),
    status,
    role: z.literal("assistant"),
    content: z.array(outputText),
  }),
  z.object({
    type: z.literal("reasoning"),
    id: z.string(),
    status,
    summary: z
      .array(z.object({ type: z.literal("summary_text"), text: z.string() }))
      .meta({ description: "The steps of the run." }),
    encrypted_content: z.string().optional(),
  }),
  z.object({ type: z.literal("function_call"), ...called, arguments: z.string() }),
  z.object({ type: z.literal("custom_tool_call"), ...called, input: z.string() }),
  z.object({
    type: z.literal("web_search_call"),
    id: z.string(),
    status: z.enum(["in_progress", "completed", "failed"]),
    action: z.object({
      type: z.literal("search"),
      query: z.string(),
      queries: z.array(z.string()),
      sources: z.array(z.object({ type: z.literal("url"), url: z.string() })).optional(),
    }),
  }),
]);

const usage = z.object({
  input_tokens: z.int(),
  input_tokens_details: z.object({ cached_tokens: z.int(), cache_write_tokens: z.int() }),
  output_tokens: z.int(),
  output_tokens_details: z.object({ reasoning_tokens: z.int() }),
  total_tokens: z.int(),
});

/** Describes a response. What it repeats of the request is not listed here, except for what says where it stands. */
export const responseSchema = z.looseObject({
  id: z.string(),
  object: z.literal("response"),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: z.enum(["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]),
  background: z.boolean(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.object({ reason: z.enum(["max_output_tokens", "content_filter"]) }).nullable(),
  model: z.string(),
  output: z.array(outputItem),
  previous_response_id: z.string().nullable(),
  conversation: z.object({ id: z.string() }).optional(),
  store: z.boolean(),
  usage: usage.nullable(),
  notices: outcomeSchema.shape.notices.meta({ description: "As in the result of a run." }),
});

export const responseEventSchema = z.looseObject({
  type: z
    .string()
    .meta({ description: "As OpenAI names it: response.output_text.delta, response.completed and so on." }),
  sequence_number: z.int().meta({ description: "From 0 on." }),
  response: responseSchema.optional(),
});

export const responseItemListSchema = z.object({
  object: z.literal("list"),
  data: z.array(z.looseObject({ id: z.string(), type: z.string() })),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
});

export const deletedResponseSchema = z.object({
  id: z.string(),
  object: z.literal("response"),
  deleted: z.literal(true),
});
