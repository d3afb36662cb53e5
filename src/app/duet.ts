import type { Compaction } from "../agent/context/compact.ts";
import type { ContextUse } from "../agent/context/measure-context.ts";
import type { CatalogWeight } from "../agent/tools/catalog-weight.ts";
import type { SubAgentSettings } from "../config/config.ts";
import type { Attachment } from "../core/attachment.ts";
import { type Caller, operator } from "../core/caller.ts";
import type { FileRefusal } from "../core/files/prepare-image.ts";
import type { AgentEvent } from "../core/run/events.ts";
import type { AgentTrace } from "../core/run/trace.ts";
import type { Credentials } from "../core/store/credentials.ts";
import type { FindRecords } from "../core/store/shared-records.ts";
import type { ConversationStore } from "../core/store/store.ts";
import type { TypedHistory } from "../core/store/typed-history.ts";
import type { UsageHistory } from "../core/store/usage-history.ts";
import type { Tool } from "../core/tools/tool.ts";
import { createPushedStream } from "../kit/async/pushed-stream.ts";
import { createTimeLimit, ignoreAbort, waitAbortable } from "../kit/async/timeout.ts";
import { chooseLocale, type Locale } from "../kit/locale.ts";
import { closedError } from "./ask/active-runs.ts";
import type { AskRequest, CloseLimits, CompactRequest } from "./ask/ask-request.ts";
import type { MeasureRequest } from "./ask/measure-context.ts";
import { mergeLimits } from "./ask/merge-limits.ts";
import type { RunChoices } from "./conversations/last-choices.ts";
import { listApprovals, type RememberedApproval, revokeApproval } from "./conversations/remember-approvals.ts";
import { scopeStore } from "./conversations/scope-store.ts";
import { toConversationKey } from "./conversations/sessions.ts";
import { createSharedApprovals } from "./conversations/shared-approvals.ts";
import { StoreHealth } from "./conversations/store-health.ts";
import { StoredRuns } from "./conversations/stored-runs.ts";
import { createTypedHistory } from "./conversations/typed-history.ts";
import type { DuetParts } from "./duet-parts.ts";
import type { SearchCheck } from "./models/check-models.ts";
import { ModelCatalog } from "./models/model-catalog.ts";
import type { AskedChoices } from "./sub-agents/agent-choices.ts";
import type { Metrics } from "./telemetry/metrics.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";
import type { Gateway } from "./tools/gateway.ts";
import { McpServers } from "./tools/mcp-servers.ts";
import type { Inventory } from "./tools/tool-inventory.ts";

/** Represents the whole agent, opened once and shared by every interface and connection. */
export class Duet {
  /** Opens and checks the models in force, and lists those that can be chosen instead. */
  readonly models: ModelCatalog;
  /** Finds and takes the runs that the store records. */
  readonly storedRuns: StoredRuns;
  /** Says how the store is, and tells each change of that. */
  readonly storeHealth: StoreHealth;
  /** Shows and changes the MCP servers, and approves their tools. */
  readonly servers: McpServers;
  readonly #parts: DuetParts;
  #closing: Promise<void> | undefined;

  constructor(parts: DuetParts) {
    const { config, conversations, tools } = parts;
    this.#parts = parts;
    this.models = new ModelCatalog(parts);
    this.storedRuns = new StoredRuns(config, conversations.store);
    this.storeHealth = new StoreHealth(config, conversations);
    this.servers = new McpServers(tools);
  }

  /** Is the language of Duet's own messages when there is no question to determine it. */
  get locale(): Locale {
    return this.#parts.config.locale;
  }

