import type { Compaction } from "../agent/context/compact.ts";
import type { Evaluator } from "../agent/loop/evaluator.ts";
import type { ConfirmPlan } from "../agent/questions/confirm-plan.ts";
import type { Models } from "../agent/run.ts";
import type { CatalogWeight } from "../agent/tools/catalog-weight.ts";
import type { NamedChange } from "../client/pool.ts";
import type { ServerStatus } from "../client/server-connection.ts";
import type { ServerSettings } from "../config/config.ts";
import type { Caller } from "../core/caller.ts";
import type { Chain } from "../core/chain.ts";
import type { AgentEvent } from "../core/events.ts";
import type { AskElicitation } from "../core/forms/elicitation.ts";
import type { Notice } from "../core/model.ts";
import type { Mode } from "../core/outcome.ts";
import type { ConversationStore, ConversationTurn } from "../core/store/store.ts";
import type { ApproveCall, Tool } from "../core/tools/tool.ts";
import type { Locale, Text } from "../kit/errors.ts";
import type { PausedModel } from "../providers/middleware/endpoints.ts";
import type { LimitChanges } from "./merge-limits.ts";
import type { ModelCheck, SearchCheck } from "./models/check-models.ts";
import type { ModelChanges, ModelParameters } from "./models/model-changes.ts";
import type { CustomModels } from "./models/model-registry.ts";
import type { Gateway } from "./tools/gateway.ts";
import type { Inventory } from "./tools/tool-inventory.ts";

/** Represents the whole agent, opened once and shared by every interface and connection. */
export interface Duet {
  /** Is the language of Duet's own messages when there is no question to determine it. */
  readonly locale: Locale;
  /** Returns the language for messages about a question: the configured one or the system's, else the question's own. */
  localeFor(question: string): Locale;
  /** Runs one question; see `runAgent` for the promises of the stream. */
  ask(request: AskRequest): AsyncGenerator<AgentEvent, void, undefined>;
  /**
   * Returns the models for the two roles with the changes applied. They are the same object when one model plays both. Throws a
   * `config` error for an invalid model or parameter.
   */
  models(changes?: ModelChanges): Promise<Models>;
  /**
   * Returns the parameters of the two roles. There are none for the offline rules or for models that an embedding program has
   * made.
   */
  modelParameters(changes?: ModelChanges): Promise<Record<"functionCall" | "answer", ModelParameters>>;
  /**
   * Lists what can be chosen as `provider/model`, best first: the models in force, and those of every vendor whose key is set.
   */
  modelNames(signal?: AbortSignal): Promise<string[]>;
  /**
   * Puts all but the last turn of a conversation into a summary that models read in their place. Throws when there is nothing
   * to put there, or the model cannot.
   */
  compact(request: CompactRequest): Promise<Compaction>;
  /**
   * Returns every tool there is now, the servers' state, and what was left out and why. Waits for the servers to start, for at
   * most `patienceMs` milliseconds when it is given.
   */
  inventory(signal?: AbortSignal, patienceMs?: number): Promise<Inventory>;
  /** Returns the size of these tools in each request of the function-call model in force. Opens the models. */
  weigh(tools: readonly Tool[]): Promise<CatalogWeight>;
  /** Returns the state of the servers once each has been tried. */
  servers(signal?: AbortSignal): Promise<ServerStatus[]>;
  /** Returns the servers' tools that wait for approval. Waits for the servers to start. */
  toolChanges(signal?: AbortSignal): Promise<NamedChange[]>;
  /** Returns the servers' tools that were trusted at first use and that nobody has approved. Waits for the servers to start. */
  trustedTools(signal?: AbortSignal): Promise<NamedChange[]>;
  /** Approves those that still wait as they were shown, and gives them. Rejects when that cannot be kept. */
  approveTools(shown: readonly NamedChange[]): Promise<NamedChange[]>;
  /** Takes these servers in place of those of the configuration; whose settings are the same goes on undisturbed. */
  configure(servers: readonly ServerSettings[]): Promise<void>;
  /**
   * Returns every tool, prompt and resource that the caller may use, for a host that uses them itself. Each connection has its
   * own gateway.
   */
  gateway(caller?: Caller): Gateway;
  /** Returns the store of a caller's conversations and traces. It is opened when first needed. */
  store(caller?: Caller): Promise<ConversationStore>;
  /** Returns the models that are not called for a while, because they failed in run after run. */
  pausedModels(): Promise<PausedModel[]>;
  /** Asks each model in use for one word, side by side; rejects when the signal aborts, and for a change that cannot be. */
  checkModels(signal: AbortSignal, changes?: ModelChanges): Promise<ModelCheck[]>;
  /** Returns the search backends in use without sending them a request, or null when search is off. */
  searchInUse(): Promise<SearchCheck | null>;
  /**
   * Clears what the process remembers of a conversation that its user has left: searches, approvals and refusals. The
   * conversation itself is kept.
   */
  forget(conversationId: string, caller?: Caller): void;
  /** Returns notices about the store that no run has emitted yet, such as a damaged file. Each is returned once. */
  takeNotices(): Promise<Notice[]>;
  /**
   * Cancels the runs that are going on and waits until they are kept, for two seconds at most; stops every downstream
   * server and closes the store that was opened here. Resolves when nothing is left, or when the time is over.
   */
  close(limits?: CloseLimits): Promise<void>;
}

