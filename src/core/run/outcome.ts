import type * as z from "zod";
import type {
  agentsBillSchema,
  citationSchema,
  confirmationSchema,
  modelBillSchema,
  modelUsageSchema,
  modeSchema,
  outcomeMetaSchema,
  outcomeSchema,
  statusSchema,
  stopReasonSchema,
  toolCallRecordSchema,
} from "../schemas/outcome-schema.ts";

/** Says how a question is answered: with tools, by a plan, or by a model alone. */
export type Mode = z.infer<typeof modeSchema>;
/** Says how a run has ended, or what it waits for. */
export type Status = z.infer<typeof statusSchema>;
/** Says what has ended a run. */
export type StopReason = z.infer<typeof stopReasonSchema>;
export type Outcome = z.infer<typeof outcomeSchema>;
export type OutcomeMeta = z.infer<typeof outcomeMetaSchema>;
/** Records one call of a tool and its result. */
export type ToolCallRecord = z.infer<typeof toolCallRecordSchema>;
/** Names a source of the answer, with the number that its text cites. */
export type Citation = z.infer<typeof citationSchema>;
export type Confirmation = z.infer<typeof confirmationSchema>;
export type ModelBill = z.infer<typeof modelBillSchema>;

export type ModelUsage = z.infer<typeof modelUsageSchema>;
export type AgentsBill = z.infer<typeof agentsBillSchema>;

/** Returns true when the run has an answer to read or a confirmation to give. */
export function hasSucceeded(status: Status): boolean {
  return status === "complete" || status === "partial" || status === "needs_confirmation";
}
