import * as z from "zod";
import type { JsonValue } from "../../kit/json.ts";
import { planStepSchema } from "../schemas/events-schema.ts";
import { jsonValueSchema } from "../schemas/outcome-schema.ts";

/** Describes a call that a person has to approve. */
export const approvalRequestSchema = z.object({
  tool: z.string().meta({ description: "call: what is to run." }),
  arguments: z.record(z.string(), jsonValueSchema),
  /** Names the permission rule that requires the approval. */
  rule: z.string().meta({ description: "call: why it asks." }),
  /** Explains the rule to the person, where its name alone does not say what is at stake. */
  reason: z.string().optional().meta({ description: "call: what is at stake, as a sentence." }),
  onlyOnce: z.boolean().meta({ description: "call: a yes is valid for this call only." }),
});

/**
 * Holds a person's decision: yes (`once`, `conversation`) or no (`no`, `never`), for this call or for all calls of that tool
 * under that rule in this conversation. `dismissed` means that the person closed the dialog without deciding.
 */
export const approvalSchema = z.enum(["once", "conversation", "no", "never", "dismissed"]);

/** Holds a no to this call, with what a person wants instead. The model reads it as the person's own words. */
export const insteadSchema = z.strictObject({ instead: z.string().trim().min(1).max(10_000) });

export const planReplySchema = z.discriminatedUnion("reply", [
  z.strictObject({ reply: z.literal("yes") }),
  z.strictObject({ reply: z.literal("no") }),
  z.strictObject({ reply: z.literal("edit"), words: z.string().trim().min(1).max(10_000) }),
]);

/** Holds the configured name of the server that asks, and its words, which are untrusted. */
const elicitation = {
  from: z.string().meta({ description: "form and url: the server that asks." }),
  message: z.string(),
};

const fieldValue: z.ZodType<JsonValue> = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

const formReply = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("accept"), content: z.record(z.string(), fieldValue).optional() }),
  z.strictObject({ action: z.literal("decline") }),
  z.strictObject({ action: z.literal("cancel") }),
]);

const urlReply = z.strictObject({ action: z.enum(["accept", "decline", "cancel"]) });

/** Describes each kind of question to the user: what it asks, and the replies to it. */
export const questionSchemas = {
  call: { fields: approvalRequestSchema, reply: z.union([approvalSchema, insteadSchema]) },
  plan: {
    fields: z.object({ steps: z.array(planStepSchema).readonly().meta({ description: "plan." }) }),
    reply: planReplySchema,
  },
  form: {
    fields: z.object({
      ...elicitation,
      /** Describes a flat object of texts, numbers, booleans and choices, as MCP defines it. */
      schema: z.record(z.string(), z.unknown()).meta({ description: "form: the JSON Schema of its fields." }),
    }),
    reply: formReply,
  },
  limit: {
    fields: z.object({
      /** Names the setting of the limit, and its value in the setting's unit. */
      setting: z.string().meta({ description: "limit: the setting whose limit is reached." }),
      value: z.number().meta({ description: "limit: its value." }),
    }),
    reply: z.enum(["go_on", "stop"]),
  },
  url: {
    fields: z.object({
      ...elicitation,
      /** The person is asked to open this URL. Its scheme is `https`, or `http` on this machine. It is never opened unasked. */
      url: z.string().meta({ description: "url: the page to open." }),
    }),
    reply: urlReply,
  },
} as const;

/** Names a kind of question to the user; each is a row of the table, with its fields and its replies. */
export type QuestionKind = keyof typeof questionSchemas;

/**
 * Represents what Duet asks its user during a run: to approve a call, to confirm a plan, to fill in a form or to open a page.
 * The user's own question to the agent is a text, `AskRequest.question`.
 */
export type UserQuestion<K extends QuestionKind = QuestionKind> = {
  [P in K]: { kind: P } & z.infer<(typeof questionSchemas)[P]["fields"]>;
}[K];

export type UserReply<K extends QuestionKind = QuestionKind> = {
  [P in K]: z.infer<(typeof questionSchemas)[P]["reply"]>;
}[K];

/** Asks the user and waits for the reply; undefined when nobody replies. Rejects only when the signal aborts. */
export type AskUser = <K extends QuestionKind>(
  question: UserQuestion<K>,
  signal: AbortSignal,
) => Promise<UserReply<K> | undefined>;

/** Returns the schema of the replies to a question. An approval that counts once is not given for the conversation. */
export function getReplySchema<K extends QuestionKind>(question: UserQuestion<K>): z.ZodType<UserReply<K>> {
  const replies: { [P in QuestionKind]: (question: UserQuestion<P>) => z.ZodType<UserReply<P>> } = {
    call: ({ onlyOnce }) =>
      z.union([onlyOnce ? approvalSchema.extract(["once", "no", "dismissed"]) : approvalSchema, insteadSchema]),
    plan: () => planReplySchema,
    form: () => formReply,
    limit: () => questionSchemas.limit.reply,
    url: () => urlReply,
  };
  return replies[question.kind](question);
}
