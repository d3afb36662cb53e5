import type { PlanStep } from "../../core/events.ts";
import type { LimitReason } from "../../core/limits.ts";
import type { JsonObject } from "../../kit/json.ts";
import { findReachedLimit, getProgress, toCountUse } from "../limits/reached-limit.ts";
import type { Observation } from "../loop/act.ts";
import type { Run } from "../run.ts";
import { findUnresolvedValues } from "./references.ts";

/** Holds a checked step, as the model wrote it. */
export interface PlannedStep {
  description: string;
  /** Is empty for a step that only the answer needs. */
  tool: string;
  parameters: JsonObject;
}

/**
 * Holds the steps that the model planned. `stepwise` is true when it could not plan, and the only step is to decide step by
 * step.
 */
export interface Draft {
  steps: PlannedStep[];
  stepwise: boolean;
}

/** Tracks a plan while it is made, confirmed and carried out. Every change of state is emitted as an event. */
export interface Plan {
  readonly steps: readonly PlanStep[];
  readonly isStepwise: boolean;
  /** Is true when the plan decides step by step, or a step that has not begun calls a tool. */
  readonly acts: boolean;
  /** Lists all calls made so far, in order. */
  readonly observations: readonly Observation[];
  /** Maps step numbers to results. */
  readonly results: ReadonlyMap<number, string>;
  /** Maps step numbers to the reasons of failures. */
  readonly failures: ReadonlyMap<number, string>;
  /** Counts the calls that reached a tool. */
  readonly toolCalls: number;
  /** Counts how often the rest was to be planned again after a failure. */
  readonly repairs: number;
  /** Is the number of the last step that later ones have replaced. */
  readonly replaced: number;
  /** Returns the first step that has not begun. */
  next(): PlanStep | undefined;
  /** Returns the steps that have not begun, as they were planned. */
  waiting(): PlannedStep[];
  /** Is true when a result that the step needs will never be available. */
  isCutOff(step: PlanStep): boolean;
  /** Is true when each step that was not replaced is done. */
  isWhole(): boolean;
  begin(step: PlanStep): void;
  observe(observation: Observation): void;
  succeed(step: PlanStep, result?: string): void;
  fail(step: PlanStep, why: string): void;
  skip(step: PlanStep): void;
  /** Puts new steps in place of those that have not begun. */
  revise(draft: Draft): void;
  countRepair(): void;
  /** Replaces steps after a failure. The new steps also replace those that failed or were skipped. */
  repair(draft: Draft): void;
  show(): void;
  /** Closes the plan, so that no step is left running or waiting. */
  close(): void;
  /** Returns the limit that forbids one more model turn, or one more call. No limit forbids a run's first turn. */
  limit(before: "turn" | "call"): LimitReason | undefined;
  /** Records that a person has seen the plan as it stands and confirmed it. */
  confirm(): void;
  /** Is true when a person has confirmed the plan, and it has not changed since. */
  readonly isConfirmed: boolean;
  /** Exempts a turn that a reader asked for from the limit of turns. */
  excuseTurn(): void;
}

/** Holds a plan as far as an earlier run has carried it out. */
export interface StartedPlan {
  steps: PlanStep[];
  stepwise: boolean;
  observations: Observation[];
  results: Map<number, string>;
  replaced: number;
  repairs: number;
}

export function createPlan(run: Run, begun: StartedPlan): Plan {
  const { observations, results } = begun;
  const failures = new Map<number, string>();
  let { steps, stepwise, replaced, repairs } = begun;
  let toolCalls = 0;
  let excused = 0;
  let isConfirmed = false;

  function show(): void {
    run.services.emit({ type: "plan", steps: steps.map((step) => ({ ...step })) });
  }

  function mark({ step: number }: PlanStep, state: PlanStep["state"]): void {
    steps = steps.map((step) => (step.step === number ? { ...step, state } : step));
    show();
  }

  function revise(draft: Draft): void {
    const kept = steps.filter(({ state }) => state !== "pending");
    stepwise = draft.stepwise;
    isConfirmed = false;
    steps = [
      ...kept,
      ...draft.steps.map((step, index): PlanStep => ({ step: kept.length + index + 1, ...step, state: "pending" })),
    ];
  }

  return {
    get steps() {
      return steps;
    },
    get isStepwise() {
      return stepwise;
    },
    get acts() {
      return stepwise || steps.some(({ tool, state }) => tool !== "" && state === "pending");
    },
    observations,
    results,
    failures,
    get toolCalls() {
      return toolCalls;
    },
    get repairs() {
      return repairs;
    },
    get replaced() {
      return replaced;
    },
    next: () => steps.find(({ state }) => state === "pending"),
    waiting: () =>
      steps
        .filter(({ state }) => state === "pending")
        .map(({ description, tool, parameters }) => ({ description, tool, parameters })),
    isCutOff({ parameters }) {
      const lost = new Set(
        steps.filter(({ state }) => state === "failed" || state === "skipped").map(({ step }) => step),
      );
      return findUnresolvedValues(parameters).some((place) => place.steps.some((step) => lost.has(step)));
    },
    isWhole: () => steps.every(({ step, state }) => state === "done" || step <= replaced),
    begin: (step) => mark(step, "running"),
    observe(observation) {
      observations.push(observation);
      toolCalls += observation.tries;
    },
    succeed(step, result) {
      if (result !== undefined) results.set(step.step, result);
      mark(step, "done");
    },
    fail(step, why) {
      failures.set(step.step, why);
      mark(step, "failed");
    },
    skip: (step) => mark(step, "skipped"),
    revise,
    countRepair() {
      repairs++;
    },
    repair(draft) {
      revise(draft);
      replaced = steps.length - draft.steps.length;
    },
    show,
    close() {
      const isOpen = steps.some(({ state }) => state === "running" || state === "pending");
      if (!isOpen) return;
      steps = steps.map((step) => ({ ...step, state: closed[step.state] }));
      show();
    },
    limit(before) {
      if (before === "turn" && run.state.statistics.iterations === 0) return undefined;
      const progress = getProgress(run, before === "turn" ? 0 : toolCalls);
      const iterations = before === "turn" ? run.state.statistics.iterations - excused : 0;
      return findReachedLimit({ ...progress, maxIterations: toCountUse(iterations) }, run.input.limits);
    },
    confirm() {
      isConfirmed = true;
    },
    get isConfirmed() {
      return isConfirmed;
    },
    excuseTurn() {
      excused++;
    },
  };
}

const closed: Record<PlanStep["state"], PlanStep["state"]> = {
  pending: "skipped",
  running: "failed",
  done: "done",
  failed: "failed",
  skipped: "skipped",
};
