import type { AgentTrace } from "../trace.ts";
import type { Conversation, ConversationTurn, Summary } from "./conversation.ts";
import type { IdempotencyRecords } from "./idempotency-records.ts";

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
