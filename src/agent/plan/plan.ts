import type { LimitReason } from "../../core/limits/limits.ts";
import type { PlanStep } from "../../core/run/events.ts";
import { isRefusedCall } from "../../core/tools/refused-call.ts";
import type { JsonObject } from "../../kit/json.ts";
import { findReachedLimit, getProgress, getUsage, toCountUse } from "../limits/reached-limit.ts";
import type { Observation } from "../loop/calls/observe-call.ts";
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
  /** Holds the steps of a longer plan that this one no longer has, because the model had to shorten it. */
  dropped?: readonly PlannedStep[];
}

/** Says why a step was not run. */
export type SkipReason = NonNullable<PlanStep["reason"]>;

/** Tracks a plan while it is made, confirmed and carried out. Every change of state is emitted as an event. */
export interface Plan {
  readonly steps: readonly PlanStep[];
  /** Lists the steps, and after them those that were left out to shorten the plan. */
  readonly shown: readonly PlanStep[];
  /** Holds the steps that were left out to shorten the plan. */
  readonly dropped: readonly PlannedStep[];
  /** Is true when a step was not run because a person's consent was missing. */
  readonly isRefused: boolean;
  readonly isStepwise: boolean;
  /** Is true when the plan decides step by step, or a step that has not begun calls a tool. */
  readonly acts: boolean;
  /** Lists all calls made so far, in order. */
  readonly observations: readonly Observation[];
  /** Lists what the model said beside the calls of steps that it filled in. */
  readonly remarks: readonly string[];
  /** Maps step numbers to results. */
  readonly results: ReadonlyMap<number, string>;
  /** Maps step numbers to the reasons of failures. */
  readonly failures: ReadonlyMap<number, string>;
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
  observe(step: PlanStep, observation: Observation): void;
  /** Records what the model said beside its calls. */
  remark(words: string): void;
  /** Records that a person's consent was missing for a call. */
  refuse(): void;
  succeed(step: PlanStep, result?: string): void;
  fail(step: PlanStep, why: string): void;
  skip(step: PlanStep, reason: SkipReason): void;
  /** Puts new steps in place of those that have not begun. */
  revise(draft: Draft): void;
  countRepair(): void;
  /** Replaces steps after a failure. The new steps also replace those that failed or were skipped. */
  repair(draft: Draft): void;
  show(): void;
  /** Closes the plan, so that no step is left running or waiting. */
  close(reason: SkipReason): void;
  /**
   * Returns the limit that forbids one more turn of planning, or going on with a step. No limit forbids a run's first turn. The
   * limit of turns is for planning: the number of calls bounds the steps.
   */
  limit(before: "planning" | "step"): LimitReason | undefined;
  /** Records that a person has seen the plan as it stands and confirmed it. */
  confirm(): void;
  /** Is true when a person has confirmed the plan, and it has not changed since. */
  readonly isConfirmed: boolean;
  /** Exempts a turn from the limit of turns: one that a reader asked for, or one that carries out a step. */
  excuseTurn(): void;
  /** Returns the name of the next question about the plan. */
  nextQuestion(): string;
}

/** Holds a plan as far as an earlier run has carried it out. */
export interface StartedPlan {
  steps: PlanStep[];
  stepwise: boolean;
  observations: Observation[];
  results: Map<number, string>;
  failures: Map<number, string>;
  remarks: string[];
  replaced: number;
  repairs: number;
  dropped: readonly PlannedStep[];
  isRefused: boolean;
}

/** Returns the steps of a plan, and after them those that it no longer has, as steps that were not run. */
export function addDropped(steps: readonly PlanStep[], dropped: readonly PlannedStep[]): PlanStep[] {
  const left = dropped.map(
    (step, index): PlanStep => ({ step: steps.length + index + 1, ...step, state: "skipped", reason: "dropped" }),
  );
  return [...steps.map((step) => ({ ...step })), ...left];
}

/** Is true for a step whose call, as it is planned, is not made before a person has agreed. */
function isConsentNeeded({ services, state }: Run, { tool, parameters }: PlannedStep): boolean {
  return services.catalog.findTool(tool)?.needsConsent?.(parameters, state) === true;
}

export function createPlan(run: Run, begun: StartedPlan): Plan {
  const { observations, results, failures, remarks } = begun;
  let { steps, stepwise, replaced, repairs, dropped, isRefused } = begun;
  /** Holds the numbers of the steps of which a call has reached its tool. */
  const tried = new Set<number>();
  let excused = 0;
  let questions = 0;
  let isConfirmed = false;

  function show(): void {
    run.services.emit({ type: "plan", steps: addDropped(steps, dropped) });
  }

  function mark({ step: number }: PlanStep, state: PlanStep["state"], reason?: SkipReason): void {
    steps = steps.map((step) => (step.step === number ? { ...step, state, ...(reason && { reason }) } : step));
    show();
  }

  function revise(draft: Draft): void {
    const kept = steps.filter(({ state }) => state !== "pending");
    stepwise = draft.stepwise;
    dropped = draft.dropped ?? [];
    isConfirmed = false;
    steps = [
      ...kept,
      ...draft.steps.map(
        (step, index): PlanStep => ({
          step: kept.length + index + 1,
          ...step,
          state: "pending",
          ...(isConsentNeeded(run, step) && { consent: true }),
        }),
      ),
    ];
  }

  return {
    get steps() {
      return steps;
    },
    get shown() {
      return addDropped(steps, dropped);
    },
    get dropped() {
      return dropped;
    },
    get isRefused() {
      return isRefused;
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
    isWhole: () =>
      steps.every(({ step, state, reason }) => state === "done" || (step <= replaced && reason !== "consent")),
    begin: (step) => mark(step, "running"),
    observe({ step }, observation) {
      observations.push(observation);
      if (observation.ran && !isRefusedCall(observation.result)) tried.add(step);
    },
    succeed(step, result) {
      if (result !== undefined) results.set(step.step, result);
      mark(step, "done");
    },
    fail(step, why) {
      failures.set(step.step, why);
      mark(step, "failed");
    },
    skip: (step, reason) => mark(step, "skipped", reason),
    remarks,
    remark(words) {
      if (words.trim() !== "") remarks.push(words.trim());
    },
    refuse() {
      isRefused = true;
    },
    revise,
    countRepair() {
      repairs++;
    },
    repair(draft) {
      revise(draft);
      replaced = steps.length - draft.steps.length;
    },
    show,
    close(reason) {
      const isOpen = steps.some(({ state }) => state === "running" || state === "pending");
      if (!isOpen) return;
      steps = steps.map((step) => closeStep(step, tried.has(step.step), reason));
      show();
    },
    limit(before) {
      if (before === "planning" && run.state.statistics.iterations === 0) return undefined;
      const progress = getProgress(run);
      const { iterations } = getUsage(run.state);
      const use =
        before === "planning"
          ? { maxToolCalls: toCountUse(0), maxIterations: toCountUse(iterations - excused) }
          : { maxIterations: toCountUse(0) };
      return findReachedLimit({ ...progress, ...use }, run.input.limits);
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
    nextQuestion() {
      questions += 1;
      return `plan:${questions}`;
    },
  };
}

/** A step that was under way has failed only where its tool was reached; otherwise it was not run. */
function closeStep(step: PlanStep, wasTried: boolean, reason: SkipReason): PlanStep {
  if (step.state === "running" && wasTried) return { ...step, state: "failed" };
  return step.state === "running" || step.state === "pending" ? { ...step, state: "skipped", reason } : step;
}
