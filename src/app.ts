import { isDeepStrictEqual } from "node:util";
import type { Limits } from "./agent/limits.ts";
import type { Models } from "./agent/run.ts";
import type { Chosen, ModelCheck, SearchCheck } from "./app/checkup.ts";
import type { ServerStatus } from "./client/connection.ts";
import type { Pool } from "./client/pool.ts";
import type { ModelChoice } from "./config/models.ts";
import type { Config } from "./config.ts";
import type { AgentEvent } from "./core/events.ts";
import { type Locale, languageOf, say } from "./core/locale.ts";
import type { Model } from "./core/model.ts";
import type { Notice } from "./core/notice.ts";
import type { Mode } from "./core/outcome.ts";
import type { Tool } from "./core/tool.ts";
import { version } from "./core/version.ts";
import { abortable, timeLimit } from "./core/waiting.ts";
import type { Endpoints } from "./providers/endpoints.ts";
import type { DroppedTool } from "./tools/collect.ts";

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
  /** Asks each model in use for one word, side by side; rejects only when the signal aborts. */
  checkModels(signal: AbortSignal): Promise<ModelCheck[]>;
  /** The search backend in use, which is not asked; null when search is off. */
  searchInUse(): Promise<SearchCheck | null>;
  /** Stops every downstream server; resolves when none is left. */
  close(): Promise<void>;
}

export interface AskRequest {
  question: string;
  conversationId?: string;
  mode?: Exclude<Mode, "plan">;
  /** Only tools whose names fit one of these patterns. */
  tools?: readonly string[];
  /** What this question changes of the configured limits. */
  limits?: { [Name in keyof Limits]?: Limits[Name] | undefined };
  signal?: AbortSignal;
}

export interface Inventory {
  tools: Tool[];
  servers: ServerStatus[];
  dropped: DroppedTool[];
}

const maxParallel = 8;
/** Characters of a server's result that reach the model. */
const longestResult = 20_000;

/** How long a question waits for servers that are still starting, in milliseconds; it goes on without the late ones. */
const patienceMs = 10_000;

interface Wanted {
  /** Only tools whose names fit one of these patterns. */
  allow?: readonly string[] | undefined;
  /** How long to wait for servers that are starting; until each has started or failed when undefined. */
  patienceMs?: number;
  signal?: AbortSignal | undefined;
}

const noTools: Inventory = { tools: [], servers: [], dropped: [] };

/** Opens the agent. Downstream servers begin to start at once; everything heavy is imported when first needed. */
export function openDuet(config: Config): Duet {
  const agent = once(openAgent);
  const servers = config.servers.length > 0 ? startServers(config) : undefined;
  /** The built-in tools of a conversation: its searches are cached with it and never seen by another. */
  const builtins = new WeakMap<object, Promise<Tool[]>>();
  /** Tools of servers inside their checks and limits; each is wrapped once. */
  const guarded = new WeakMap<Tool, Tool>();
  const models = once(() => chooseModels(config));
  /** Which servers' failures a conversation has been told. */
  const told = new WeakMap<object, Set<string>>();

  function builtinsOf(conversation: object): Promise<Tool[]> {
    const known = builtins.get(conversation);
    if (known) return known;
    const made = createBuiltins(config);
    builtins.set(conversation, made);
    return made;
  }

  async function inventory(conversation: object, { allow, patienceMs, signal }: Wanted): Promise<Inventory> {
    const [rooms, builtin, pool] = await Promise.all([importTools(), builtinsOf(conversation), servers]);
    await patiently(pool?.ready(signal), patienceMs);
    const remote = (pool?.tools() ?? []).map((tool) => {
      const inside = guarded.get(tool) ?? rooms.withValidation(rooms.withOutputLimit(tool, longestResult));
      guarded.set(tool, inside);
      return inside;
    });
    const all = rooms.collectTools([builtin, remote], config.tools);
    const tools = allow ? rooms.collectTools([all.tools], { allow }).tools : all.tools;
    return { tools, dropped: all.dropped, servers: pool?.status() ?? [] };
  }

  function unavailable(conversation: object, states: readonly ServerStatus[], locale: Locale): Notice[] {
    const known = told.get(conversation) ?? new Set();
    told.set(conversation, known);
    return states.flatMap(({ name, state, error }): Notice[] => {
      if (known.has(name) || (error === null && state !== "starting")) return [];
      known.add(name);
      const why = error?.text ?? { zh: "还在启动", en: "it is still starting" };
      const message = say(locale, {
        zh: `MCP 服务器 ${name} 不可用，其余照常：${why.zh}`,
        en: `MCP server ${name} is unavailable; the rest goes on: ${why.en}`,
      });
      return [{ type: "notice", level: "warning", code: "server-unavailable", message }];
    });
  }

  function localeFor(question: string): Locale {
    return config.localeIsChosen ? config.locale : languageOf(question, config.locale);
  }

  return {
    locale: config.locale,
    localeFor,
    models,
    inventory: (signal) => abortable(inventory({}, { signal }), signal),
    async checkModels(signal) {
      const [{ checkModels }, chosen] = await Promise.all([import("./app/checkup.ts"), choose(config)]);
      return checkModels(chosen, config.locale, signal);
    },
    searchInUse: async () => (await import("./app/checkup.ts")).searchInUse(config),
    async *ask({ question, conversationId, mode = "agent", tools, limits, signal }) {
      const began = performance.now();
      const locale = localeFor(question);
      const { runAgent, conversations } = await agent();
      const isLost = conversationId !== undefined && !conversations.has(conversationId);
      const conversation = conversations.open(conversationId);
      const chosen = await models();
      // A caller who leaves while servers start still gets a run, which says that it was cancelled.
      const wanted: Wanted = { allow: tools, patienceMs, signal };
      const offer =
        mode === "chat"
          ? noTools
          : await abortable(inventory(conversation, wanted), signal).catch(unlessAborted(signal));
      yield* runAgent({
        question,
        mode,
        conversation,
        models: chosen,
        tools: offer.tools,
        limits: mergeLimits(config, limits),
        locale,
        spentMs: performance.now() - began,
        notices: [...(isLost ? [lostConversation(locale)] : []), ...unavailable(conversation, offer.servers, locale)],
        signal,
      });
    },
    async close() {
      await (await servers)?.close();
    },
  };
}

