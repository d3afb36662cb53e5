import type { Pool, PoolOptions } from "../../client/pool.ts";
import type { ServerStatus } from "../../client/server-connection.ts";
import type { Config, ServerSettings } from "../../config/config.ts";
import type { Caller } from "../../core/caller.ts";
import { deepestChain } from "../../core/chain.ts";
import type { HookRunner } from "../../core/hooks.ts";
import type { Sample } from "../../core/model/sampling.ts";
import type { FindRecords } from "../../core/store/shared-records.ts";
import type { Tool } from "../../core/tools/tool.ts";
import type { ToolInterceptor } from "../../core/tools/tool-interceptor.ts";
import { isForPagesOnly } from "../../core/tools/tool-pages.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createOnce } from "../../kit/async/once.ts";
import { createLazy } from "../../kit/create-lazy.ts";
import type { Text } from "../../kit/locale.ts";
import { createRandomHex } from "../../kit/random.ts";
import type { Redactor } from "../../kit/text/redact.ts";
import { version } from "../../kit/version.ts";
import type { Collection, DroppedTool } from "../../tools/collect-tools.ts";
import { createOutputCheck } from "../../tools/schema/output-check.ts";
import { listProtectedFiles } from "./protected-files.ts";
import { openUserTools } from "./user-tools.ts";

/** Holds every tool available at a moment, the servers' state, and what was left out and why. */
export interface Inventory {
  tools: Tool[];
  servers: ServerStatus[];
  dropped: DroppedTool[];
}

export const noTools: Inventory = { tools: [], servers: [], dropped: [] };

export interface WantedTools {
  /** Limits the tools to those whose names match one of these patterns. */
  allow?: readonly string[] | undefined;
  /** Limits the tools to those that match a pattern of each of these lists. */
  within?: readonly (readonly string[])[] | undefined;
  /** Adds tools of this question alone. */
  more?: readonly Tool[] | undefined;
  /** Limits the tools to those that the caller may use at all. */
  caller?: Caller | undefined;
  withoutServers?: boolean;
  /** Includes the tools that are for the pages of their servers alone. */
  forHost?: boolean;
  /**
   * Limits the wait for servers that are starting, in milliseconds. When it is undefined, the wait lasts until each has started
   * or failed.
   */
  patienceMs?: number;
  /** Is true where tools that are known from an earlier start suffice while their server starts. */
  knownSuffice?: boolean;
  signal?: AbortSignal | undefined;
}

/** Holds the tools of the process. Those of servers are shared; built-in ones that remember something are created for each conversation. */
export interface ToolInventory {
  /**
   * Is the unique title by which this Duet introduces itself to servers. It recognizes itself by the title when it is its own
   * server.
   */
  readonly title: string;
  resolveTools(conversation: object, wanted: WantedTools): Promise<Inventory>;
  /** Returns the servers, or undefined when none was started. Rejects when their module cannot be loaded. */
  pool(): Promise<Pool | undefined>;
  /** Takes these servers in place of those that the configuration had. */
  configure(servers: readonly ServerSettings[]): Promise<void>;
  /** Ends every server; resolves when none is left. */
  close(limitMs?: number): Promise<void>;
}

export interface ToolInventoryParts {
  /** Adds tools to the built-in ones and those of the servers. */
  own?: readonly Tool[] | undefined;
  sample: Sample;
  /** Takes the known secrets out of what tools say. */
  redactor: Redactor;
  /** Runs the user's hooks around each call; absent where there are none. */
  hooks?: HookRunner | undefined;
  /** Receives a line about each failure that occurs while nobody waits for it. */
  warn: (line: Text) => void;
  /** Says when the servers begin to start: at once, or when servers or tools are first requested. */
  start?: "at-once" | "when-wanted" | undefined;
  /** Is true where hosts get the servers' tools themselves, and show the servers' pages. */
  passesOn?: boolean | undefined;
  intercept?: ToolInterceptor | undefined;
  /** Opens what machines share; absent where this one keeps its own. */
  findRecords?: FindRecords | undefined;
}

