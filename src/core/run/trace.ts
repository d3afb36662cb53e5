import type * as z from "zod";
import type {
  tokenUsageSchema,
  toolStatsSchema,
  traceNoteSchema,
  tracePhaseSchema,
  traceSchema,
  traceStepSchema,
} from "../schemas/trace-schema.ts";

export type AgentTrace = z.infer<typeof traceSchema>;
export type TraceStep = z.infer<typeof traceStepSchema>;
export type TracePhase = z.infer<typeof tracePhaseSchema>;
export type TraceNote = z.infer<typeof traceNoteSchema>;
export type ToolStats = z.infer<typeof toolStatsSchema>;
export type TokenUsage = z.infer<typeof tokenUsageSchema>;
