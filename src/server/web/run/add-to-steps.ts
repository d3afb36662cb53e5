import type { AgentEvent, PhaseEnd, ToolEnd } from "../../../core/events.ts";
import { renderProgressCounts } from "../../../render/event-lines.ts";
import type { CallEnd, CallItem, StepEnd, StepItem, StepView } from "./run-view.ts";

/** Applies an event to the steps. A new turn of a model adds a step, and what follows belongs to it. */
export function addToSteps(steps: readonly StepView[], event: AgentEvent): readonly StepView[] {
  switch (event.type) {
    case "phase-start": {
      const { phase, step, model, reason } = event;
      return [...steps, { ...emptyStep, phase, step, model, reason }];
    }
    case "phase-end":
      return changeLast(steps, (step) => ({ ...step, end: endOf(event) }));
    case "reasoning-delta":
      return changeLast(steps, (step) => ({ ...step, reasoning: step.reasoning + event.text }));
    case "thought-delta":
      return changeLast(steps, (step) => ({ ...step, thought: step.thought + event.text }));
    case "answer-delta":
      return steps.at(-1)?.hasWritten === true ? steps : changeLast(steps, (step) => ({ ...step, hasWritten: true }));
    case "tool-start": {
      const { callId, tool } = event;
      return addItem(steps, { kind: "call", callId, tool, arguments: event.arguments, progress: "", end: undefined });
    }
    case "tool-progress": {
      const { callId, message, progress, total } = event;
      const counts = progress === undefined ? "" : renderProgressCounts(progress, total);
      return changeCall(steps, callId, (call) => ({ ...call, progress: message || counts }));
    }
    case "tool-end":
      return changeCall(steps, event.callId, (call) => ({ ...call, end: callEnd(event) }));
    case "evaluation":
      return addItem(steps, { kind: "evaluation", message: event.message });
    case "notice":
      if (event.forLog) return steps;
      return addItem(steps, { kind: "notice", level: event.level, message: event.message });
    default:
      return steps;
  }
}

export const emptyStep: StepView = {
  phase: undefined,
  step: 0,
  model: "",
  reason: "",
  reasoning: "",
  thought: "",
  hasWritten: false,
  items: [],
  end: undefined,
};

function endOf({ elapsedMs, usage, costUsd, error }: PhaseEnd): StepEnd {
  const { inputTokens, outputTokens } = usage;
  return { elapsedMs, inputTokens, outputTokens, costUsd, isFailed: error !== undefined && error !== "cancelled" };
}

function callEnd({ ok, cached, preview, elapsedMs, resultCount, top, error }: ToolEnd): CallEnd {
  return {
    isOk: ok,
    isCached: cached,
    result: ok ? preview : (error?.message ?? preview),
    elapsedMs,
    resultCount,
    top: top ?? [],
  };
}

/** When no turn has begun, a step without a model is added. */
function changeLast(steps: readonly StepView[], change: (step: StepView) => StepView): readonly StepView[] {
  return [...steps.slice(0, -1), change(steps.at(-1) ?? emptyStep)];
}

function addItem(steps: readonly StepView[], item: StepItem): readonly StepView[] {
  return changeLast(steps, (step) => ({ ...step, items: [...step.items, item] }));
}

function changeCall(
  steps: readonly StepView[],
  callId: string,
  change: (call: CallItem) => CallItem,
): readonly StepView[] {
  const isIt = (item: StepItem): item is CallItem => item.kind === "call" && item.callId === callId;
  const at = steps.findLastIndex(({ items }) => items.some(isIt));
  return steps.map((step, index) => {
    if (index !== at) return step;
    return { ...step, items: step.items.map((item) => (isIt(item) ? change(item) : item)) };
  });
}
