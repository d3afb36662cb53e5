import type { Pool } from "../client/pool.ts";
import type { Config } from "../config/load-config.ts";
import { operator } from "../core/caller.ts";
import { getTraceId } from "../core/chain.ts";
import type { AgentEvent } from "../core/events.ts";
import { createOnce } from "../kit/async/once.ts";
import { createKeyedMutex, createTimeLimit, waitAbortable } from "../kit/async/timeout.ts";
import { detectLanguage, type Locale } from "../kit/errors.ts";
import { type ActiveRun, closedError, createActiveRuns } from "./active-runs.ts";
import { loadConversation } from "./conversations/load-in-turn.ts";
import { openStore, scopeStore } from "./conversations/open-store.ts";
import { rememberApprovals } from "./conversations/remember-approvals.ts";
import { createSessions, toSessionKey } from "./conversations/sessions.ts";
import type { AskRequest, CloseLimits, Duet, Parts } from "./duet.ts";
import { mergeLimits } from "./merge-limits.ts";
import { changeChoices } from "./models/change-models.ts";
import { chooseModels, createModelRegistry } from "./models/model-registry.ts";
import {
  noticeBrokenTools,
  noticeLostConversation,
  noticeNested,
  noticeSuspicious,
  noticeUnapproved,
  noticeUnavailable,
} from "./notices.ts";
import { openAgent, readOwnAgent } from "./own-agent/own-agent.ts";
import { createSample } from "./sampling.ts";
import { openTelemetry } from "./telemetry/telemetry.ts";
import { createGateways } from "./tools/gateway.ts";
import { createSearchLimits, selectSearch } from "./tools/search-limits.ts";
import { noTools, openToolInventory, type WantedTools } from "./tools/tool-inventory.ts";
import { createToolSearch } from "./tools/tool-search.ts";

export type { Compaction } from "../agent/context/compact.ts";
export type { ConfirmPlan } from "../agent/questions/confirm-plan.ts";
export type { AskElicitation } from "../core/forms/elicitation.ts";
export type { ConversationEntry, ConversationStore, RunEntry, SharedStore } from "../core/store/store.ts";
export type { ApprovalRequest, ApproveCall } from "../core/tools/tool.ts";
export type { AskRequest, CompactRequest, Duet, Parts } from "./duet.ts";
export type { LimitChanges } from "./merge-limits.ts";
export type { ModelChanges, ModelParameters } from "./models/model-changes.ts";
export type { Gateway, List, RequestOptions } from "./tools/gateway.ts";
export type { Inventory } from "./tools/tool-inventory.ts";

/** Limits how long a question waits for servers that are still starting, in milliseconds. It continues without the late ones. */
const patienceMs = 10_000;

/**
 * Opens the agent. Downstream servers begin to start at once; everything heavy is imported when first needed. Throws a
 * `config` error, with nothing begun, when the prompts or the evaluator that the configuration names cannot be used.
 */
