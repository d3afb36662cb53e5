import type { StoredBytes } from "../files/run-files.ts";
import type { FileRef } from "../model/messages.ts";
import type { AgentTrace } from "../run/trace.ts";
import type { ConversationBranches } from "./conversations/branches.ts";
import type { Conversation, ConversationTurn, NumberedResult, Summary } from "./conversations/conversation.ts";
import type { ConversationEntry, ConversationPage, RunEntry } from "./conversations/entries.ts";
import type { Credentials } from "./credentials.ts";
import type { DailyUsage } from "./daily-usage.ts";
import type { Feedback } from "./feedback.ts";
import type { HostTimeouts } from "./host-timeouts.ts";
import type { EarlierIdempotencyRecords, IdempotencyRecords } from "./idempotency-records.ts";
import type { Journal } from "./journal.ts";
import type { ResponseRecords } from "./response-records.ts";
import type { Retention } from "./retention.ts";
import type { RunPlaces } from "./run-places.ts";
import type { SharedRecords } from "./shared-records.ts";
import type { SharedRuns } from "./shared-runs.ts";
import type { TypedHistory } from "./typed-history.ts";
import type { UsageHistory } from "./usage-history.ts";

/**
 * Stores conversations and traces. Several processes may share one store, and each reads what the others have appended at its
 * next `load`. Every method may reject with a `DuetError` that says what is wrong with the store.
 */
export interface ConversationStore {
  /**
   * Returns the store as one owner sees it, with no data of other owners. Undefined is the operator, as whom the store itself is
   * opened. Closing another owner's view closes nothing. A store without this method serves the operator alone.
   */
  of?(owner: string | undefined): ConversationStore;
  /**
   * Returns the conversation as it is now, on one of its branches, and undefined when none has that id. Without a branch that
   * exists, it is the current one. With `after`, it ends with that turn, and with none where that is 0.
   */
  load(id: string, branch?: number, after?: number): Promise<Conversation | undefined>;
  /**
   * Creates an empty conversation, which others can load from its first source or turn on. It gets another id than the requested
   * one when that belongs to another owner. Only the operator may choose ids, so that nobody learns which ids exist.
   */
  create(id?: string, options?: CreateOptions): Promise<Conversation>;
  /** Keeps a run that has ended, all of it or nothing. Rejects where the conversation is another owner's. */
  append(run: FinishedRun): Promise<void>;
  /** Keeps what stands in place of the oldest turns; never replaces a summary of more turns, nor one of as many that is wanted by one that is not. */
  summarise(conversationId: string, summary: Summary, branch?: number, after?: number): Promise<void>;
  /**
   * Returns the conversation with the latest question, among those with a turn or a pending plan, and undefined when there is
   * none. With a folder, only those that began in it; with null, only those of which no folder is known.
   */
  latest(folder?: string | null): Promise<string | undefined>;
  /** Lists the conversations with the latest question first. */
  list(page: ConversationPage): Promise<ConversationEntry[]>;
  /**
   * Removes a conversation with all that belongs to it: turns, summary, plan, sources, traces, loaded tools, idempotency records,
   * recorded steps, and the bytes that no other conversation names; false when there is none.
   */
  remove(id: string): Promise<boolean>;
  /**
   * Removes a conversation like `remove`, once `graceMs` milliseconds have gone by; until then nobody sees it, and `restore` brings
   * it back. Returns when that ends, in milliseconds since 1970, and undefined when there is no conversation.
   */
  discard?(id: string, graceMs: number): Promise<number | undefined>;
  /** Restores what `discard` has taken away; false when there is nothing. */
  restore?(id: string): Promise<boolean>;
  /** Names or pins a conversation; false when there is none. A store without this method cannot. */
  change?(id: string, changes: ConversationChanges): Promise<boolean>;
  /** Keeps what a person thinks of an answer with the trace of its run, or takes it back; false when there is no such run. */
  rate?(runId: string, feedback: Feedback | undefined): Promise<boolean>;
  /** Keeps the branches of conversations. A store without it keeps one line of turns. */
  readonly branches?: ConversationBranches;
  /** Returns a number that is another one after another process has changed the store. It is absent where no other process can. */
  readVersion?(): Promise<number>;
  /** Returns the trace of a run, or of the last one, and undefined when there is none. */
  trace(runId?: string): Promise<AgentTrace | undefined>;
  /**
   * Returns the runs of a conversation, oldest first; or at most ten runs whose id begins with `beginning`; or the `newest`
   * runs, that many at most and newest first, limited to ids with `beginning` if it is given.
   */
  runs(
    which: { conversationId: string } | { beginning: string } | { newest: number; beginning?: string },
  ): Promise<RunEntry[]>;
  /**
   * Returns what a turn of this conversation, on any of its branches, says of the file with this hash; undefined when none names it,
   * or when the conversation is another owner's. Without this method, whole conversations are loaded for it.
   */
  findFile?(which: { conversationId: string; hash: string }): Promise<FileRef | undefined>;
  /**
   * Reads the bytes of an image or a document that a turn of this conversation names; undefined when there are none, or when the
   * conversation is another owner's. A store without this method keeps no bytes, and models are told the names alone.
   */
  readFile?(which: { conversationId: string; hash: string }): Promise<Uint8Array | undefined>;
  /** Remembers when hosts give up their calls; where it is absent, only this process knows it. */
  readonly hostTimeouts?: HostTimeouts;
  /** Counts what the owner uses in a day; where it is absent, only this process counts it. */
  readonly dailyUsage?: DailyUsage;
  /** Counts the owner's runs in all processes; where it is absent, each process counts its own. */
  readonly runPlaces?: RunPlaces;
  /** Keeps what all processes share beside conversations; where it is absent, each process has its own. Is for the operator. */
  readonly records?: SharedRecords;
  /** Keeps responses under their IDs; where it is absent, a response is known while its run is. */
  readonly responses?: ResponseRecords;
  /** When absent, only this process knows a run with an idempotency key until the run has ended. */
  readonly idempotency?: IdempotencyRecords;
  /** Is the earlier form of `idempotency`, which is still accepted. */
  readonly begun?: EarlierIdempotencyRecords;
  close(): Promise<void>;
}

