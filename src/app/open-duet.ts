import type { Pool } from "../client/pool.ts";
import type { Config } from "../config/load-config.ts";
import { operator } from "../core/caller.ts";
import { traceIdOf } from "../core/chain.ts";
import type { AgentEvent } from "../core/events.ts";
import { createTurns } from "../kit/async/keyed-mutex.ts";
import { once } from "../kit/async/once.ts";
import { abortable, timeLimit } from "../kit/async/timeout.ts";
import { type Locale, languageOf } from "../kit/locale.ts";
import { closed, createGoingRuns, type GoingRun } from "./active-runs.ts";
import { loadInTurn } from "./conversations/load-in-turn.ts";
import { openStore, storeOf } from "./conversations/open-store.ts";
import { rememberApprovals } from "./conversations/remember-approvals.ts";
import { createSessions, keyOf } from "./conversations/sessions.ts";
import type { AskRequest, CloseLimits, Duet, Parts } from "./duet.ts";
import { mergeLimits } from "./merge-limits.ts";
import { changeChoices } from "./models/change-models.ts";
import { choose, createModels } from "./models/model-registry.ts";
import { brokenTools, lostConversation, nested, suspicious, unapproved, unavailable } from "./notices.ts";
import { openAgent, readOwnAgent } from "./own-agent/own-agent.ts";
import { createSample } from "./sampling.ts";
import { openTelemetry } from "./telemetry/telemetry.ts";
import { createGateways } from "./tools/gateway.ts";
import { createSearchLimits, onlySearch } from "./tools/search-limits.ts";
import { noTools, openOffer, type Wanted } from "./tools/tool-inventory.ts";
import { createToolFinding } from "./tools/tool-search.ts";

export type { Compaction } from "../agent/context/compact.ts";
export type { ConfirmPlan } from "../agent/questions/confirm-plan.ts";
export type { AskElicitation } from "../core/forms/elicitation.ts";
export type { ConversationEntry, ConversationStore, RunEntry, SharedStore } from "../core/store/store.ts";
export type { ApprovalRequest, ApproveCall } from "../core/tools/permission.ts";
export type { AskRequest, CompactRequest, Duet, Parts } from "./duet.ts";
export type { LimitChanges } from "./merge-limits.ts";
export type { ModelChanges, ModelParameters } from "./models/model-changes.ts";
export type { Gateway, List, RequestOptions } from "./tools/gateway.ts";
export type { Inventory } from "./tools/tool-inventory.ts";

/** How long a question waits for servers that are still starting, in milliseconds; it goes on without the late ones. */
const patienceMs = 10_000;

/**
 * Opens the agent. Downstream servers begin to start at once; everything heavy is imported when first needed. Throws a
 * `config` error, with nothing begun, when the prompts or the evaluator that the configuration names cannot be used.
 */
