import type { AgentTrace } from "../core/trace.ts";
import type { Conversation, ConversationTurn, Summary } from "./conversation.ts";

/**
 * Where conversations and traces are kept. Several processes may share one; what one of them has appended, the others
 * read at their next `load`. Every method may reject with a `DuetError` that says what is wrong with the store.
 */
export interface ConversationStore {
  /** The conversation as it stands now; undefined when there is none of that id. */
  load(id: string): Promise<Conversation | undefined>;
  /** A new, empty conversation. It is there for others from its first source or turn on. */
  create(id?: string): Promise<Conversation>;
  /** Keeps a run that has ended, all of it or nothing. */
  append(run: FinishedRun): Promise<void>;
  /** Keeps what stands in place of the oldest turns; never replaces a summary of more turns. */
  summarise(conversationId: string, summary: Summary): Promise<void>;
  /** The conversation that was last asked something; undefined when there is none. */
  latest(): Promise<string | undefined>;
  /** The last asked first. */
  list(page: { limit: number; offset: number }): Promise<ConversationEntry[]>;
  /** Removes a conversation with its sources and traces; false when there is none. */
  remove(id: string): Promise<boolean>;
  /** The trace of a run, or of the last one; undefined when there is none. */
  trace(runId?: string): Promise<AgentTrace | undefined>;
  /** The runs of a conversation, the oldest first; or at most ten of those whose id begins so. */
  runs(which: { conversationId: string } | { beginning: string }): Promise<RunEntry[]>;
  close(): Promise<void>;
}

export interface FinishedRun {
  conversationId: string;
  runId: string;
  /** Absent when the run gave no answer worth going on from. */
  turn: ConversationTurn | undefined;
  trace: AgentTrace;
  /** A plan that waits to be confirmed; absent, the conversation has none any more. Plan mode reads it, and agent mode for a bare yes or no. */
  pendingPlan?: string | undefined;
}

/** Characters of a conversation's title. */
export const longestTitle = 200;

export interface RunEntry {
  id: string;
  question: string;
  status: AgentTrace["status"];
  /** ISO 8601, UTC. */
  startedAt: string;
}

export interface ConversationEntry {
  id: string;
  /** The first question, cut where it is long; empty while no run has ended. */
  title: string;
  turns: number;
  /** ISO 8601, UTC. */
  createdAt: string;
  updatedAt: string;
}
