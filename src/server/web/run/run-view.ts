import type { Phase, PlanStep } from "../../../core/events.ts";
import type { AgentsBill, Citation, Status, StopReason } from "../../../core/outcome.ts";
import type { JsonValue } from "../../../kit/json.ts";

/** A run as a page shows it: data alone, made anew at each change. */
export interface RunView {
  readonly question: string;
  readonly runId: string | undefined;
  /** `waiting`: nothing is known of a run yet. `ended`: it is over, and only its text is known. */
  readonly status: Status | "waiting" | "ended";
  readonly stopReason: StopReason | undefined;
  /** What was said before the first step. */
  readonly notices: readonly NoticeItem[];
  readonly plan: readonly PlanStep[];
  readonly steps: readonly StepView[];
  readonly answer: string;
  readonly sources: readonly Citation[];
  /** One for each phase that used a model. */
  readonly bill: readonly PhaseBill[];
  /** What agents below used; undefined where none was called, or it is not known yet. */
  readonly agents: AgentsBill | undefined;
  /** What it waits for, where it does. */
  readonly confirmation: Confirmation | undefined;
  readonly problem: RunProblem | undefined;
}

/** One turn of a model and what came of it. Its list only grows, so a page may keep what it has shown. */
export interface StepView {
  /** Undefined for calls of which only the result is known. */
  readonly phase: Phase | undefined;
  readonly step: number;
  readonly model: string;
  readonly reason: string;
  readonly reasoning: string;
  readonly thought: string;
  /** Whether it has begun to write the answer. */
  readonly hasWritten: boolean;
  readonly items: readonly StepItem[];
  /** Undefined while the model writes. */
  readonly end: StepEnd | undefined;
}

export interface StepEnd {
  readonly elapsedMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null when a price is not known. */
  readonly costUsd: number | null;
  readonly isFailed: boolean;
}

export type StepItem = CallItem | EvaluationItem | NoticeItem;

export interface CallItem {
  readonly kind: "call";
  readonly callId: string;
  readonly tool: string;
  readonly arguments: JsonValue;
  /** What the tool says while it works. */
  readonly progress: string;
  readonly end: CallEnd | undefined;
}

export interface CallEnd {
  readonly isOk: boolean;
  readonly isCached: boolean;
  /** The start of the result or, as soon as that is known, the whole. */
  readonly result: string;
  readonly elapsedMs: number;
  readonly resultCount: number | undefined;
  readonly top: readonly FoundSource[];
}

/** A source as a search found it. */
export interface FoundSource extends Citation {
  readonly snippet?: string | undefined;
}

export interface EvaluationItem {
  readonly kind: "evaluation";
  readonly message: string;
}

export interface NoticeItem {
  readonly kind: "notice";
  readonly level: "info" | "warning";
  readonly message: string;
}

/** What a phase used. Plans are made by the model that decides, and stand on its bill. */
export interface PhaseBill {
  readonly phase: "decide" | "answer";
  readonly model: string;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly elapsedMs: number;
  /** US dollars; null when a price is not known. */
  readonly costUsd: number | null;
}

/** A call, a plan or a tool's question that waits for a person. */
export interface Confirmation {
  readonly kind: "call" | "plan" | "question";
  readonly tool: string;
  readonly arguments: JsonValue | undefined;
  readonly message: string;
}

export interface RunProblem {
  readonly message: string;
  readonly hint: string | null;
}
