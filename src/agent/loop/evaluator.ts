import type { JsonValue } from "../../kit/json.ts";

/**
 * A user's own rule for after each round of tool calls: go on, or answer. What it leaves undecided, and every limit, is
 * decided by the built-in rules. It is given up on when it throws or takes longer than five seconds.
 */
export type Evaluator = (facts: EvaluationFacts) => Evaluation | undefined | Promise<Evaluation | undefined>;

export interface Evaluation {
  verdict: "continue" | "answer";
  /** Why, in words for the reader. */
  reason?: string;
}

/** What an evaluator goes by. */
export interface EvaluationFacts {
  question: string;
  /** Decide turns so far. */
  iterations: number;
  /** Calls that reached a tool, over all rounds. */
  toolCalls: number;
  /** The results of the last round, in the order of their calls. */
  results: readonly EvaluatedResult[];
  /** The results of all rounds, oldest first. */
  allResults: readonly EvaluatedResult[];
  /** Aborts when nobody waits for the verdict any more. */
  signal: AbortSignal;
}

export interface EvaluatedResult {
  tool: string;
  arguments: JsonValue;
  ok: boolean;
  /** As the models read it. */
  text: string;
}
