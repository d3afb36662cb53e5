import type { AgentEvent } from "../../../core/events.ts";

/** Something of a run that is shown as one line and can be opened again by its number. */
export interface Step {
  /** From 1 on, through the whole chat. */
  readonly number: number;
  readonly kind: "thought" | "tool" | "plan";
  /** A model's or a tool's name; empty for a plan. */
  readonly name: string;
  /** What a tool was given, as JSON; else empty. */
  readonly input: string;
  /** What was thought, what the tool gave, the plan's lines. Never longer than the book keeps. */
  readonly text: string;
  /** How many UTF-16 units of its input and text the book did not keep; absent when it has all. */
  readonly missing?: number | undefined;
  readonly state: "running" | "done" | "failed";
  /** Milliseconds from its first event to its last; of a thought from the start of its model's turn. */
  readonly elapsedMs: number;
}

/** The steps of a chat, so that any can be opened again; the oldest are forgotten, so it never grows for ever. */
export interface StepLog {
  /** Reads a run's events, in order. */
  handle(event: AgentEvent): void;
  find(number: number): Step | undefined;
  /** Those of the run that is going on, else of the last one. */
  ofRun(): readonly Step[];
  /** The step of a call of this run. */
  ofCall(callId: string): Step | undefined;
  /** The thought that is growing, else the last one of this run. */
  thought(): Step | undefined;
  /** The plan of this run. */
  plan(): Step | undefined;
}