export async function openDuet(config: Config, parts: Parts = {}): Promise<Duet> {
  const warn = parts.warn ?? (() => {});
  const own = await readOwnAgent(config, warn);
  const agent = createOnce(() => openAgent(own.prompts));
  const registry = createModelRegistry(config, parts.models);
  const modelList = createOnce(async () => (await import("./models/list-models.ts")).createModelList(config));
  const catalog = openToolInventory(config, {
    own: parts.tools,
    sample: createSample(registry.open),
    warn,
    start: parts.startServers,
  });
  const gateways = createGateways(catalog, warn);
  const store = createOnce(() => openStore(config, parts.store));
  const telemetry = openTelemetry(config.telemetry, warn);
  const sessions = createSessions();
  const finding = createToolSearch(config);
  const runs = createActiveRuns();
  const planTurns = createKeyedMutex();
  const given = createOnce(async () => (await import("./conversations/given-history.ts")).createGivenHistories());
  const limitSearches = createSearchLimits(config.search);

  function localeFor(question: string): Locale {
    return config.localeIsChosen ? config.locale : detectLanguage(question, config.locale);
  }

  async function* run(request: AskRequest, going: ActiveRun): AsyncGenerator<AgentEvent, void, undefined> {
    const { question, caller = operator, conversationId, mode = "agent", search, approveCall, limits, chain } = request;
    const { history, instruction } = request;
    const { signal } = going;
    const began = performance.now();
    const locale = request.locale ?? localeFor(question);
    const [{ runAgent, prompts }, { store: whole, takeNotices }, chosen] = await Promise.all([
      agent.get(),
      store.get(),
      request.models ?? registry.open(),
    ]);
    const kept = scopeStore(whole, caller);
    const brought = history && (await given.get()).open(history, { caller, kept });
    const { known, waitedMs } =
      brought ?? (await loadConversation(kept, conversationId, { caller, going, mutex: planTurns }));
    const isLost = conversationId !== undefined && known === undefined;
    const conversation = known ?? (await kept.create(conversationId));
    const session = sessions.of(toSessionKey(caller, conversation.id), known === undefined);
    // A caller who leaves while servers start still gets a run, which says that it was cancelled.
    const wanted: WantedTools = { allow: request.tools, caller, patienceMs, signal };
    const searchFirst = mode === "chat" && (search ?? config.search.enabled === true);
    const chatTools = searchFirst ? selectSearch(catalog, session, wanted) : noTools;
    const taken = mode === "chat" ? chatTools : catalog.resolveTools(session, wanted);
    const { tools, servers, dropped } = await waitAbortable(Promise.resolve(taken), signal).catch(
      unlessAborted(signal, noTools),
    );
    const observer = await telemetry.follow({
      question,
      models: chosen,
      tools,
      servers,
      callersTraceId: getTraceId(chain?.trace),
    });
    yield* runAgent({
      request: {
        id: request.runId,
        question,
        mode,
        conversation,
        instruction,
        search: searchFirst,
        locale,
        isInteractive: request.isInteractive,
        limits: mergeLimits(config, limits, chain),
        planPolicy: config.agent.plan,
        chain,
      },
      parts: {
        models: chosen,
        prompts,
        store: brought?.store ?? kept,
        tools: await limitSearches(session, tools),
        finding: mode === "chat" ? undefined : await finding.open(session),
        evaluator: parts.evaluator ?? own.evaluator,
        confirmPlan: request.confirmPlan,
        approveCall: approveCall && rememberApprovals(approveCall, session),
        elicit: request.elicit,
      },
      spentMs: performance.now() - began - waitedMs,
      notices: [
        ...takeNotices(locale),
        ...(isLost ? [noticeLostConversation(conversationId, conversation.id, locale)] : []),
        ...noticeUnavailable(servers, session.told, locale),
        ...noticeUnapproved(servers, session.told, locale),
        ...noticeSuspicious(servers, session.told, locale),
        ...noticeBrokenTools(dropped, session.told, locale),
        ...noticeNested(config, session.told, locale),
      ],
      observer: going.observe(observer),
      signal,
    });
  }

  /** Waits until each server has been tried. */
  async function triedServers(signal: AbortSignal | undefined): Promise<Pool | undefined> {
    const pool = await catalog.pool();
    await pool?.ready(signal);
    return pool;
  }

  /** Sends the spans of the last runs while servers are still shutting down. */
  async function finishRuns({ totalMs, telemetryMs = totalMs }: Partial<CloseLimits>): Promise<void> {
    await runs.stop(totalMs && totalMs / 2);
    const closing = parts.store ? undefined : store.begun?.then((opened) => opened.store.close());
    await Promise.all([own.close(), closing, telemetry.close(telemetryMs)]);
  }

  return {
    locale: config.locale,
    localeFor,
    models: registry.open,
    modelParameters: registry.parameters,
    async modelNames(signal) {
      const [list, inForce] = await waitAbortable(Promise.all([modelList.get(), registry.open()]), signal);
      return list(inForce, signal);
    },
    async compact(request) {
      if (runs.isStopped) throw closedError();
      const going = runs.begin(request.signal);
      try {
        const [{ compact }, { prompts }, { store: whole }, chosen] = await Promise.all([
          import("./conversations/compact.ts"),
          agent.get(),
          store.get(),
          request.models ?? registry.open(),
        ]);
        const kept = scopeStore(whole, request.caller ?? operator);
        return await compact({ ...request, models: chosen, store: kept, prompts, config, signal: going.signal });
      } finally {
        going.end();
      }
    },
    store: async (caller = operator) => scopeStore((await store.get()).store, caller),
    inventory: (signal, patienceMs) => waitAbortable(catalog.resolveTools({}, { signal, patienceMs }), signal),
    async weigh(tools) {
      const [{ weighOffer }, { functionCall }] = await Promise.all([agent.get(), registry.open()]);
      return weighOffer(tools, functionCall, config.tools.searchAbove, finding.weights);
    },
    servers: async (signal) => (await triedServers(signal))?.status() ?? [],
    toolChanges: async (signal) => (await triedServers(signal))?.waiting() ?? [],
    trustedTools: async (signal) => (await triedServers(signal))?.trusted() ?? [],
    approveTools: async (shown) => (await catalog.pool())?.approve(shown) ?? [],
    async configure(next) {
      await catalog.configure(next);
      await gateways.refresh();
    },
    gateway: gateways.open,
    pausedModels: registry.paused,
    async checkModels(signal, changes = {}) {
      const [{ checkModels }, chosen] = await Promise.all([import("./models/check-models.ts"), chooseModels(config)]);
      return checkModels(await changeChoices(chosen, changes, config), config.locale, signal);
    },
    searchInUse: async () => (await import("./models/check-models.ts")).findSearchInUse(config),
    async *ask(request) {
      if (runs.isStopped) throw closedError();
      const going = runs.begin(request.signal);
      try {
        yield* run(request, going);
      } finally {
        going.end();
      }
    },
    forget: (conversationId, caller = operator) => sessions.forget(toSessionKey(caller, conversationId)),
    takeNotices: async () => (await store.begun)?.takeNotices(config.locale) ?? [],
    async close(limits) {
      const limit = limits && createTimeLimit(limits.totalMs, closedError);
      const closing = Promise.all([catalog.close(limits?.totalMs), finishRuns(limits ?? {})]);
      await waitAbortable(closing, limit?.signal).catch(unlessAborted(limit?.signal, undefined));
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
