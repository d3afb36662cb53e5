import type { ModelBill, Outcome } from "../../../core/outcome.ts";
import type { PhaseBill, StepView } from "./run-view.ts";

/** What each phase used: as the outcome has it, until then as its turns add up. */
export function toPhaseBills(steps: readonly StepView[], outcome: Outcome | undefined): readonly PhaseBill[] {
  if (outcome === undefined) return phases.flatMap((phase) => soFar(steps, phase));
  const { function_call, answer } = outcome.meta.models;
  return [toBill("decide", function_call), toBill("answer", answer)].filter(({ calls }) => calls > 0);
}

const phases = ["decide", "answer"] as const;

function soFar(steps: readonly StepView[], phase: PhaseBill["phase"]): PhaseBill[] {
  const own = steps.filter(
    (step) => step.end !== undefined && (step.phase === "answer" ? "answer" : "decide") === phase,
  );
  const ends = own.flatMap(({ end }) => end ?? []);
  if (ends.length === 0) return [];
  const sum = (value: (end: (typeof ends)[number]) => number): number => ends.reduce((all, end) => all + value(end), 0);
  const isKnown = ends.every(({ costUsd }) => costUsd !== null);
  return [
    {
      phase,
      model: own.at(-1)?.model ?? "",
      calls: ends.length,
      inputTokens: sum(({ inputTokens }) => inputTokens),
      outputTokens: sum(({ outputTokens }) => outputTokens),
      elapsedMs: sum(({ elapsedMs }) => elapsedMs),
      costUsd: isKnown ? sum(({ costUsd }) => costUsd ?? 0) : null,
    },
  ];
}

function toBill(phase: PhaseBill["phase"], bill: ModelBill): PhaseBill {
  return {
    phase,
    model: `${bill.provider}/${bill.model}`,
    calls: bill.calls,
    inputTokens: bill.input_tokens,
    outputTokens: bill.output_tokens,
    elapsedMs: bill.elapsed_ms,
    costUsd: bill.cost_usd,
  };
}
