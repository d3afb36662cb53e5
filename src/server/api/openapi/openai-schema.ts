import * as z from "zod";

const usage = z.looseObject({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() });

const annotation = z.object({
  type: z.literal("url_citation"),
  url_citation: z.object({ url: z.string(), title: z.string(), start_index: z.int(), end_index: z.int() }),
});

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
});

export const model = z.object({
  id: z.string().meta({ description: "duet-agent, duet-plan or duet-chat." }),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.string(),
});

export const modelList = z.object({ object: z.literal("list"), data: z.array(model) });
