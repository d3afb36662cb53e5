import { createRandomHex } from "../../kit/random.ts";
import type { StoredBytes } from "../files/run-files.ts";
import type { AssistantMessage, FileRef, ImagePart, ToolMessage, UserMessage } from "../model/messages.ts";
import { toModelName } from "../model/model.ts";
import type { Mode, Status } from "../run/outcome.ts";
import type { AgentTrace } from "../run/trace.ts";
import type { NumberedSource } from "../sources.ts";
import type { Source } from "../tools/tool.ts";
import type { ConversationBranches } from "./branches.ts";
import type { Credentials } from "./credentials.ts";
import type { DailyUsage } from "./daily-usage.ts";
import type { Feedback } from "./feedback.ts";
import type { Journal } from "./journal.ts";
import type { ResponseRecords } from "./response-records.ts";
import type { Retention } from "./retention.ts";
import type { RunPlaces } from "./run-places.ts";
import type { SharedRecords } from "./shared-records.ts";
import type { SharedRuns } from "./shared-runs.ts";
import type { TextMatch } from "./text-search.ts";
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

export interface ConversationPage {
  limit: number;
  offset: number;
  /** Leaves out the conversations that began elsewhere. */
  folder?: string | undefined;
  /** Adds what was asked to each entry. */
  withQuestions?: boolean | undefined;
  /** Leaves out all but one conversation. */
  id?: string | undefined;
  /** Leaves out those whose ID does not begin with this text. */
  beginning?: string | undefined;
  /** Leaves out those that are pinned, or those that are not. */
  isPinned?: boolean | undefined;
  /** Leaves out those in which these words do not stand. A search that takes long ends with what it has found by then. */
  search?: string | undefined;
  /** Ends a search: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface CreateOptions {
  /** Is true where Duet itself has given the owner this ID, for a run that goes on. */
  isGiven?: boolean | undefined;
}

/** Remembers after how many seconds the hosts of one owner gave up a call, by the name and version that they report. */
export interface HostTimeouts {
  /** Returns undefined when the host has not given up a call, or not for a long time. */
  get(host: HostIdentity): Promise<number | undefined>;
  set(host: HostIdentity, seconds: number): Promise<void>;
}

export interface HostIdentity {
  name: string;
  version: string;
}

/** Is how long a host's time-out is remembered, in milliseconds: 30 days. Its user may have set another one since. */
export const longestTimeoutRecordMs = 30 * 24 * 3_600_000;

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

/** Stores what the operator types in the chat: the last 1,000 texts of all processes that share the store. */
export interface TypedHistory {
  /** Returns the texts, the oldest first. */
  list(): Promise<string[]>;
  /**
   * Adds texts as the newest ones. A function is called while no other process can add any, and again when the store has to be
   * written again.
   */
  add(texts: readonly string[] | (() => readonly string[])): Promise<void>;
}

/** Limits how many typed texts are kept. */
export const mostTypedTexts = 1_000;

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

/** Describes a run in a list. */
export interface RunEntry {
  id: string;
  question: string;
  status: AgentTrace["status"];
  /** Holds ISO 8601, UTC. */
  startedAt: string;
}

export function toRunEntry({ run_id, question, status, started_at }: AgentTrace): RunEntry {
  return { id: run_id, question, status, startedAt: started_at };
}

/** Describes a conversation in a list. */
export interface ConversationEntry {
  id: string;
  /**
   * Holds the name that a person gave it, else the first line of the first question, truncated when it is long. It is empty until
   * a run has ended.
   */
  title: string;
  /** Is true when a person has named it. */
  isNamed?: boolean;
  isPinned?: boolean;
  /** Is the folder in which it began, where that is known. */
  folder?: string | undefined;
  /** Is true where it began as a copy of another one. */
  isFork?: boolean;
  /** Holds the beginnings of its questions, where they were wanted. */
  questions?: string | undefined;
  /** Counts the turns of the current branch. */
  turns: number;
  /** Holds ISO 8601, UTC. */
  createdAt: string;
  updatedAt: string;
  /** Is how the last run was asked for. It is absent where the store does not know it. */
  lastRun?: LastRun | undefined;
  /** Is a place of the words that were searched for. */
  match?: TextMatch | undefined;
}

/** Holds the mode of a run, and its models as `provider/model`. */
export interface LastRun {
  mode: Mode;
  functionCall: string;
  answer: string;
}

export function toLastRun({ mode, models: { function_call, answer } }: AgentTrace): LastRun {
  return { mode, functionCall: toModelName(function_call), answer: toModelName(answer) };
}

/**
 * Records the runs that began with an idempotency key and have no stored end. A killed process leaves its record behind.
 * `append` removes the record of its run.
 */
export interface IdempotencyRecords {
  /**
   * Adds a record of a run that is about to begin. When there is a record of a run whose id has the same beginning, returns that
   * one and adds nothing. Of several concurrent calls, in any process, only one returns undefined.
   */
  add(run: NewIdempotencyRecord): Promise<IdempotencyRecord | undefined>;
  /** Removes the record of a run that did not begin after all. */
  remove(runId: string): Promise<void>;
}

/** Names the methods of `IdempotencyRecords` as earlier stores do. */
export interface EarlierIdempotencyRecords {
  mark: IdempotencyRecords["add"];
  unmark: IdempotencyRecords["remove"];
}