/** Limits how long closing may take, in milliseconds. */
export interface CloseLimits {
  totalMs: number;
  /** Limits the part of that time for sending the last spans. It is the whole time when absent. */
  telemetryMs?: number | undefined;
}

export interface AskRequest {
  question: string;
  /** Identifies the caller, which is the operator when absent. */
  caller?: Caller | undefined;
  /** Sets the ID of the run. A new one is generated when absent. */
  runId?: string | undefined;
  conversationId?: string;
  /**
   * Holds the earlier turns as the asker has kept them, in place of a conversation of ours. The run is not added to any list. An
   * asker that returns them unchanged continues with the same sources, and with a plan that waits.
   */
  history?: readonly ConversationTurn[] | undefined;
  /** Holds the calling program's instruction for all answers. It ranks below our own prompts. */
  instruction?: string | undefined;
  mode?: Mode;
  /**
   * Is true when chat mode searches the web for the question first. When it is absent, `search.enabled` decides, and the default
   * is false.
   */
  search?: boolean | undefined;
  /** Shows a plan to somebody who can say yes, no, or what to change; absent where nobody can be asked. */
  confirmPlan?: ConfirmPlan;
  /** Shows a call that needs consent to somebody who can give it; absent where nobody can be asked, so that it does not run. */
  approveCall?: ApproveCall;
  /** Shows a question of a downstream server to somebody who can answer it; absent where nobody can be asked, so that it is cancelled. */
  elicit?: AskElicitation;
  /** Limits the tools to those whose names match one of these patterns. */
  tools?: readonly string[];
  limits?: LimitChanges;
  /** Replaces the models in force. */
  models?: Models | undefined;
  /** Is the language of messages about the question. It is `localeFor` the question when absent. */
  locale?: Locale | undefined;
  /** Says where the run stands in a chain of agents, and what the agent above allows it. */
  chain?: Chain;
  /** Is true when a person waits for the answer at one of our own interfaces. A paused model is then tried for this question. */
  isInteractive?: boolean | undefined;
  signal?: AbortSignal;
}

export interface CompactRequest {
  conversationId: string;
  caller?: Caller | undefined;
  models?: Models | undefined;
  locale?: Locale | undefined;
  signal: AbortSignal;
}

/** Holds what a program that embeds Duet provides itself, in place of the configured parts. */
export interface Parts {
  models?: CustomModels | undefined;
  /** Adds tools to the built-in ones and those of the servers. */
  tools?: readonly Tool[];
  evaluator?: Evaluator | undefined;
  store?: ConversationStore | undefined;
  /** Says when downstream servers begin to start. They start at once when it is absent. */
  startServers?: "at-once" | "when-wanted";
  /** Takes a line about something beside the answers that does not work: spans that cannot be sent. */
  warn?: (line: Text) => void;
}
