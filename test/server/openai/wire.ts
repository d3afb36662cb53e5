import OpenAI from "openai";
import * as z from "zod";
import { readStreamData } from "../../fakes/event-stream.ts";
import { type HttpDuetSettings, startHttpDuet } from "../../fakes/http-duet.ts";

/** A served Duet and the official client of its wire, which repeats nothing by itself. */
export async function startWire(options: HttpDuetSettings = {}) {
  const duet = await startHttpDuet(options);
  const client = new OpenAI({ baseURL: `${duet.origin}/v1`, apiKey: "none", maxRetries: 0 });
  const post = (body: unknown): Promise<Response> =>
    fetch(`${duet.origin}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  return { ...duet, client, post };
}

export function user(content: string) {
  return { role: "user" as const, content };
}

export function assistant(content: string) {
  return { role: "assistant" as const, content };
}

const usage = z.strictObject({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.strictObject({ cached_tokens: z.int() }),
  completion_tokens_details: z.strictObject({ reasoning_tokens: z.int() }),
});

const citation = z.strictObject({ url: z.url(), title: z.string(), start_index: z.int(), end_index: z.int() });
const annotations = z.array(z.strictObject({ type: z.literal("url_citation"), url_citation: citation }));
const finish = z.enum(["stop", "length", "content_filter", "tool_calls"]);
const call = z.strictObject({
  id: z.string().regex(/^call_/),
  type: z.literal("function"),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
});
const naming = { id: z.string().regex(/^chatcmpl-/), created: z.int(), model: z.string() };

const delta = z.strictObject({
  role: z.literal("assistant").optional(),
  content: z.string().optional(),
  reasoning_content: z.string().optional(),
  annotations: annotations.optional(),
  tool_calls: z.array(call.extend({ index: z.int() })).optional(),
});

/** One piece of a stream, and nothing that OpenAI's clients could stumble over. */
export const chunkShape = z.strictObject({
  ...naming,
  object: z.literal("chat.completion.chunk"),
  choices: z
    .array(z.strictObject({ index: z.literal(0), delta, logprobs: z.null(), finish_reason: finish.nullable() }))
    .max(1),
  usage: usage.nullish(),
});

export const completionShape = z.strictObject({
  ...naming,
  object: z.literal("chat.completion"),
  choices: z.tuple([
    z.strictObject({
      index: z.literal(0),
      message: z.strictObject({
        role: z.literal("assistant"),
        content: z.string().nullable(),
        tool_calls: z.array(call).optional(),
        refusal: z.null(),
        annotations,
        reasoning_content: z.string().optional(),
      }),
      logprobs: z.null(),
      finish_reason: finish,
    }),
  ]),
  usage,
});

export const errorShape = z.strictObject({
  error: z.strictObject({
    message: z.string().min(1),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string(),
    retry_after_s: z.number().optional(),
  }),
});

/** What the data lines of a streamed answer hold, the last one `[DONE]`. */
export async function dataOf(response: Response): Promise<string[]> {
  return readStreamData(await response.text());
}