  /**
   * Returns the language for messages about a question: the configured one or, where whoever asks has started the program, the
   * system's; else the question's own.
   */
  localeFor(question: string): Locale {
    return chooseLocale(this.#parts.config, question);
  }

  /**
   * Runs one question as a stream of events; see `runAgent` for its promises. Leaving the stream early stops the run. The stream
   * throws only when no run can begin.
   */
  ask(request: AskRequest): AsyncGenerator<AgentEvent, void, undefined> {
    const { runs } = this.#parts;
    return createPushedStream(async (push, left) => {
      if (runs.isStopped) throw closedError();
      const going = runs.begin(request.signal, left);
      try {
        const { askAgent } = await import("./ask/ask-agent.ts");
        await askAgent(this.#parts, request, going, push);
      } finally {
        going.end();
      }
    });
  }

  /** Returns the mode and the models with which a question would run. Throws for an agent that is not configured. */
  async openChoices(asked: AskedChoices): Promise<RunChoices> {
    return (await import("./sub-agents/agent-choices.ts")).openChoices(this.#parts, asked);
  }

  /**
   * Puts all but the last turn of a conversation into a summary that models read in their place. Throws when there is nothing
   * to put there, or the model cannot.
   */
  async compact(request: CompactRequest): Promise<Compaction> {
    const { config, runs, agent, conversations, models } = this.#parts;
    if (runs.isStopped) throw closedError();
    const going = runs.begin(request.signal);
    try {
      const [{ compactConversation }, { prompts }, { store: whole }, chosen] = await Promise.all([
        import("../agent/context/compact.ts"),
        agent.get(),
        conversations.store.get(),
        request.models ?? models.open(),
      ]);
      const store = scopeStore(whole, request.caller ?? operator);
      const locale = request.locale ?? config.locale;
      const limits = mergeLimits(config);
      return await compactConversation({
        ...request,
        models: chosen,
        store,
        prompts,
        locale,
        limits,
        signal: going.signal,
      });
    } finally {
      going.end();
    }
  }

  /** Says what would fill the windows of the models in the next question of a conversation. */
  async measureContext(request: MeasureRequest): Promise<ContextUse[]> {
    return (await import("./ask/measure-context.ts")).measureNextContext(this.#parts, request);
  }

  /**
   * Returns every tool there is now, the servers' state, and what was left out and why. Waits for the servers to start, for at
   * most `patienceMs` milliseconds when it is given.
   */
  inventory(signal?: AbortSignal, patienceMs?: number): Promise<Inventory> {
    return waitAbortable(this.#parts.tools.inventory.resolveTools({}, { signal, patienceMs }), signal);
  }

  /** Returns the size of these tools in each request of the function-call model in force. Opens the models. */
  async weigh(tools: readonly Tool[]): Promise<CatalogWeight> {
    const { config, agent, models, tools: own } = this.#parts;
    const [{ weighCatalog }, { functionCall }] = await Promise.all([agent.get(), models.open()]);
    return weighCatalog(tools, functionCall, config.tools.searchAbove, own.search.weights);
  }

  /**
   * Fetches a file that a question names by its address, of at most `room` bytes and only from where network tools may read.
   * Throws a `DuetError` that says why it cannot be had, or the signal's reason.
   */
  async fetchFile(url: string, room: number, signal: AbortSignal): Promise<Attachment> {
    const { fetchFile } = await import("./tools/fetch-file.ts");
    return fetchFile(this.#parts.config, url, room, signal);
  }

  /** Returns why a file cannot come with a question, or undefined for one that can. Rejects only when the signal aborts. */
  async checkFile(attachment: Attachment, locale: Locale, signal: AbortSignal): Promise<FileRefusal | undefined> {
    return (await this.#parts.attachments.get()).check(attachment, { locale, signal });
  }

  /**
   * Returns every tool, prompt and resource that the caller may use, for a host that uses them itself. Each connection has its
   * own gateway.
   */
  gateway(caller?: Caller): Gateway {
    return this.#parts.tools.gateways.open(caller);
  }

  /** Returns the store of a caller's conversations and traces. It is opened when first needed. */
  async store(caller: Caller = operator): Promise<ConversationStore> {
    return scopeStore((await this.#parts.conversations.store.get()).store, caller);
  }

  /** Returns what one of the caller's runs did, also where it is not stored because the caller keeps the conversation itself. */
  async trace(runId: string, caller: Caller = operator): Promise<AgentTrace | undefined> {
    const given = await this.#parts.conversations.given.current;
    return given?.findTrace(runId, caller) ?? (await this.store(caller)).trace(runId);
  }

  /** Returns the API tokens and the sessions of people who are signed in. Their methods reject while the store cannot be used. */
  async credentials(): Promise<Credentials> {
    return (await this.#parts.conversations.store.get()).credentials;
  }

  /** Returns what callers have used by day and model; undefined where an embedding program has brought its own store. */
  async usageHistory(): Promise<UsageHistory | undefined> {
    return (await this.#parts.conversations.store.get()).usageHistory;
  }

  /** Returns the history of what is typed in the chat. Its methods never reject: what cannot be stored lasts as long as the chat. */
  typedHistory(): TypedHistory {
    const { config, conversations } = this.#parts;
    return createTypedHistory(config, conversations.store.get);
  }

  /** Returns the search backends in use without sending them a request, or null when search is off. */
  async searchInUse(): Promise<SearchCheck | null> {
    return (await import("./models/check-models.ts")).findSearchInUse(this.#parts.config);
  }

  /**
   * Clears what the process remembers of a conversation that its user has left: searches, approvals and refusals. The
   * conversation itself is kept.
   */
  forget(conversationId: string, caller: Caller = operator): void {
    const { sessions, findRecords } = this.#parts.conversations;
    sessions.forget(toConversationKey(caller, conversationId));
    void createSharedApprovals(findRecords, caller, conversationId)?.forget();
  }

  /** Opens what machines share beside conversations; undefined where this one keeps its own. */
  get findRecords(): FindRecords | undefined {
    return this.#parts.conversations.findRecords;
  }

  /** Lists the calls that a person has agreed to or refused for the rest of a conversation. */
  approvals(conversationId: string, caller: Caller = operator): RememberedApproval[] {
    const session = this.#parts.conversations.sessions.find(toConversationKey(caller, conversationId));
    return session === undefined ? [] : listApprovals(session);
  }

  /** Takes one of them back, so that the next such call is asked about. */
  revokeApproval(conversationId: string, approval: RememberedApproval, caller: Caller = operator): void {
    const session = this.#parts.conversations.sessions.find(toConversationKey(caller, conversationId));
    if (session === undefined) return;
    revokeApproval(session, approval);
    const { findRecords } = this.#parts.conversations;
    void createSharedApprovals(findRecords, caller, conversationId)?.save(session);
  }

  /** Is true where `agent.budgets` limits what is used in a day, which is then counted with the record of each turn. */
  get limitsDay(): boolean {
    const { tokensPerDay, costPerDay } = this.#parts.config.agent.budgets;
    return (tokensPerDay ?? costPerDay) !== undefined;
  }

  /** Lists the agents that a question may choose instead of the main one. */
  get agents(): readonly SubAgentSettings[] {
    return this.#parts.subAgents.all;
  }

  /** Has the metrics of the process, which nobody records before somebody wants to read them or they are sent. */
  get metrics(): Metrics {
    return this.#parts.telemetry.metrics;
  }

  /** Takes entries of the operator's log that are to be sent over OTLP. */
  get logs(): Telemetry["logs"] {
    return this.#parts.telemetry.logs;
  }

  /**
   * Cancels the runs that are going on and waits until they are kept, for two seconds at most; stops every downstream
   * server and closes the store that was opened here. Resolves when nothing is left, or when the time is over. A second call
   * waits for the first.
   */
  async close(limits?: CloseLimits): Promise<void> {
    const limit = limits && createTimeLimit(limits.totalMs, closedError);
    this.#closing ??= this.#parts.close(limits ?? {});
    await waitAbortable(this.#closing, limit?.signal).catch(ignoreAbort(limit?.signal, undefined));
    limit?.clear();
  }
}
