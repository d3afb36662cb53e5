import * as z from "zod";
import { createLazy } from "../../kit/create-lazy.ts";
import type { JsonValue } from "../../kit/json.ts";

// The questions stand in `user-question.ts`, whose schemas are those of events, too, and which a run does not need.
// They are built when one is checked: a start checks none.

/**
 * Holds a person's decision: yes (`once`, `conversation`) or no (`no`, `never`), for this call or for all calls of that tool
 * under that rule in this conversation. `dismissed` means that the person closed the dialog without deciding.
 */
export const getApprovalSchema = createLazy(() => z.enum(["once", "conversation", "no", "never", "dismissed"]));

/** Holds a no to this call, with what a person wants instead. The model reads it as the person's own words. */
export const getInsteadSchema = createLazy(() => z.strictObject({ instead: z.string().trim().min(1).max(10_000) }));

/** Describes the reply to a call that a person has to approve. */
export const getCallReplySchema = createLazy(() => z.union([getApprovalSchema(), getInsteadSchema()]));

export const getPlanReplySchema = createLazy(() =>
  z.discriminatedUnion("reply", [
    z.strictObject({ reply: z.literal("yes") }),
    z.strictObject({ reply: z.literal("no") }),
    z.strictObject({ reply: z.literal("edit"), words: z.string().trim().min(1).max(10_000) }),
  ]),
);

const getFieldValueSchema = createLazy(
  (): z.ZodType<JsonValue> => z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
);

/** Describes the reply to a form, with the values of its fields where it is accepted. */
export const getFormReplySchema = createLazy(() =>
  z.discriminatedUnion("action", [
    z.strictObject({ action: z.literal("accept"), content: z.record(z.string(), getFieldValueSchema()).optional() }),
    z.strictObject({ action: z.literal("decline") }),
    z.strictObject({ action: z.literal("cancel") }),
  ]),
);

export const getLimitReplySchema = createLazy(() => z.enum(["go_on", "stop"]));

export const getUrlReplySchema = createLazy(() => z.strictObject({ action: z.enum(["accept", "decline", "cancel"]) }));
