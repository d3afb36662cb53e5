import type { PlanStep } from "../../../../core/events.ts";
import type { TraceNote, TracePhase, TraceStep } from "../../../../core/trace.ts";
import { type Check, hasFields, isListOf, isNumber, isOneOf, isOptional, isText } from "../../run/checks.ts";
import { isPlanStep } from "../../run/read-run.ts";
import { phaseTitles } from "../../texts.ts";

/** What the page reads of a trace. */
export interface TraceFields {
  readonly phases: readonly TracePhase[];
  readonly steps: readonly TraceStep[];
  readonly notes: readonly TraceNote[];
  readonly plan?: readonly PlanStep[] | undefined;
}

const phase = hasFields({
  phase: isOneOf(Object.keys(phaseTitles)),
  step: isNumber,
  model: isText,
  input_tokens: isNumber,
  output_tokens: isNumber,
  elapsed_ms: isNumber,
  cost_usd: isOptional(isNumber),
});

const step = hasFields({
  phase: isOptional(isNumber),
  thought: isOptional(isText),
  action: isOptional(hasFields({ type: isText, tool: isText })),
  observation: isText,
  elapsed_ms: isNumber,
  timestamp: isText,
  error: isOptional(isText),
});

const note = hasFields({
  timestamp: isText,
  phase: isOptional(isNumber),
  level: isText,
  code: isText,
  message: isText,
});

const trace: Check = hasFields({
  phases: isListOf(phase),
  steps: isListOf(step),
  notes: isListOf(note),
  plan: isOptional(isListOf(isPlanStep)),
});

export function isTrace(value: unknown): value is TraceFields {
  return trace(value);
}