/** Returns the idempotency records of a store, which an earlier store offers under other names. */
export function getIdempotencyRecords({ idempotency, begun }: ConversationStore): IdempotencyRecords | undefined {
  if (idempotency !== undefined || begun === undefined) return idempotency;
  return { add: (run) => begun.mark(run), remove: (runId) => begun.unmark(runId) };
}

/** Holds what a store is to keep of a request with an idempotency key. */
export interface NewIdempotencyRecord {
  runId: string;
  /** Is the conversation that the run continues, with which the record is removed. It is absent for a new conversation. */
  conversationId?: string | undefined;
  /** The ids of all runs with the same key begin with this text. */
  beginning: string;
}

/** Holds the run that a request with an idempotency key has begun. */
export interface IdempotencyRecord {
  runId: string;
  /** Holds ISO 8601, UTC. */
  begunAt: string;
}

/** Records expire after a week, in milliseconds. No client repeats a request after that. */
export const longestRecordMs = 7 * 24 * 60 * 60 * 1000;

/** Holds one conversation as a run reads it. A run changes only `sources`, and the store writes them. */
export interface Conversation {
  readonly id: string;
  /** Is its title, where the store knows it. */
  readonly title?: string | undefined;
  /** Is the branch whose turns these are. It is absent where the store keeps one line of turns. */
  readonly branch?: number | undefined;
  /** Lists questions and answers, oldest first. */
  readonly turns: readonly ConversationTurn[];
  /** Models read the summary in place of the oldest turns when there are too many of these. */
  readonly summary: Summary | undefined;
  /** Lists every source fetched so far. Their numbers do not change. */
  readonly sources: SourceList;
  /** Holds the plan that waits for confirmation, as its run passed it to the store. */
  readonly pendingPlan?: string | undefined;
  /** Names the tools that the conversation has loaded, as its last run passed them to the store. */
  readonly loadedTools?: readonly string[] | undefined;
  /** Marks untrusted text in what models read of the conversation. Nobody outside can guess it; absent before the first turn. */
  readonly marker?: string | undefined;
  /** Holds the whole results of its tools. With a store that keeps none, they last as long as the run. */
  readonly results?: ResultList | undefined;
}

/** Holds a result of a tool under its number in the conversation. */
export interface NumberedResult {
  n: number;
  text: string;
}

/** Holds the results of which models have read parts, through the whole conversation. */
export interface ResultList {
  /** Is the highest number that a result has. */
  readonly last: number;
  /** Is true when there is a result that models can read on. */
  readonly hasResults: boolean;
  /** Resolves with undefined when there is no such result, or no longer. */
  get(n: number): Promise<string | undefined>;
}

/** Says how a run ended whose question is not answered in full; `interrupted` where its process ended before it. */
export type TurnStatus = Extract<Status, "partial" | "failed" | "cancelled"> | "interrupted";

/** Holds what a model asked of tools in one of its turns, and the results, as the models read them. */
export interface TurnStep {
  message: AssistantMessage;
  results: readonly ToolMessage[];
  /** Lists what was said to the model after the results. */
  messages?: readonly UserMessage[] | undefined;
}

/** Holds the sessions of other agents that were used for a turn. */
export interface TurnSessions {
  /** Is the conversation whose question it was. A fork has a copy of the turn, and no share in these sessions. */
  conversation: string;
  /** Has the agents' names as its keys. */
  ids: Readonly<Record<string, string>>;
}

/** Holds one question of a conversation and its answer. */
export interface ConversationTurn {
  question: string;
  /** Holds the answer as it was shown, with the citation numbers of the conversation and without the list of references. */
  answer: string;
  /** Lists the images and documents that came with the question. It is absent when none did. */
  files?: readonly FileRef[] | undefined;
  /** Lists the last images that tools returned while it was answered. It is absent when there was none. */
  images?: readonly ImagePart[] | undefined;
  /** Says how the run ended. It is absent for an answered question. */
  status?: TurnStatus | undefined;
  /** Lists the calls of the run with their results, in order. It is absent when there was none. */
  steps?: readonly TurnStep[] | undefined;
  /** Is what the models were told before the question, such as the day. */
  note?: string | undefined;
  /** Is what the model that wrote the answer read in place of the note and the question: both, with the results of the tools. */
  answerPrompt?: string | undefined;
  /** Is the tool of the agent that gave the answer in place of our models, to which its words are text from outside. */
  answeredBy?: string | undefined;
  agentSessions?: TurnSessions | undefined;
}

/** Holds a shorter text that stands for the first turns of a conversation. */
export interface Summary {
  text: string;
  /** Counts the oldest turns that the summary replaces. */
  turns: number;
  /** Is true when somebody asked for the summary. Models then read it even when the turns themselves would fit. */
  isWanted?: boolean | undefined;
  /** Lists what must not be lost of these turns, as the program itself has found it, a line each. */
  facts?: readonly string[] | undefined;
}

/** Returns `run-…` or `conv-…` with 122 random bits, so that ids cannot be guessed. */
export function createId(prefix: "run" | "conv"): string {
  return `${prefix}-${createRandomHex()}`;
}

/** Sources under the numbers by which the models cite them, through the whole conversation. */
export interface SourceList {
  /** Returns the numbers of the sources in the given order. A page that is fetched again keeps its number. */
  number(sources: readonly Source[]): Promise<number[]>;
  get(number: number): Source | undefined;
  /** Maps citation numbers to addresses. */
  all(): NumberedSource[];
  readonly size: number;
}