export function openToolInventory(
  config: Config,
  {
    own = [],
    sample,
    redactor,
    hooks,
    warn,
    start = "at-once",
    passesOn = false,
    intercept,
    findRecords,
  }: ToolInventoryParts,
): ToolInventory {
  // A Duet that is its own server, at whatever distance, must not start one more without end.
  const getTitle = createLazy(() => `Duet ${createRandomHex().slice(0, 16)}`);
  let isClosed = false;
  const canStart = (): boolean => config.depth < deepestChain && !isClosed;
  const servers = createOnce(() => startServers(config, { getTitle, sample, passesOn, findRecords }));
  const startOnce = (): Promise<Pool> | undefined =>
    canStart() && config.servers.length > 0 ? servers.get() : servers.current;
  // Whoever takes the tools first is told; until then it must not be an unhandled rejection.
  if (start === "at-once") void ignoreRejection(startOnce(), "whoever takes the tools first is told");
  const registries = createOnce(() => openToolRegistry(config, redactor, hooks, intercept));
  const directory = openUserTools(config, warn);

  return {
    get title() {
      return getTitle();
    },
    async resolveTools(conversation: object, wanted: WantedTools): Promise<Inventory> {
      const { allow, within = [], more = [], caller, withoutServers, forHost = false } = wanted;
      const { patienceMs, knownSuffice, signal } = wanted;
      const [registry, pool] = await Promise.all([registries.get(), withoutServers ? undefined : startOnce()]);
      // Who does not wait at all wants none of the user's own.
      const [users] = await Promise.all([
        patienceMs === 0 ? undefined : directory.take(),
        pool?.ready(signal, { knownSuffice, patienceMs }),
      ]);
      const found = (pool?.tools() ?? []).filter((tool) => forHost || !isForPagesOnly(tool));
      const remote = intercept?.replaceTools(found, "server") ?? found;
      const ofUser = intercept?.replaceTools(users?.tools ?? [], "user") ?? users?.tools ?? [];
      const all = registry.collect([
        own.map((tool) => registry.guard(tool, false)),
        more.map((tool) => registry.guard(tool, false)),
        registry.builtins(conversation),
        ofUser.map((tool) => registry.guard(tool, false)),
        remote.map((tool) => registry.guard(tool, true)),
      ]);
      const permitted = caller?.tools ? registry.narrow(all.tools, caller.tools, "caller") : all.tools;
      const lists = allow ? [...within, allow] : within;
      const tools = lists.reduce((left: readonly Tool[], list) => registry.narrow(left, list, "question"), permitted);
      const dropped = [...(users?.dropped ?? []), ...all.dropped];
      return { tools: [...tools], dropped, servers: pool?.status() ?? [] };
    },
    pool: async () => startOnce(),
    async configure(next) {
      const pool = startOnce() ?? (canStart() && next.length > 0 ? servers.get() : undefined);
      await (await pool)?.configure(next);
    },
    async close(limitMs) {
      isClosed = true;
      const closing = directory.close();
      await Promise.all([closing, (await servers.current)?.close(limitMs), (await registries.current)?.close()]);
    },
  };
}

interface PoolParts extends Pick<PoolOptions, "sample" | "passesOn" | "findRecords"> {
  /** Returns the title by which this Duet introduces itself. */
  getTitle: () => string;
}

async function startServers(config: Config, { getTitle, sample, passesOn, findRecords }: PoolParts): Promise<Pool> {
  const { createPool } = await import("../../client/pool.ts");
  const pool = createPool(config.servers, {
    environment: config.environment,
    clientInfo: {
      name: "duet",
      // Is made when a server is greeted: it loads Node's cryptography, for which the start of its process need not wait.
      get title() {
        return getTitle();
      },
      version,
    },
    // Where nothing is to be written, what was approved lasts as long as the process.
    home: config.conversations.store === "memory" ? undefined : config.home,
    credentialsHome: config.home,
    findRecords,
    newTools: config.tools.newTools,
    sample,
    passesOn,
    checkOutput: createOutputCheck(),
  });
  pool.start();
  return pool;
}

