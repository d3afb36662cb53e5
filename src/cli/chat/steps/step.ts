import type { AgentEvent } from "../../../core/run/events.ts";
import type { AgentTrace } from "../../../core/run/trace.ts";

/** A step is a part of a run that is shown as one line and can be expanded by its number. */
export interface Step {
  /** Counts from 1 through the whole chat. */
  readonly number: number;
  readonly kind: "thought" | "tool" | "plan";
  /** Holds the name of a model or a tool; empty for a plan. */
  readonly name: string;
  /** Holds the tool's input as JSON; empty for other kinds of steps. */
  readonly input: string;
  /** Holds the thought, the tool's result or the plan's lines, cut to the step log's limit. */
  readonly text: string;
  /** Counts the UTF-16 units of input and text that the log dropped; absent when nothing was dropped. */
  readonly missing?: number | undefined;
  readonly state: "running" | "done" | "failed";
  /** Holds the milliseconds from the step's first event to its last; a thought counts from the start of its model's turn. */
  readonly elapsedMs: number;
}

/** Records the steps of a chat so that any can be expanded again. The oldest are dropped, which bounds its size. */
export interface StepLog {
  /** Reads a run's events, in order. */
  handle(event: AgentEvent): void;
  /** Takes the steps of an earlier run, which then counts as the last one. Returns them. */
  restore(run: AgentTrace): readonly Step[];
  find(number: number): Step | undefined;
  /** Returns the steps of the current run, or of the last one when none is running. */
  listRunSteps(): readonly Step[];
  /** Finds the step of a call of the current run. */
  findByCall(callId: string): Step | undefined;
  /** Returns the thought that is being written, or else the last one of this run. */
  findThought(): Step | undefined;
  findPlan(): Step | undefined;
}
