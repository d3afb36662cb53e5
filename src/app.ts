import { rememberApprovals } from "./app/approvals.ts";
import { changeChoices } from "./app/changed-choices.ts";
import type { AskRequest, CloseLimits, Duet, Parts } from "./app/duet.ts";
import { createGateways } from "./app/gateway.ts";
import { noTools, openOffer, type Wanted } from "./app/inventory.ts";
import { mergeLimits } from "./app/limits.ts";
import { loadInTurn } from "./app/load-in-turn.ts";
import { choose, createModels } from "./app/models.ts";
import { brokenTools, lostConversation, nested, suspicious, unapproved, unavailable } from "./app/notices.ts";
import { once } from "./app/once.ts";
import { openAgent, readOwnAgent } from "./app/own-agent.ts";
import { closed, createGoingRuns, type GoingRun } from "./app/runs.ts";
import { createSample } from "./app/sampling.ts";
import { createSearchLimits, onlySearch } from "./app/searches.ts";
import { createSessions, keyOf } from "./app/sessions.ts";
import { openStore, storeOf } from "./app/store.ts";
import { openTelemetry } from "./app/telemetry.ts";
import { createToolFinding } from "./app/tool-finding.ts";
import { createTurns } from "./app/turns.ts";
import type { Pool } from "./client/pool.ts";
import type { Config } from "./config.ts";
import { operator } from "./core/caller.ts";
import { traceIdOf } from "./core/chain.ts";
import type { AgentEvent } from "./core/events.ts";
import { type Locale, languageOf } from "./core/locale.ts";
import { abortable, timeLimit } from "./core/waiting.ts";

export type { Compaction } from "./agent/compact.ts";
export type { ConfirmPlan } from "./agent/plan-reply.ts";
export type { ConversationEntry, ConversationStore, RunEntry, SharedStore } from "./agent/store.ts";
export type { AskRequest, CompactRequest, Duet, Parts } from "./app/duet.ts";
export type { Gateway, List, RequestOptions } from "./app/gateway.ts";
export type { Inventory } from "./app/inventory.ts";
export type { LimitChanges } from "./app/limits.ts";
export type { ModelChanges, ModelParameters } from "./app/model-changes.ts";
export type { AskElicitation } from "./core/elicitation.ts";
export type { ApprovalRequest, ApproveCall } from "./core/permission.ts";

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
  const modelList = once(async () => (await import("./app/model-names.ts")).createModelList(config));
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
  const given = once(async () => (await import("./app/given-history.ts")).createGivenHistories());
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
          import("./app/compact.ts"),
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
      const [{ checkModels }, chosen] = await Promise.all([import("./app/checkup.ts"), choose(config)]);
      return checkModels(await changeChoices(chosen, changes, config), config.locale, signal);
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
