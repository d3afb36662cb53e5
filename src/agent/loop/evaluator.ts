import type { JsonValue } from "../../kit/json.ts";

/**
 * Applies a user's own rule after each round of tool calls: continue, or answer. The built-in rules decide every limit, whatever
 * the evaluator leaves undecided, and the round in which it throws or takes longer than five seconds.
 */
export type Evaluator = (facts: EvaluationFacts) => Evaluation | undefined | Promise<Evaluation | undefined>;

/** Decides what follows a round of tool calls, and says why. */
export interface Evaluation {
  verdict: "continue" | "answer";
  /** Explains the verdict, in words for the reader. */
  reason?: string;
}

/** Holds what an evaluator decides by. */
export interface EvaluationFacts {
  question: string;
  /** Counts the decide turns so far. */
  iterations: number;
  /** Counts the calls that reached a tool, over all rounds. */
  toolCalls: number;
  /** Lists the results of the last round, in the order of their calls. */
  results: readonly EvaluatedResult[];
  /** Lists the results of all rounds, oldest first. */
  allResults: readonly EvaluatedResult[];
  /** Aborts when nobody waits for the verdict any more. */
  signal: AbortSignal;
}

/** Holds what one call of the round has returned. */
export interface EvaluatedResult {
  tool: string;
  arguments: JsonValue;
  ok: boolean;
  /** Holds the text as the models read it. */
  text: string;
}
