import type { PlanStep } from "../../../../core/events.ts";
import type { TraceNote, TracePhase, TraceStep } from "../../../../core/trace.ts";
import { type Check, fields, isNumber, isText, listOf, oneOf, optional } from "../../run/checks.ts";
import { isPlanStep } from "../../run/read-run.ts";
import { phaseTitles } from "../../texts.ts";

/** What the page reads of a trace. */
export interface TraceFields {
  readonly phases: readonly TracePhase[];
  readonly steps: readonly TraceStep[];
  readonly notes: readonly TraceNote[];
  readonly plan?: readonly PlanStep[] | undefined;
}

const phase = fields({
  phase: oneOf(Object.keys(phaseTitles)),
  step: isNumber,
  model: isText,
  input_tokens: isNumber,
  output_tokens: isNumber,
  elapsed_ms: isNumber,
  cost_usd: optional(isNumber),
});

const step = fields({
  phase: optional(isNumber),
  thought: optional(isText),
  action: optional(fields({ type: isText, tool: isText })),
  observation: isText,
  elapsed_ms: isNumber,
  timestamp: isText,
  error: optional(isText),
});

const note = fields({ timestamp: isText, phase: optional(isNumber), level: isText, code: isText, message: isText });

const trace: Check = fields({
  phases: listOf(phase),
  steps: listOf(step),
  notes: listOf(note),
  plan: optional(listOf(isPlanStep)),
});

export function isTrace(value: unknown): value is TraceFields {
  return trace(value);
}
