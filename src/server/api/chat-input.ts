import * as z from "zod";
import { localeSchema } from "../../core/schemas/settings-schema.ts";
import { type AskInput, askInput } from "../../runs/ask-schema.ts";
import type { AttachmentInput } from "../../runs/attachment-input.ts";

// An answer over HTTP is always whole, and is no MCP result with images.
const { question, detail: _, include: __, ...asked } = askInput.shape;

const modelName = z.string().min(1).max(200).describe("One of the choices of /agent/settings.");

// Ranges depend on the model; the agent names them.
const parameters = z.strictObject({
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  max_tokens: z.int().min(1).optional(),
});

/**
 * Defines the body of `POST /agent/chat`: the fields of `agent_ask`, with the question named `message`, and the choices that
 * users make on a page.
 */
export const chatInput = z.strictObject({
  message: question,
  ...asked,
  models: z
    .strictObject({ function_call: modelName.optional(), answer: modelName.optional() })
    .optional()
    .describe("Overrides the current models, as provider/model."),
  parameters: z
    .strictObject({ function_call: parameters.optional(), answer: parameters.optional() })
    .optional()
    .describe("Overrides the parameters of the two models; where one model does both, those of answer apply."),
  locale: localeSchema.optional().describe("The language of messages about the run."),
  asks: z
    .boolean()
    .optional()
    .describe("Whether this caller answers the run's questions while it is running, at /agent/runs/{run_id}/reply."),
  drafts: z
    .boolean()
    .optional()
    .describe(
      "Whether the event stream has drafts: text of which it is not known yet if it is a thought or the answer.",
    ),
});

/** Holds what is asked, without the files that come with it. */
export type ChatInput = Omit<z.infer<typeof chatInput>, keyof AttachmentInput>;

export function toAskInput({ message, models, parameters, locale, asks, drafts, ...input }: ChatInput): AskInput {
  return { question: message, ...input };
}
