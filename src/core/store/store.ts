import { createRandomHex } from "../../kit/random.ts";
import type { NumberedSource } from "../sources.ts";
import type { Source } from "../tools/tool.ts";
import type { AgentTrace } from "../trace.ts";

/**
 * Where conversations and traces are kept. Several processes may share one; what one of them has appended, the others
 * read at their next `load`. Every method may reject with a `DuetError` that says what is wrong with the store.
 */
export interface ConversationStore {
  /**
   * The store as one owner sees it, for whom nothing else exists; undefined is the operator, as whom the store itself is
   * opened. Closing the view of another owner closes nothing. A store without it serves the operator alone.
   */
  of?(owner: string | undefined): ConversationStore;
  /** The conversation as it stands now; undefined when there is none of that id. */
  load(id: string): Promise<Conversation | undefined>;
  /**
   * A new, empty conversation. It is there for others from its first source or turn on. It gets another id than the wanted one
   * where that is another owner's; who is not the operator chooses no ids, so that nobody learns which there are.
   */
  create(id?: string): Promise<Conversation>;
  /** Keeps a run that has ended, all of it or nothing. Rejects where the conversation is another owner's. */
  append(run: FinishedRun): Promise<void>;
  /** Keeps what stands in place of the oldest turns; never replaces a summary of more turns, nor one of as many that is wanted by one that is not. */
  summarise(conversationId: string, summary: Summary): Promise<void>;
  /** Of the conversations with a turn or a plan that waits, the one that was last asked something; undefined when there is none. */
  latest(): Promise<string | undefined>;
  /** The last asked first. */
  list(page: { limit: number; offset: number }): Promise<ConversationEntry[]>;
  /** Removes a conversation with its sources and traces; false when there is none. */
  remove(id: string): Promise<boolean>;
  /** The trace of a run, or of the last one; undefined when there is none. */
  trace(runId?: string): Promise<AgentTrace | undefined>;
  /**
   * The runs of a conversation, the oldest first; or at most ten of those whose id begins so; or the `newest`, as many as that,
   * the newest first, with `beginning` of those whose id begins so.
   */
  runs(
    which: { conversationId: string } | { beginning: string } | { newest: number; beginning?: string },
  ): Promise<RunEntry[]>;
  /** Absent, a run that its asker has named is known by this process alone until it has ended. */
  readonly begun?: IdempotencyRecords;
  close(): Promise<void>;
}

/** A store that keeps owners apart, as Duet's own do. */
export interface SharedStore extends ConversationStore {
  of(owner: string | undefined): SharedStore;
  readonly begun: IdempotencyRecords;
}

export interface FinishedRun {
  conversationId: string;
  runId: string;
  /** Absent when the run gave no answer worth going on from; of a run that was stopped, with what it had written. */
  turn: ConversationTurn | undefined;
  trace: AgentTrace;
  /** A plan that waits to be confirmed; absent, the conversation has none any more. Plan mode reads it, and agent mode for a bare yes or no. */
  pendingPlan?: string | undefined;
}

export interface RunEntry {
  id: string;
  question: string;
  status: AgentTrace["status"];
  /** ISO 8601, UTC. */
  startedAt: string;
}

export interface ConversationEntry {
  id: string;
  /** The first line of the first question, cut where it is long; empty while no run has ended. */
  title: string;
  turns: number;
  /** ISO 8601, UTC. */
  createdAt: string;
  updatedAt: string;
}

/**
 * Runs that were begun for a key of their asker's, and whose end is not kept: a process that is killed leaves the mark behind. The
 * `append` of a run takes its mark away.
 */
export interface IdempotencyRecords {
  /**
   * Marks a run that is about to begin; where one whose id begins so is marked already, gives that one and marks nothing. Of
   * many who ask at a time, in whichever process, one is given none.
   */
  mark(run: NewIdempotencyRecord): Promise<IdempotencyRecord | undefined>;
  /** Takes the mark of a run away that was not begun after all. */
  unmark(runId: string): Promise<void>;
}

export interface NewIdempotencyRecord {
  runId: string;
  /** How the ids of all runs of the same key begin. */
  beginning: string;
}

export interface IdempotencyRecord {
  runId: string;
  /** ISO 8601, UTC. */
  begunAt: string;
}

/** How long a mark stands, in milliseconds: a week. Nobody sends a request again after that. */
export const longestRecordMs = 7 * 24 * 60 * 60 * 1000;

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

/** Sources under the numbers by which the models cite them, through the whole conversation. */
export interface SourceList {
  /** Their numbers, in the order given; a page fetched again keeps the one it has. */
  number(sources: readonly Source[]): Promise<number[]>;
  get(number: number): Source | undefined;
  /** By number. */
  all(): NumberedSource[];
  readonly size: number;
}
