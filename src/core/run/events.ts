import type * as z from "zod";
import type {
  eventSchema,
  noticeSchema,
  phaseEndSchema,
  phaseSchema,
  planStepSchema,
  toolEndSchema,
} from "../schemas/events-schema.ts";

export type AgentEvent = z.infer<typeof eventSchema>;

export type Phase = z.infer<typeof phaseSchema>;

export type PhaseEnd = z.infer<typeof phaseEndSchema>;

export type ToolEnd = z.infer<typeof toolEndSchema>;

export type PlanStep = z.infer<typeof planStepSchema>;

export type Notice = z.infer<typeof noticeSchema>;
