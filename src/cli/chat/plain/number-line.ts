import type { AgentEvent } from "../../../core/events.ts";
import type { StepLog } from "../steps/step.ts";

/** A line about a step with the number by which it can be opened again; any other line as it is. */
export function addStepNumber(line: string, event: AgentEvent, steps: StepLog): string {
  const step = line.startsWith("💭 ") ? steps.thought() : stepOf(event, steps);
  return step === undefined ? line : line.replace(" ", ` #${step.number} `);
}

function stepOf(event: AgentEvent, steps: StepLog): ReturnType<StepLog["ofCall"]> {
  return event.type === "tool-start" || event.type === "tool-end" ? steps.ofCall(event.callId) : undefined;
}
