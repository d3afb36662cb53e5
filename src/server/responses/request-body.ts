import * as z from "zod";

export type ResponsesBody = z.infer<typeof keptBody>;

const text = z.string().nullish();
const id = z.string().min(1).max(200);
const summary = z.enum(["auto", "concise", "detailed", "none"]).nullish();

const keptBody = z.looseObject({
  model: z.string().min(1).max(200),
  instructions: text,
  previous_response_id: id.nullish(),
  conversation: z.union([id, z.looseObject({ id })]).nullish(),
  store: z.boolean().nullish(),
  background: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  text: z
    .looseObject({
      format: z.looseObject({ type: z.string(), schema: z.unknown().optional() }).nullish(),
      verbosity: text,
    })
    .nullish(),
  reasoning: z.looseObject({ effort: text, summary, generate_summary: summary }).nullish(),
  tools: z
    .array(z.looseObject({ type: z.string().max(100) }))
    .max(2000)
    .nullish(),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().nullish(),
  include: z.array(z.string()).nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  truncation: text,
  user: text,
  safety_identifier: text,
  prompt_cache_key: text,
  prompt: z.null().optional().describe("Prompts that are kept by OpenAI are not available here."),
});

/** Clients send many more fields, and null for what they do not set. */
export const responsesBody = keptBody.extend({
  input: z
    .union([
      z.string(),
      z
        .array(z.looseObject({ type: z.string().max(100).optional(), role: z.string().max(100).optional() }))
        .max(10_000),
    ])
    .describe(
      "A text, or items: message (input_text, input_image, input_file), function_call, function_call_output, custom_tool_call, custom_tool_call_output, reasoning, item_reference.",
    ),
});
