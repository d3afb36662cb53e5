import * as z from "zod";
import { localeSchema } from "../../../core/schemas/settings-schema.ts";
import type { Text } from "../../../kit/locale.ts";
import { type AskInput, askInput } from "../../../runs/ask-schema.ts";
import type { AttachmentInput } from "../../../runs/attachment-input.ts";

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
  parent: z
    .int()
    .min(0)
    .optional()
    .describe(
      "The number of the turn that the question follows, 0 for a first one; the last one of the current branch when absent.",
    ),
  files_of: z.int().min(1).optional().describe("The number of a turn whose attachments come with the question again."),
  on_disconnect: z
    .enum(["cancel", "finish"])
    .optional()
    .describe("What becomes of the run when everybody who waits for it has left; serve.onDisconnect when absent."),
  make_title: z
    .boolean()
    .optional()
    .describe("Whether the function-call model writes a title of the conversation after its first answer."),
  drafts: z
    .boolean()
    .optional()
    .describe(
      "Whether the event stream has drafts: text of which it is not known yet if it is a thought or the answer.",
    ),
});

/** Says what to do instead of sending a field that other APIs have. */
export const chatHints: ReadonlyMap<string, Text> = new Map([
  [
    "stream",
    {
      zh: "要逐步接收事件，请加上请求头 Accept: text/event-stream",
      en: "to receive events as they happen, send the header Accept: text/event-stream",
    },
  ],
]);

/** Holds what is asked, without the files that come with it. */
export type ChatInput = Omit<z.infer<typeof chatInput>, keyof AttachmentInput>;

export function toAskInput(asked: ChatInput): AskInput {
  const { message, models, parameters, locale, asks, drafts, parent, files_of, on_disconnect, make_title, ...input } =
    asked;
  return { question: message, ...input };
}
