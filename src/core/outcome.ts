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
} from "./schemas/outcome-schema.ts";

export type Mode = z.infer<typeof modeSchema>;
export type Status = z.infer<typeof statusSchema>;
export type StopReason = z.infer<typeof stopReasonSchema>;
export type Outcome = z.infer<typeof outcomeSchema>;
export type OutcomeMeta = z.infer<typeof outcomeMetaSchema>;
export type ToolCallRecord = z.infer<typeof toolCallRecordSchema>;
export type Citation = z.infer<typeof citationSchema>;
export type Confirmation = z.infer<typeof confirmationSchema>;
export type ModelBill = z.infer<typeof modelBillSchema>;

export type ModelUsage = z.infer<typeof modelUsageSchema>;
export type AgentsBill = z.infer<typeof agentsBillSchema>;

/** Returns true when the run has an answer to read or a confirmation to give. */
export function hasSucceeded(status: Status): boolean {
  return status === "complete" || status === "partial" || status === "needs_confirmation";
}