export interface CreateOptions {
  /** Is true where Duet itself has given the owner this ID, for a run that goes on. */
  isGiven?: boolean | undefined;
}

/** Keeps owners apart, as Duet's own stores do. */
export interface SharedStore extends ConversationStore {
  of(owner: string | undefined): SharedStore;
  readonly idempotency: IdempotencyRecords;
  readonly dailyUsage: DailyUsage;
  readonly branches: ConversationBranches;
  change(id: string, changes: ConversationChanges): Promise<boolean>;
  findFile(which: { conversationId: string; hash: string }): Promise<FileRef | undefined>;
  discard(id: string, graceMs: number): Promise<number | undefined>;
  restore(id: string): Promise<boolean>;
  rate(runId: string, feedback: Feedback | undefined): Promise<boolean>;
  readFile(which: { conversationId: string; hash: string }): Promise<Uint8Array | undefined>;
}

/** Says what a person changes of a conversation. What is absent stays. */
export interface ConversationChanges {
  /** Is the name that a person gives it. An empty one takes the name back, and the first question is the title again. */
  name?: string | undefined;
  /** Is a title that a model has made. It does not replace the name that a person has given. */
  title?: string | undefined;
  isPinned?: boolean | undefined;
}

/** Serves the operator of the process, and each owner through `of`. The journal holds the runs of all owners. */
export interface OperatorStore extends SharedStore {
  readonly typedHistory: TypedHistory;
  readonly retention: Retention;
  readonly journal: Journal;
  readonly sharedRuns: SharedRuns;
  readonly credentials: Credentials;
  readonly usageHistory: UsageHistory;
}

/** Holds what a store keeps of a run that has ended. */
export interface FinishedRun {
  conversationId: string;
  runId: string;
  /** Is the branch that the run has continued; the current one when absent. The turn follows the last one of the branch. */
  branch?: number | undefined;
  /**
   * Is the turn that the run's turn follows, in place of the last one of a branch; 0 for a first one. Where no branch ends with it,
   * the turn begins one.
   */
  after?: number | undefined;
  /** Is the folder in which the conversation begins. It stays what it was first. */
  folder?: string | undefined;
  /** Is absent when a conversation has nothing to remember of the run: a plan that waited was not replied to after all. */
  turn: ConversationTurn | undefined;
  trace: AgentTrace;
  /** Marks untrusted text in the turn. A conversation keeps its first marker. */
  marker?: string | undefined;
  /** Holds the whole results of which the models read parts, under their numbers. */
  results?: readonly NumberedResult[] | undefined;
  /**
   * Is the last number of a result when the run began. The run's own are higher; the store raises them where another run has stored
   * some meanwhile.
   */
  lastResult?: number | undefined;
  /**
   * Holds the plan that waits for confirmation. When absent, the conversation no longer has one. Plan mode reads it, and agent
   * mode does so for a bare yes or no.
   */
  pendingPlan?: string | undefined;
  /**
   * Names the tools that the conversation has loaded so far, in order, where there are too many to be listed. When absent, those
   * that were stored stay.
   */
  loadedTools?: readonly string[] | undefined;
  /** Holds the bytes that the turn names and that may be new to the store. */
  files?: readonly StoredBytes[] | undefined;
}
