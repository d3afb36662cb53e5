import type { Conversation } from "./agent/conversation.ts";
import type { Evaluator } from "./agent/evaluator.ts";
import type { OfferWeight } from "./agent/offer-weight.ts";
import type { ConfirmPlan } from "./agent/plan-reply.ts";
import type { Models } from "./agent/run.ts";
import type { ConversationStore } from "./agent/store.ts";
import { rememberApprovals } from "./app/approvals.ts";
import type { ModelCheck, SearchCheck } from "./app/checkup.ts";
import { createGateways, type Gateway } from "./app/gateway.ts";
import { type Inventory, noTools, openOffer, type Wanted } from "./app/inventory.ts";
import { type LimitChanges, mergeLimits } from "./app/limits.ts";
import { choose, chooseModels, type OwnModels } from "./app/models.ts";
import { brokenTools, lostConversation, nested, unapproved, unavailable } from "./app/notices.ts";
import { once } from "./app/once.ts";
import { openAgent, readOwnAgent } from "./app/own-agent.ts";
import { closed, createGoingRuns, type GoingRun } from "./app/runs.ts";
import { createSample } from "./app/sampling.ts";
import { createSearchLimits, onlySearch } from "./app/searches.ts";
import { createSessions } from "./app/sessions.ts";
import { openStore } from "./app/store.ts";
import { openTelemetry } from "./app/telemetry.ts";
import { createToolFinding } from "./app/tool-finding.ts";
import { createTurns } from "./app/turns.ts";
import type { NamedChange } from "./client/pool.ts";
import type { ServerSettings } from "./client/settings.ts";
import type { Config } from "./config.ts";
import { type Chain, traceIdOf } from "./core/chain.ts";
import type { AskElicitation } from "./core/elicitation.ts";
import type { AgentEvent } from "./core/events.ts";
import { type Locale, languageOf, type Text } from "./core/locale.ts";
import type { Notice } from "./core/notice.ts";
import type { Mode } from "./core/outcome.ts";
import type { ApproveCall } from "./core/permission.ts";
import type { Tool } from "./core/tool.ts";
import { abortable } from "./core/waiting.ts";

export type { ConfirmPlan } from "./agent/plan-reply.ts";
export type { ConversationEntry, ConversationStore, RunEntry } from "./agent/store.ts";
export type { Gateway, List, RequestOptions } from "./app/gateway.ts";
export type { Inventory } from "./app/inventory.ts";
export type { AskElicitation } from "./core/elicitation.ts";
export type { ApprovalRequest, ApproveCall } from "./core/permission.ts";

/** The whole agent, opened once and shared by every face and connection. */
export interface Duet {
  /** The language of what Duet says when there is no question to go by. */
  readonly locale: Locale;
  /** The language in which to speak about a question: the configured one or the system's, else the question's own. */
  localeFor(question: string): Locale;
  /** Runs one question; see `runAgent` for the promises of the stream. */
  ask(request: AskRequest): AsyncGenerator<AgentEvent, void, undefined>;
  /** The two roles in force; the same object twice when one model plays both. */
  models(): Promise<Models>;
  /** Every tool there is now, the servers' state, and what was left out and why. Waits for the servers to start. */
  inventory(signal?: AbortSignal): Promise<Inventory>;
  /** What these tools weigh in each request of the function-call model in force. Opens the models. */
  weigh(tools: readonly Tool[]): Promise<OfferWeight>;
  /** The servers' tools that wait to be approved. Waits for the servers to start. */
  toolChanges(signal?: AbortSignal): Promise<NamedChange[]>;
  /** Approves those that still wait as they were shown, and gives them. Rejects when that cannot be kept. */
  approveTools(shown: readonly NamedChange[]): Promise<NamedChange[]>;
  /** Takes these servers in place of those of the configuration; whose settings are the same goes on undisturbed. */
  configure(servers: readonly ServerSettings[]): Promise<void>;
  /** Every tool, prompt and resource, for a host that uses them itself; one for each connection. */
  gateway(): Gateway;
  /** Where conversations and traces are kept; opened when first needed. */
  store(): Promise<ConversationStore>;
  /** Asks each model in use for one word, side by side; rejects only when the signal aborts. */
  checkModels(signal: AbortSignal): Promise<ModelCheck[]>;
  /** The search backends in use, of which none is asked; null when search is off. */
  searchInUse(): Promise<SearchCheck | null>;
  /** What no run has told yet of where conversations are kept, such as a damaged file; each is given once. */
  takeNotices(): Promise<Notice[]>;
  /**
   * Cancels the runs that are going on and waits until they are kept, for two seconds at most; stops every downstream
   * server and closes the store that was opened here. Resolves when nothing is left.
   */
  close(): Promise<void>;
}

export interface AskRequest {
  question: string;
  conversationId?: string;
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
  /** Where the run stands in a chain of agents, and what the agent above leaves it. */
  chain?: Chain;
  signal?: AbortSignal;
}

/** How long a question waits for servers that are still starting, in milliseconds; it goes on without the late ones. */
const patienceMs = 10_000;

/** What a program that embeds Duet brings itself, in place of what the configuration says. */
export interface Parts {
  models?: OwnModels | undefined;
  /** Beside the built-in ones and those of the servers. */
  tools?: readonly Tool[];
  evaluator?: Evaluator | undefined;
  store?: ConversationStore | undefined;
  /** Takes a line about something beside the answers that does not work: spans that cannot be sent. */
  warn?: (line: Text) => void;
}

/**
 * Opens the agent. Downstream servers begin to start at once; everything heavy is imported when first needed. Throws a
 * `config` error, with nothing begun, when the prompts or the evaluator that the configuration names cannot be used.
 */
