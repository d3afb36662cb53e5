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

/** The whole agent, opened once and shared by every face and connection. */
export interface Duet {
  /** The language of what Duet says when there is no question to go by. */
  readonly locale: Locale;
  /** The language in which to speak about a question: the configured one or the system's, else the question's own. */
  localeFor(question: string): Locale;
  /** Runs one question; see `runAgent` for the promises of the stream. */
  ask(request: AskRequest): AsyncGenerator<AgentEvent, void, undefined>;
  /**
   * The two roles in force, with what is changed of them; the same object twice when one model plays both. Throws a `config`
   * error for a model or a parameter that cannot be.
   */
  models(changes?: ModelChanges): Promise<Models>;
  /** The parameters of the two roles, likewise; none of the offline rules, nor of models that an embedding program has made. */
  modelParameters(changes?: ModelChanges): Promise<Record<"functionCall" | "answer", ModelParameters>>;
  /** What can be chosen as `provider/model`: the models in force, and those of every vendor whose key is set; best first. */
  modelNames(signal?: AbortSignal): Promise<string[]>;
  /**
   * Puts all but the last turn of a conversation into a summary that models read in their place. Throws when there is nothing
   * to put there, or the model cannot.
   */
  compact(request: CompactRequest): Promise<Compaction>;
  /**
   * Every tool there is now, the servers' state, and what was left out and why. Waits for the servers to start, for
   * `patienceMs` milliseconds at most where it is given.
   */
  inventory(signal?: AbortSignal, patienceMs?: number): Promise<Inventory>;
  /** What these tools weigh in each request of the function-call model in force. Opens the models. */
  weigh(tools: readonly Tool[]): Promise<CatalogWeight>;
  /** The servers as they are once each has been tried. */
  servers(signal?: AbortSignal): Promise<ServerStatus[]>;
  /** The servers' tools that wait to be approved. Waits for the servers to start. */
  toolChanges(signal?: AbortSignal): Promise<NamedChange[]>;
  /** The servers' tools that were trusted at first use and that nobody has approved. Waits for the servers to start. */
  trustedTools(signal?: AbortSignal): Promise<NamedChange[]>;
  /** Approves those that still wait as they were shown, and gives them. Rejects when that cannot be kept. */
  approveTools(shown: readonly NamedChange[]): Promise<NamedChange[]>;
  /** Takes these servers in place of those of the configuration; whose settings are the same goes on undisturbed. */
  configure(servers: readonly ServerSettings[]): Promise<void>;
  /** Every tool, prompt and resource that the caller may use, for a host that uses them itself; one for each connection. */
  gateway(caller?: Caller): Gateway;
  /** Where a caller's conversations and traces are kept; opened when first needed. */
  store(caller?: Caller): Promise<ConversationStore>;
  /** The models that are not asked for a while, because they failed for run after run. */
  pausedModels(): Promise<PausedModel[]>;
  /** Asks each model in use for one word, side by side; rejects when the signal aborts, and for a change that cannot be. */
  checkModels(signal: AbortSignal, changes?: ModelChanges): Promise<ModelCheck[]>;
  /** The search backends in use, of which none is asked; null when search is off. */
  searchInUse(): Promise<SearchCheck | null>;
  /** Whoever used it has left the conversation: what it had searched, agreed to and refused is gone; its words stay. */
  forget(conversationId: string, caller?: Caller): void;
  /** What no run has told yet of where conversations are kept, such as a damaged file; each is given once. */
  takeNotices(): Promise<Notice[]>;
  /**
   * Cancels the runs that are going on and waits until they are kept, for two seconds at most; stops every downstream
   * server and closes the store that was opened here. Resolves when nothing is left, or when the time is over.
   */
  close(limits?: CloseLimits): Promise<void>;
}

/** How long closing may take, in milliseconds. */
export interface CloseLimits {
  totalMs: number;
  /** Of these, what sending the last spans may take; all when absent. */
  telemetryMs?: number | undefined;
}

export interface AskRequest {
  question: string;
  /** Who asks; the operator when absent. */
  caller?: Caller | undefined;
  /** The id that the run is to have; a new one when absent. */
  runId?: string | undefined;
  conversationId?: string;
  /**
   * What was said before, as the asker has kept it, in place of a conversation of ours: the run is kept in no list. Whoever
   * comes back with what it was told goes on with the same sources, and with a plan that waits.
   */
  history?: readonly ConversationTurn[] | undefined;
  /** What the program that asks wants of all answers; it stands below our own prompts. */
  instruction?: string | undefined;
  mode?: Mode;
  /** Chat mode: search the web for the question first; absent: as `search.enabled` says, else not. */
  search?: boolean | undefined;
  /** Shows a plan to somebody who can say yes, no, or what to change; absent where nobody can be asked. */
  confirmPlan?: ConfirmPlan;
  /** Shows a call that needs consent to somebody who can give it; absent where nobody can be asked, so that it does not run. */
  approveCall?: ApproveCall;
  /** Shows a question of a downstream server to somebody who can answer it; absent where nobody can be asked, so that it is cancelled. */
  elicit?: AskElicitation;
  /** Only tools whose names fit one of these patterns. */
  tools?: readonly string[];
  /** What this question changes of the configured limits. */
  limits?: LimitChanges;
  /** In place of the models in force. */
  models?: Models | undefined;
  /** The language of what is said about it; absent: `localeFor` the question. */
  locale?: Locale | undefined;
  /** Where the run stands in a chain of agents, and what the agent above leaves it. */
  chain?: Chain;
  /** A person waits for the answer at one of our own interfaces. A model that is paused is then tried for this question. */
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

/** What a program that embeds Duet brings itself, in place of what the configuration says. */
export interface Parts {
  models?: CustomModels | undefined;
  /** Beside the built-in ones and those of the servers. */
  tools?: readonly Tool[];
  evaluator?: Evaluator | undefined;
  store?: ConversationStore | undefined;
  /** When downstream servers begin to start; at once when absent. */
  startServers?: "at-once" | "when-wanted";
  /** Takes a line about something beside the answers that does not work: spans that cannot be sent. */
  warn?: (line: Text) => void;
}
