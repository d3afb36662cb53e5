import * as z from "zod";
import { outcomeSchema } from "../../../core/schemas/outcome-schema.ts";
import { countBody, messageBody } from "../../anthropic/read-request.ts";

const block = z.looseObject({
  type: z.enum(["text", "thinking", "tool_use"]),
  text: z.string().optional().meta({ description: "The answer, where the type is text." }),
  thinking: z.string().optional().meta({ description: "The steps of the run, where the request asks for thoughts." }),
});

/** Lists the schemas of Anthropic's wire by their names in the document. */
export const anthropicSchemas = {
  AnthropicError: z.object({
    type: z.literal("error"),
    error: z.looseObject({ type: z.string(), message: z.string() }),
    request_id: z.string().nullish(),
  }),
  AnthropicMessage: z.looseObject({
    id: z.string(),
    type: z.literal("message"),
    role: z.literal("assistant"),
    model: z.string(),
    content: z.array(block),
    stop_reason: z.enum(["end_turn", "max_tokens", "refusal", "tool_use"]).nullable(),
    stop_sequence: z.string().nullable(),
    usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int(), cache_read_input_tokens: z.int() }),
    notices: outcomeSchema.shape.notices.meta({ description: "As in the result of a run." }),
  }),
  AnthropicMessageEvent: z.looseObject({ type: z.string() }),
  AnthropicMessageRequest: messageBody,
  AnthropicTokenCount: z.object({ input_tokens: z.int() }),
  AnthropicTokenCountRequest: countBody,
} as const;
