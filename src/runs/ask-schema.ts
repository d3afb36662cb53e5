import * as z from "zod";
import { createLimitArguments } from "../config/limit-schemas.ts";
import { chainProperty, longestChainText } from "../core/chain-text.ts";
import type { LimitRow } from "../core/limits/limit-row.ts";
import { offeredLimits } from "../core/limits/limits.ts";
import { longestMessage } from "../core/run/message-limits.ts";
import { modes } from "../core/run/modes.ts";
import { findPermitProblem } from "../core/tools/tool-pattern.ts";
import { type AttachmentInput, attachmentFields } from "./attachment-input.ts";

export const detailSchema = z.enum(["brief", "full"]);

/** Says how much of a run a result over MCP tells: what an answer needs, or also what each call was given and returned. */
export type Detail = z.infer<typeof detailSchema>;

const includedSchema = z.enum(["images"]);

/** Names what a result over MCP has beside its text and object. */
export type IncludedPart = z.infer<typeof includedSchema>;

const includeSchema = z
  .array(includedSchema)
  .max(10)
  .optional()
  .describe("images: returns the images that tools made, too.");

/** Defines the input of `agent_ask`, with the same ranges as the configuration. */
export const askInput = z.strictObject({
  question: z
    .string()
    .trim()
    .min(1)
    .max(100_000)
    .describe("What you want to know or have done, in plain words, in any language."),
  ...attachmentFields,
  conversation_id: z
    .string()
    .max(200)
    .optional()
    .describe("Continues an earlier topic: the conversation_id of its result."),
  mode: z
    .enum(modes)
    .optional()
    .describe("agent: decides which tools to use. plan: plans first, then acts. chat: answers without tools."),
  agent: z
    .string()
    .max(40)
    .optional()
    .describe("The configured agent that answers, one of /agent/settings; the main one when absent."),
  search: z
    .boolean()
    .optional()
    .describe("chat mode: searches the web for the question first; the other modes decide that by themselves."),
  tools: z
    .array(
      z
        .string()
        .max(200)
        .superRefine((written, context) => {
          const allowed = findPermitProblem(written);
          if (allowed) context.addIssue({ code: "custom", input: written, params: { allowed } });
        }),
    )
    .max(100)
    .optional()
    .describe("Only tools whose names match one of these patterns, such as amap__* or web_search."),
  go_on: z
    .boolean()
    .optional()
    .describe(
      "Goes on with the last run of conversation_id, which reached a limit, failed or was cancelled: limits anew, none of its calls again.",
    ),
  keep_history: z
    .boolean()
    .optional()
    .describe("false: a mode or models other than those of the conversation's last run begin a new conversation."),
  ...createLimitArguments(),
  wait_s: z
    .number()
    .min(0)
    .max(3600)
    .optional()
    .describe("Seconds to wait for the end; then the call returns with status running, and the run continues."),
  include: includeSchema,
  output_schema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("JSON Schema of an object: the answer is such an object, in output."),
  detail: detailSchema
    .optional()
    .describe("full: structuredContent also has each call's arguments and the start of its result."),
  [chainProperty]: z
    .string()
    .max(longestChainText)
    .optional()
    .describe("Set by agents that call this one; leave it out."),
  confirmation: z
    .string()
    .max(2000)
    .optional()
    .describe("The token of a needs_confirmation result; question is then the user's reply to it, yes or no."),
});

/** Holds what is asked, without the files that come with it. */
export type AskInput = Omit<z.infer<typeof askInput>, keyof AttachmentInput>;

/**
 * Names the fields of `agent_ask` that are accepted and not shown in the list of tools: a host's model fills in what it sees, and
 * these are for programs.
 */
export const unlistedFields: readonly string[] = [
  "search",
  "agent",
  "go_on",
  "keep_history",
  "attachments",
  chainProperty,
  ...offeredLimits.filter((row: LimitRow) => row.isListed !== true).map(({ ask }) => ask),
];

const anyRunId = z.string().min(1).max(200);
const runId = anyRunId.describe("The run_id of a result of agent_ask.");

export const resultInput = z.strictObject({
  run_id: runId,
  wait_s: z.number().min(0).max(3600).optional().describe("Seconds to wait for the end. Absent: as agent_ask does."),
  include: includeSchema.describe("As in agent_ask."),
  detail: detailSchema.optional().describe("As in agent_ask."),
});

export const cancelInput = z.strictObject({ run_id: anyRunId });

export const messageInput = z.strictObject({
  run_id: anyRunId,
  message: z.string().trim().min(1).max(longestMessage),
});