export async function openDuet(config: Config, parts: Parts = {}): Promise<Duet> {
  const own = await readOwnAgent(config);
  const agent = once(() => openAgent(own.prompts));
  const models = once(() => chooseModels(config, parts.models));
  const offer = openOffer(config, parts.tools, createSample(models.get));
  const gateways = createGateways(offer);
  const store = once(() => openStore(config, parts.store));
  const telemetry = openTelemetry(config.telemetry, parts.warn ?? (() => {}));
  const sessionOf = createSessions();
  const finding = createToolFinding(config);
  const runs = createGoingRuns();
  const planTurns = createTurns();
  const limitSearches = createSearchLimits(config.search);

  function localeFor(question: string): Locale {
    return config.localeIsChosen ? config.locale : languageOf(question, config.locale);
  }

  async function* run(request: AskRequest, going: GoingRun): AsyncGenerator<AgentEvent, void, undefined> {
    const { question, conversationId, mode = "agent", search, approveCall, limits, chain } = request;
    const { signal } = going;
    const began = performance.now();
    const locale = localeFor(question);
    const [{ runAgent, prompts }, { store: kept, takeNotices }, chosen] = await Promise.all([
      agent.get(),
      store.get(),
      models.get(),
    ]);
    const { known, waitedMs } = await loadInTurn(kept, conversationId, going);
    const isLost = conversationId !== undefined && known === undefined;
    const conversation = known ?? (await kept.create(conversationId));
    const session = sessionOf(conversation.id, known === undefined);
    // A caller who leaves while servers start still gets a run, which says that it was cancelled.
    const wanted: Wanted = { allow: request.tools, patienceMs, signal };
    const searchFirst = mode === "chat" && (search ?? config.search.enabled === true);
    const chatTools = searchFirst ? onlySearch(offer, session, wanted) : noTools;
    const taken = mode === "chat" ? chatTools : offer.take(session, wanted);
    const { tools, servers, dropped } = await abortable(Promise.resolve(taken), signal).catch(unlessAborted(signal));
    const observer = await telemetry.follow({
      question,
      models: chosen,
      tools,
      servers,
      callersTraceId: traceIdOf(chain?.trace),
    });
    yield* runAgent({
      question,
      mode,
      conversation,
      store: kept,
      models: chosen,
      tools: await limitSearches(session, tools),
      finding: mode === "chat" ? undefined : await finding.open(session),
      prompts,
      limits: mergeLimits(config, limits, chain),
      chain,
      evaluator: parts.evaluator ?? own.evaluator,
      planPolicy: config.agent.plan,
      confirmPlan: request.confirmPlan,
      approveCall: approveCall && rememberApprovals(approveCall, session),
      elicit: request.elicit,
      search: searchFirst,
      locale,
      spentMs: performance.now() - began - waitedMs,
      notices: [
        ...takeNotices(locale),
        ...(isLost ? [lostConversation(conversationId, locale)] : []),
        ...unavailable(servers, session.told, locale),
        ...unapproved(servers, session.told, locale),
        ...brokenTools(dropped, session.told, locale),
        ...nested(config, session.told, locale),
      ],
      observer: going.observe(observer),
      signal,
    });
  }

  /** Two replies to one plan that waits are taken one after the other; the second finds what the first has left. */
  async function loadInTurn(
    kept: ConversationStore,
    conversationId: string | undefined,
    going: GoingRun,
  ): Promise<{ known: Conversation | undefined; waitedMs: number }> {
    if (conversationId === undefined) return { known: undefined, waitedMs: 0 };
    const known = await kept.load(conversationId);
    if (known?.pendingPlan === undefined) return { known, waitedMs: 0 };
    const began = performance.now();
    // Who is cancelled meanwhile needs no turn any more.
    going.atEnd(await planTurns(conversationId, going.signal).catch(() => () => {}));
    const waitedMs = performance.now() - began;
    return { known: await kept.load(conversationId), waitedMs };
  }

  return {
    locale: config.locale,
    localeFor,
    models: models.get,
    store: async () => (await store.get()).store,
    inventory: (signal) => abortable(offer.take({}, { signal }), signal),
    async weigh(tools) {
      const [{ weighOffer }, { functionCall }] = await Promise.all([agent.get(), models.get()]);
      return weighOffer(tools, functionCall, config.tools.searchAbove, finding.weights);
    },
    async toolChanges(signal) {
      const pool = await offer.pool();
      await pool?.ready(signal);
      return pool?.waiting() ?? [];
    },
    approveTools: async (shown) => (await offer.pool())?.approve(shown) ?? [],
    async configure(next) {
      await offer.configure(next);
      await gateways.refresh();
    },
    gateway: gateways.open,
    async checkModels(signal) {
      const [{ checkModels }, chosen] = await Promise.all([import("./app/checkup.ts"), choose(config)]);
      return checkModels(chosen, config.locale, signal);
    },
    searchInUse: async () => (await import("./app/checkup.ts")).searchInUse(config),
    async *ask(request) {
      if (runs.isStopped) throw closed();
      const going = runs.begin(request.signal);
      try {
        yield* run(request, going);
      } finally {
        going.end();
      }
    },
    takeNotices: async () => (await store.begun)?.takeNotices(config.locale) ?? [],
    async close() {
      await Promise.all([offer.close(), runs.stop()]);
      const closing = parts.store ? undefined : store.begun?.then((opened) => opened.store.close());
      await Promise.all([closing, telemetry.close()]);
    },
  };
}

function unlessAborted(signal: AbortSignal | undefined): (thrown: unknown) => Inventory {
  return (thrown) => {
    if (signal?.aborted) return noTools;
    throw thrown;
  };
}