async function openAgent() {
  const [{ runAgent }, { createConversations }] = await Promise.all([
    import("./agent/run-agent.ts"),
    import("./agent/conversation.ts"),
  ]);
  return { runAgent, conversations: createConversations() };
}

async function importTools() {
  const [{ collectTools }, { withValidation }, { withOutputLimit }] = await Promise.all([
    import("./tools/collect.ts"),
    import("./tools/validate.ts"),
    import("./tools/limits.ts"),
  ]);
  return { collectTools, withValidation, withOutputLimit };
}

async function startServers(config: Config): Promise<Pool> {
  const { createPool } = await import("./client/pool.ts");
  const pool = createPool(config.servers, {
    environment: config.environment,
    clientInfo: { name: "duet", version },
  });
  pool.start();
  return pool;
}

async function createBuiltins({ tools, locale, search }: Config): Promise<Tool[]> {
  const { createBuiltinTools } = await import("./tools/builtin.ts");
  return createBuiltinTools({ roots: tools.roots, locale, search: search.enabled === false ? undefined : search });
}

async function chooseModels(config: Config): Promise<Models> {
  const { functionCall, answer } = await choose(config);
  const { createEndpoints } = await import("./providers/endpoints.ts");
  const endpoints = createEndpoints();
  const decide = await open(functionCall, config, endpoints);
  const isOne = answer === undefined || isDeepStrictEqual(answer, functionCall);
  return { functionCall: decide, answer: isOne ? decide : await open(answer, config, endpoints) };
}

/** The configured models; else the first with a key, a local Ollama that answers, or the offline rules. */
async function choose(config: Config): Promise<Chosen> {
  const { functionCall, answer } = config.models;
  if (functionCall) return { functionCall, answer };
  const found = config.candidates[0] ?? (await localOllama(config));
  return { functionCall: found ?? { provider: "offline", model: "rules" } };
}

async function open(choice: ModelChoice, config: Config, endpoints: Endpoints): Promise<Model> {
  if (!("wire" in choice)) return offline(config);
  const { createModel } = await import("./providers/create.ts");
  return createModel(choice, { locale: config.locale, endpoints });
}

async function localOllama({ ollama, providers, environment }: Config): Promise<ModelChoice | undefined> {
  const [{ findOllama }, { resolveModel }] = await Promise.all([
    import("./providers/ollama.ts"),
    import("./providers/resolve.ts"),
  ]);
  const model = await findOllama(ollama.baseUrl);
  return model === undefined
    ? undefined
    : resolveModel({ provider: "ollama", model }, providers, environment, "ollama");
}

async function offline({ locale }: Config): Promise<Model> {
  const { createOfflineModel } = await import("./providers/offline/model.ts");
  return createOfflineModel({ locale });
}

function mergeLimits({ agent }: Config, changes: AskRequest["limits"] = {}): Limits {
  return {
    maxIterations: changes.maxIterations ?? agent.maxIterations,
    maxToolCalls: changes.maxToolCalls ?? agent.maxToolCalls,
    maxExecutionTimeMs: changes.maxExecutionTimeMs ?? agent.maxExecutionTime * 1000,
    tokenBudget: changes.tokenBudget ?? agent.tokenBudget,
    maxTokens: changes.maxTokens,
    maxParallel: changes.maxParallel ?? maxParallel,
    minResultLength: changes.minResultLength ?? agent.evaluation.minResultLength,
    stopWhenSufficient: changes.stopWhenSufficient ?? agent.evaluation.stopWhenSufficient,
  };
}

function unlessAborted(signal: AbortSignal | undefined): (thrown: unknown) => Inventory {
  return (thrown) => {
    if (signal?.aborted) return noTools;
    throw thrown;
  };
}

async function patiently(work: Promise<void> | undefined, ms: number | undefined): Promise<void> {
  if (work === undefined || ms === undefined) return work;
  const limit = timeLimit(ms, () => new Error("late"));
  await abortable(work, limit.signal).catch((thrown) => {
    if (!limit.expired) throw thrown;
  });
  limit.clear();
}

function lostConversation(locale: Locale): Notice {
  const message = say(locale, {
    zh: "没有这个对话（对话只保留到进程结束），已开始新的对话。",
    en: "There is no such conversation (they last as long as the process); a new one has begun.",
  });
  return { type: "notice", level: "warning", code: "conversation-unknown", message };
}

/** Does the work at the first call and gives its result to every later one; work that failed is tried again. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work().catch((thrown) => {
      result = undefined;
      throw thrown;
    });
    return result;
  };
}
