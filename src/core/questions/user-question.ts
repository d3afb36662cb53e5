import * as z from "zod";
import { planStepSchema } from "../schemas/events-schema.ts";
import { jsonValueSchema } from "../schemas/json-value-schema.ts";
import {
  getCallReplySchema,
  getFormReplySchema,
  getLimitReplySchema,
  getPlanReplySchema,
  getUrlReplySchema,
} from "./reply-schemas.ts";

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

/** Holds the configured name of the server that asks, and its words, which are untrusted. */
const elicitation = {
  from: z.string().meta({ description: "form and url: the server that asks." }),
  message: z.string(),
};

/** Describes each kind of question to the user: what it asks, and the replies to it. */
export const questionSchemas = {
  call: { fields: approvalRequestSchema, reply: getCallReplySchema() },
  plan: {
    fields: z.object({ steps: z.array(planStepSchema).readonly().meta({ description: "plan." }) }),
    reply: getPlanReplySchema(),
  },
  form: {
    fields: z.object({
      ...elicitation,
      /** Describes a flat object of texts, numbers, booleans and choices, as MCP defines it. */
      schema: z.record(z.string(), z.unknown()).meta({ description: "form: the JSON Schema of its fields." }),
    }),
    reply: getFormReplySchema(),
  },
  limit: {
    fields: z.object({
      /** Names the setting of the limit, and its value in the setting's unit. */
      setting: z.string().meta({ description: "limit: the setting whose limit is reached." }),
      value: z.number().meta({ description: "limit: its value." }),
    }),
    reply: getLimitReplySchema(),
  },
  url: {
    fields: z.object({
      ...elicitation,
      /** The person is asked to open this URL. Its scheme is `https`, or `http` on this machine. It is never opened unasked. */
      url: z.string().meta({ description: "url: the page to open." }),
    }),
    reply: getUrlReplySchema(),
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
