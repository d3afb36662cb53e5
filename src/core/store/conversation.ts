import { createRandomHex } from "../../kit/random.ts";
import type { SourceList } from "./source-list.ts";

/** One conversation as a run finds it. A run changes none of it but `sources`; it is written by the store. */
export interface Conversation {
  readonly id: string;
  /** What was asked and answered, oldest first. */
  readonly turns: readonly ConversationTurn[];
  /** What a model reads in place of the oldest turns, once there are too many for it. */
  readonly summary: Summary | undefined;
  /** Every source fetched so far; their numbers stay theirs. */
  readonly sources: SourceList;
  /** A plan that waits to be confirmed, as its run gave it to the store. */
  readonly pendingPlan?: string | undefined;
}

export interface ConversationTurn {
  question: string;
  /** As the model wrote it: its own citation numbers, no list of references. */
  answer: string;
}

export interface Summary {
  text: string;
  /** How many of the oldest turns it stands for. */
  turns: number;
  /** Somebody asked for it: models read it also where the turns themselves would fit. */
  isWanted?: boolean | undefined;
}

/** `run-…`, `conv-…`: 122 random bits, so that nobody guesses another's. */
export function createId(prefix: "run" | "conv"): string {
  return `${prefix}-${createRandomHex()}`;
}