/** Returns what puts the user's hooks around a tool, as the outermost layer but the narrower rules of a question or a caller. */
async function openToolHooks(hooks: HookRunner | undefined): Promise<(tool: Tool) => Tool> {
  if (!hooks?.has("PreToolUse", "PostToolUse", "PostToolUseFailure")) return (tool) => tool;
  const { withHooks } = await import("../../tools/hooks/with-hooks.ts");
  return (tool) => withHooks(tool, hooks);
}

/** Processes the tools that were found: it creates each conversation's built-in tools and wraps all tools in checks and rules. */
export interface ToolRegistry {
  /**
   * Wraps the tool, of a server or the user's own, in its checks, limits and rules. The result is always the same for the same
   * tool.
   */
  guard(tool: Tool, isOfServer: boolean): Tool;
  /**
   * Creates the built-in tools that remember something once per conversation, so that it is notified once where its searches go,
   * and its pages are remembered. All conversations share the others.
   */
  builtins(conversation: object): Tool[];
  collect(lists: readonly (readonly Tool[])[]): Collection;
  /**
   * Returns the tools that a question or a caller may use. Where the patterns concern arguments, each call is checked against
   * them too.
   */
  narrow(tools: readonly Tool[], allow: readonly string[], whose: "question" | "caller"): Tool[];
  close(): Promise<void>;
}

/** Imports what that takes: once, for an `import` costs something each time, also of what is there. */
export async function openToolRegistry(
  config: Config,
  redactor: Redactor,
  hooks?: HookRunner,
  intercept?: ToolInterceptor,
): Promise<ToolRegistry> {
  const { tools: rules, locale, search, web, email } = config;
  const [
    { collectTools, createCollector },
    { withValidation },
    { withOutputLimit },
    { withRedaction },
    { openBuiltinTools },
    { createPermissionCheck, withPermission },
    { createDataFlowRules },
    { createHeavyWork },
    { createFileGuard },
    protectedFiles,
    addHooks,
  ] = await Promise.all([
    import("../../tools/collect-tools.ts"),
    import("../../tools/schema/with-validation.ts"),
    import("../../tools/tool-limits.ts"),
    import("../../tools/with-redaction.ts"),
    import("../../tools/builtin/builtin-tools.ts"),
    import("../../tools/permission-rules.ts"),
    import("../../tools/data-flow-rules.ts"),
    import("../../tools/workers/heavy-work.ts"),
    import("../../tools/files/file-guard.ts"),
    listProtectedFiles(config),
    openToolHooks(hooks),
  ]);
  const mayHooksAllow = (config.origins["tools.ask"]?.from ?? "default") === "default";
  const checkPermission = createPermissionCheck({ ...rules, mayHooksAllow });
  const collect = createCollector(rules);
  const markDataFlow = createDataFlowRules(rules);
  const work = createHeavyWork();
  const guard = createFileGuard(protectedFiles);
  const builtins = new WeakMap<object, Tool[]>();
  const guarded = new WeakMap<Tool, Tool>();
  const searches = search.enabled === false ? undefined : search;
  const createTools = openBuiltinTools({ roots: rules.roots, guard, locale, search: searches, web, email, work });

  function guardBuiltin(tool: Tool): Tool {
    const known = guarded.get(tool);
    if (known) return known;
    const made = addHooks(withPermission(withRedaction(markDataFlow(tool, false), redactor), checkPermission));
    guarded.set(tool, made);
    return made;
  }

  return {
    guard(tool, isOfServer) {
      const inside =
        guarded.get(tool) ??
        addHooks(
          withPermission(
            withValidation(withRedaction(withOutputLimit(markDataFlow(tool, isOfServer)), redactor)),
            checkPermission,
          ),
        );
      guarded.set(tool, inside);
      return inside;
    },
    builtins(conversation) {
      const known = builtins.get(conversation);
      if (known) return known;
      const own = createTools();
      const made = (intercept?.replaceTools(own, "builtin") ?? own).map(guardBuiltin);
      builtins.set(conversation, made);
      return made;
    },
    collect,
    narrow(tools, allow, whose) {
      const narrowed = collectTools([tools], { allow }).tools;
      if (!allow.some((pattern) => pattern.includes("("))) return narrowed;
      const narrower = createPermissionCheck({ allow }, whose);
      return narrowed.map((tool) => withPermission(tool, narrower));
    },
    close: () => work.close(),
  };
}