export async function openDuet(config: Config, parts: Parts = {}): Promise<Duet> {
  const warn = parts.warn ?? (() => {});
  const own = await readOwnAgent(config, warn);
  const agent = once(() => openAgent(own.prompts));
  const models = createModels(config, parts.models);
  const modelList = once(async () => (await import("./models/list-models.ts")).createModelList(config));
  const offer = openOffer(config, {
    own: parts.tools,
    sample: createSample(models.open),
    warn,
    start: parts.startServers,
  });
  const gateways = createGateways(offer, warn);
  const store = once(() => openStore(config, parts.store));
  const telemetry = openTelemetry(config.telemetry, warn);
  const sessions = createSessions();
  const finding = createToolFinding(config);
  const runs = createGoingRuns();
  const planTurns = createTurns();
  const given = once(async () => (await import("./conversations/given-history.ts")).createGivenHistories());
  const limitSearches = createSearchLimits(config.search);

  function localeFor(question: string): Locale {
    return config.localeIsChosen ? config.locale : languageOf(question, config.locale);
  }

  async function* run(request: AskRequest, going: GoingRun): AsyncGenerator<AgentEvent, void, undefined> {
    const { question, caller = operator, conversationId, mode = "agent", search, approveCall, limits, chain } = request;
    const { history, instruction } = request;
    const { signal } = going;
    const began = performance.now();
    const locale = request.locale ?? localeFor(question);
    const [{ runAgent, prompts }, { store: whole, takeNotices }, chosen] = await Promise.all([
      agent.get(),
      store.get(),
      request.models ?? models.open(),
    ]);
    const kept = storeOf(whole, caller);
    const brought = history && (await given.get()).open(history, { caller, kept });
    const { known, waitedMs } =
      brought ?? (await loadInTurn(kept, conversationId, { caller, going, turns: planTurns }));
    const isLost = conversationId !== undefined && known === undefined;
    const conversation = known ?? (await kept.create(conversationId));
    const session = sessions.of(keyOf(caller, conversation.id), known === undefined);
    // A caller who leaves while servers start still gets a run, which says that it was cancelled.
    const wanted: Wanted = { allow: request.tools, caller, patienceMs, signal };
    const searchFirst = mode === "chat" && (search ?? config.search.enabled === true);
    const chatTools = searchFirst ? onlySearch(offer, session, wanted) : noTools;
    const taken = mode === "chat" ? chatTools : offer.take(session, wanted);
    const { tools, servers, dropped } = await abortable(Promise.resolve(taken), signal).catch(
      unlessAborted(signal, noTools),
    );
    const observer = await telemetry.follow({
      question,
      models: chosen,
      tools,
      servers,
      callersTraceId: traceIdOf(chain?.trace),
    });
    yield* runAgent({
      id: request.runId,
      question,
      mode,
      conversation,
      instruction,
      store: brought?.store ?? kept,
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
      isInteractive: request.isInteractive,
      locale,
      spentMs: performance.now() - began - waitedMs,
      notices: [
        ...takeNotices(locale),
        ...(isLost ? [lostConversation(conversationId, conversation.id, locale)] : []),
        ...unavailable(servers, session.told, locale),
        ...unapproved(servers, session.told, locale),
        ...suspicious(servers, session.told, locale),
        ...brokenTools(dropped, session.told, locale),
        ...nested(config, session.told, locale),
      ],
      observer: going.observe(observer),
      signal,
    });
  }

  /** Once each has been tried. */
  async function triedServers(signal: AbortSignal | undefined): Promise<Pool | undefined> {
    const pool = await offer.pool();
    await pool?.ready(signal);
    return pool;
  }

  /** The spans of the last runs are sent while servers still end. */
  async function finishRuns({ totalMs, telemetryMs = totalMs }: Partial<CloseLimits>): Promise<void> {
    await runs.stop(totalMs && totalMs / 2);
    const closing = parts.store ? undefined : store.begun?.then((opened) => opened.store.close());
    await Promise.all([own.close(), closing, telemetry.close(telemetryMs)]);
  }

  return {
    locale: config.locale,
    localeFor,
    models: models.open,
    modelParameters: models.parameters,
    async modelNames(signal) {
      const [list, inForce] = await abortable(Promise.all([modelList.get(), models.open()]), signal);
      return list(inForce, signal);
    },
    async compact(request) {
      if (runs.isStopped) throw closed();
      const going = runs.begin(request.signal);
      try {
        const [{ compact }, { prompts }, { store: whole }, chosen] = await Promise.all([
          import("./conversations/compact.ts"),
          agent.get(),
          store.get(),
          request.models ?? models.open(),
        ]);
        const kept = storeOf(whole, request.caller ?? operator);
        return await compact({ ...request, models: chosen, store: kept, prompts, config, signal: going.signal });
      } finally {
        going.end();
      }
    },
    store: async (caller = operator) => storeOf((await store.get()).store, caller),
    inventory: (signal, patienceMs) => abortable(offer.take({}, { signal, patienceMs }), signal),
    async weigh(tools) {
      const [{ weighOffer }, { functionCall }] = await Promise.all([agent.get(), models.open()]);
      return weighOffer(tools, functionCall, config.tools.searchAbove, finding.weights);
    },
    servers: async (signal) => (await triedServers(signal))?.status() ?? [],
    toolChanges: async (signal) => (await triedServers(signal))?.waiting() ?? [],
    trustedTools: async (signal) => (await triedServers(signal))?.trusted() ?? [],
    approveTools: async (shown) => (await offer.pool())?.approve(shown) ?? [],
    async configure(next) {
      await offer.configure(next);
      await gateways.refresh();
    },
    gateway: gateways.open,
    pausedModels: models.paused,
    async checkModels(signal, changes = {}) {
      const [{ checkModels }, chosen] = await Promise.all([import("./models/check-models.ts"), choose(config)]);
      return checkModels(await changeChoices(chosen, changes, config), config.locale, signal);
    },
    searchInUse: async () => (await import("./models/check-models.ts")).searchInUse(config),
    async *ask(request) {
      if (runs.isStopped) throw closed();
      const going = runs.begin(request.signal);
      try {
        yield* run(request, going);
      } finally {
        going.end();
      }
    },
    forget: (conversationId, caller = operator) => sessions.forget(keyOf(caller, conversationId)),
    takeNotices: async () => (await store.begun)?.takeNotices(config.locale) ?? [],
    async close(limits) {
      const limit = limits && timeLimit(limits.totalMs, closed);
      const closing = Promise.all([offer.close(limits?.totalMs), finishRuns(limits ?? {})]);
      await abortable(closing, limit?.signal).catch(unlessAborted(limit?.signal, undefined));
      limit?.clear();
    },
  };
}

function unlessAborted<T>(signal: AbortSignal | undefined, instead: T): (thrown: unknown) => T {
  return (thrown) => {
    if (signal?.aborted) return instead;
    throw thrown;
  };
}
