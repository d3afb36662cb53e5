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
import { abortable } from "./core/waiting.ts";
import type { Endpoints } from "./providers/endpoints.ts";
import type { DroppedTool } from "./tools/collect.ts";

/** The whole agent, opened once and shared by every face and connection. */
export interface Duet {
  readonly locale: Locale;
  /** Runs one question; see `runAgent` for the promises of the stream. */
  ask(request: AskRequest): AsyncGenerator<AgentEvent, void, undefined>;
  /** The two roles in force; the same object twice when one model plays both. */
  models(): Promise<Models>;
  /** Every tool there is now, the servers' state, and what was left out and why. Waits for the servers to start. */
  inventory(): Promise<Inventory>;
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

/** Opens the agent. Downstream servers begin to start at once; everything heavy is imported when first needed. */
export function openDuet(config: Config): Duet {
  const agent = once(openAgent);
  const servers = config.servers.length > 0 ? startServers(config) : undefined;
  /** The built-in tools of a conversation: its searches are cached with it and never seen by another. */
  const builtins = new WeakMap<object, Promise<Tool[]>>();
  /** Tools of servers inside their checks and limits; each is wrapped once. */
  const guarded = new WeakMap<Tool, Tool>();
  const models = once(() => chooseModels(config));
  /** Servers whose failure was told. */
  const told = new Set<string>();

  function builtinsOf(conversation: object): Promise<Tool[]> {
    const known = builtins.get(conversation);
    if (known) return known;
    const made = createBuiltins(config);
    builtins.set(conversation, made);
    return made;
  }

  async function inventory(conversation: object, allow?: readonly string[], signal?: AbortSignal): Promise<Inventory> {
    const [rooms, builtin, pool] = await Promise.all([importTools(), builtinsOf(conversation), servers]);
    await pool?.ready(signal);
    const remote = (pool?.tools() ?? []).map((tool) => {
      const inside = guarded.get(tool) ?? rooms.withValidation(rooms.withOutputLimit(tool, longestResult));
      guarded.set(tool, inside);
      return inside;
    });
    const all = rooms.collectTools([builtin, remote], config.tools);
    const tools = allow ? rooms.collectTools([all.tools], { allow }).tools : all.tools;
    return { tools, dropped: all.dropped, servers: pool?.status() ?? [] };
  }

  function unavailable(states: readonly ServerStatus[], locale: Locale): Notice[] {
    return states.flatMap(({ name, error }): Notice[] => {
      if (error === null || told.has(name)) return [];
      told.add(name);
      const message = say(locale, {
        zh: `MCP 服务器 ${name} 不可用，其余照常：${error.text.zh}`,
        en: `MCP server ${name} is unavailable; the rest goes on: ${error.text.en}`,
      });
      return [{ type: "notice", level: "warning", code: "server-unavailable", message }];
    });
  }

  return {
    locale: config.locale,
    models,
    inventory: () => inventory({}),
    async checkModels(signal) {
      const [{ checkModels }, chosen] = await Promise.all([import("./app/checkup.ts"), choose(config)]);
      return checkModels(chosen, config.locale, signal);
    },
    searchInUse: async () => (await import("./app/checkup.ts")).searchInUse(config),
    async *ask({ question, conversationId, mode = "agent", tools, limits, signal }) {
      const { runAgent, conversations } = await agent();
      const conversation = conversations.open(conversationId);
      const wanted = mode === "chat" ? { tools: [], servers: [] } : inventory(conversation, tools, signal);
      const [chosen, offer] = await abortable(Promise.all([models(), wanted]), signal);
      yield* runAgent({
        question,
        mode,
        conversation,
        models: chosen,
        tools: offer.tools,
        limits: mergeLimits(config, limits),
        locale: config.locale,
        notices: unavailable(offer.servers, languageOf(question, config.locale)),
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

/** Does the work at the first call and gives its result to every later one. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}
