import type { CallerOptions } from "../../client/calls/request-sender.ts";
import type { LogListener, NamedChange, Pool } from "../../client/pool.ts";
import type { ListedEntry } from "../../client/prompts-resources/entry-lists.ts";
import type { Completion, PromptsAndResources } from "../../client/prompts-resources/prompts-resources.ts";
import type { HostRoot } from "../../client/questions/answers.ts";
import { type Caller, operator } from "../../core/caller.ts";
import { isAtLeast, type OnServerLog, type ServerLogLevel } from "../../core/server-log.ts";
import type { Tool, ToolIndex } from "../../core/tools/tool.ts";
import { isForPagesOnly } from "../../core/tools/tool-pages.ts";
import { isNamePermitted, isServerPermitted } from "../../core/tools/tool-pattern.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createOnce } from "../../kit/async/once.ts";
import { createWaitLimit, waitAbortable } from "../../kit/async/timeout.ts";
import type { Text } from "../../kit/locale.ts";
import { createOutputSchemaFilter } from "./output-schemas.ts";
import type { ToolInventory } from "./tool-inventory.ts";

export type RequestOptions = CallerOptions;

/** Names a list that a host may request, and that may change. */
export type List = "tools" | "prompts" | "resources";

/** Gives a host that uses tools itself everything that the agent could use. */
export interface Gateway {
  /**
   * Returns the agent's tools, inside the same checks and rules, with the same names in the same order. A host that introduces
   * itself by the title of this very Duet gets only tools that are not from servers: otherwise its own tools would come back
   * under ever longer names without end.
   */
  tools(signal?: AbortSignal, hostTitle?: string): Promise<readonly Tool[]>;
  /** Returns the tool of that name, or undefined when there is none. */
  tool(name: string, signal?: AbortSignal): Promise<Tool | undefined>;
  /** Returns the servers' tools that wait for approval, as far as servers have listed them by now. */
  waiting(): Promise<NamedChange[]>;
  /** Returns at most `limit` tools that match the words, the best first. */
  findTools(words: string, limit: number, signal?: AbortSignal): Promise<Tool[]>;
  /**
   * Returns what the servers say of how to use them, untrusted, as far as they are there soon. The servers are waited for when
   * this is asked first.
   */
  instructions(): Promise<ServerInstructions[]>;
  /** Returns the servers' prompts, named `server__prompt`. */
  prompts(signal?: AbortSignal): Promise<ListedEntry[]>;
  /** Returns the servers' resources. Of two with one URI, the first is kept. */
  resources(signal?: AbortSignal): Promise<ListedEntry[]>;
  resourceTemplates(signal?: AbortSignal): Promise<ListedEntry[]>;
  /**
   * Returns what the server answers, or undefined when there is no such prompt. Rejects with a `DuetError`, or with the signal's
   * reason.
   */
  getPrompt(name: string, args: Record<string, string>, options: RequestOptions): Promise<ListedEntry | undefined>;
  readResource(uri: string, options: RequestOptions): Promise<ListedEntry | undefined>;
  complete(request: Completion, options: RequestOptions): Promise<ListedEntry | undefined>;
  /**
   * Calls `listener` for each change of the resource, or of something below it, until the returned function is called. Undefined
   * when there is no such resource, or its server does not tell of changes. Rejects as the others do.
   */
  subscribe(uri: string, listener: (uri: string) => void, signal: AbortSignal): Promise<(() => void) | undefined>;
  /** Remembers which server gave a link, so that what stands behind it can be read. */
  learn(server: string, uri: string): Promise<void>;
  /**
   * Calls `listener` for each line of a server's log that belongs to no single host's call, until the returned function is called:
   * never where the caller is told apart from others.
   */
  onLog(listener: OnServerLog): () => void;
  /** Has the servers log from the lowest level on that a connection wants; undefined where this one wants nothing any more. */
  setLogLevel(level: ServerLogLevel | undefined): void;
  /**
   * Takes the directories of this connection's host, for servers that are told of them; undefined when it is over. Those of a
   * caller who is told apart from others are not taken.
   */
  setHostRoots(roots: readonly HostRoot[] | undefined): void;
  /** Calls `listener` each time a list may have changed, until the returned function is called. */
  onChange(listener: (list: List) => void): () => void;
}

export interface ServerInstructions {
  server: string;
  text: string;
}

/** Holds what all connections share. */
export interface Gateways {
  /**
   * Opens a gateway for one connection. Only its listeners keep anything open. It contains the tools that the caller may use,
   * and the prompts and resources of those servers of which the caller may use every tool.
   */
  open(caller?: Caller): Gateway;
  /** Announces that every list may have changed, because the servers have. */
  refresh(): Promise<void>;
}

/**
 * Limits how long the first list waits for servers that are starting, in milliseconds. Later lists contain what is available by
 * then.
 */
const serverWaitMs = 10_000;

/** Is the level of a host that has not said one. */
const defaultLevel: ServerLogLevel = "info";

/** Limits how long the first connection waits for what the servers say of themselves, in milliseconds: no host has an answer yet. */
const instructionsWaitMs = 2000;

/** `warn` receives lines for the operator: about what is left out of a list, and about two servers that offer the same name. */
export function createGateways(catalog: ToolInventory, warn: (line: Text) => void): Gateways {
  const listeners = new Set<(list: List) => void>();
  const logListeners = new Set<LogListener>();
  const hostRoots = new Map<object, readonly HostRoot[]>();
  /** Holds the level of each connection that reads logs; undefined for one that has not said it. */
  const wantedLevels = new Map<object, ServerLogLevel | undefined>();
  let hasLevel = false;
  const opened = createOnce(async () => {
    const pool = await catalog.pool();
    // Servers may come later, from a configuration that is read again.
    if (pool === undefined) throw new NoServers();
    const { createPromptsAndResources } = await import("../../client/prompts-resources/prompts-resources.ts");
    const offerings = createPromptsAndResources(pool, { onLate: notifyListeners, onLine: warn });
    pool.onLog((server, entry, told) => {
      if (areToldApart) return;
      for (const listener of logListeners) listener(server, entry, told);
    });
    pool.onChange((list) => {
      offerings.changed(list);
      notifyListeners(list);
    });
    return offerings;
  });
  /** Is true once a caller came who is told apart from others: what belongs to no call may be about theirs. */
  let areToldApart = false;
  const dropUnusableSchemas = createOutputSchemaFilter(warn);
  let firstAskedAt: number | undefined;
  let instructionsAskedAt: number | undefined;
  /** Counts the changes of the tools. Lists from before the last change are outdated. */
  let changes = 0;

  function notifyListeners(list: List): void {
    if (list === "tools") changes += 1;
    for (const listener of listeners) listener(list);
  }

  async function getOfferings(): Promise<PromptsAndResources | undefined> {
    return opened.get().catch((thrown) => {
      if (thrown instanceof NoServers) return undefined;
      throw thrown;
    });
  }

  /** Returns milliseconds, but never 0, which would mean a list without the user's own tools. */
  function getPatience(): number {
    firstAskedAt ??= performance.now();
    return Math.max(1, firstAskedAt + serverWaitMs - performance.now());
  }

  /** Servers log as they do by themselves until a host has said what it wants. From then on `info` is enough for the others. */
  async function applyLogLevel(): Promise<void> {
    const wanted = [...wantedLevels.values()];
    hasLevel ||= wanted.some((level) => level !== undefined);
    if (!hasLevel) return;
    const levels = wanted.map((level) => level ?? defaultLevel);
    const [lowest = defaultLevel] = levels.sort((one, other) => (isAtLeast(one, other) ? 1 : -1));
    (await catalog.pool())?.setLogLevel(lowest);
  }

  function applyLogLevelSoon(): void {
    void ignoreRejection(applyLogLevel(), "the failure is reported to whoever wants the tools");
  }

  async function applyHostRoots(): Promise<void> {
    const all = new Map([...hostRoots.values()].flat().map((root) => [root.uri, root]));
    (await catalog.pool())?.setHostRoots([...all.values()]);
  }

  async function waitForInstructions(pool: Pool): Promise<void> {
    instructionsAskedAt ??= performance.now();
    const leftMs = instructionsAskedAt + instructionsWaitMs - performance.now();
    if (leftMs <= 0) return;
    const limit = createWaitLimit(leftMs);
    await ignoreRejection(pool.ready(limit.signal), "what the servers have said by then is given");
    limit.clear();
  }

  function open(caller: Caller = operator): Gateway {
    const { tools: permitted } = caller;
    areToldApart ||= caller.owner !== undefined;
    /** Built-in tools that have state keep it for this connection. */
    const connection = {};
    let known: CachedTools | undefined;
    let index: { of: CachedTools; finds: ToolIndex } | undefined;

    async function take(signal: AbortSignal | undefined, hostTitle?: string): Promise<CachedTools> {
      const withoutServers = hostTitle === catalog.title;
      if (!withoutServers) await getOfferings();
      const asOf = changes;
      const request = { caller, forHost: true, withoutServers, patienceMs: getPatience(), signal };
      const resolved = catalog.resolveTools(connection, request).then(({ tools }) => dropUnusableSchemas(tools));
      const tools = await waitAbortable(resolved, signal);
      known = { asOf, tools, byName: new Map(tools.map((tool) => [tool.name, tool])) };
      return known;
    }

    async function resolveKnown(signal: AbortSignal | undefined): Promise<CachedTools> {
      return known?.asOf === changes ? known : take(signal);
    }

    /** Waits for the servers as the tools do. */
    async function resolveOthers(signal: AbortSignal | undefined): Promise<PromptsAndResources | undefined> {
      await resolveKnown(signal);
      const all = await getOfferings();
      return permitted ? all?.only((server) => isServerPermitted(permitted, server)) : all;
    }

    return {
      tools: async (signal, hostTitle) => (await take(signal, hostTitle)).tools,
      tool: async (name, signal) => (await resolveKnown(signal)).byName.get(name),
      async waiting() {
        await getOfferings();
        const all = (await catalog.pool())?.waiting() ?? [];
        return permitted ? all.filter(({ server, name }) => isNamePermitted(permitted, { name, source: server })) : all;
      },
      async findTools(words, limit, signal) {
        const of = await resolveKnown(signal);
        if (index?.of !== of) {
          const { createToolIndex } = await import("../../tools/find/tool-index.ts");
          index = { of, finds: createToolIndex(of.tools.filter((tool) => !isForPagesOnly(tool))) };
        }
        return index.finds.find(words, limit).map(({ tool }) => tool);
      },
      async instructions() {
        const pool = await catalog.pool();
        if (pool === undefined) return [];
        await waitForInstructions(pool);
        return pool.status().flatMap(({ name, offers: { instructions: text } }) => {
          const isOffered = text !== undefined && (permitted === undefined || isServerPermitted(permitted, name));
          return isOffered ? [{ server: name, text }] : [];
        });
      },
      prompts: async (signal) => (await resolveOthers(signal))?.prompts(signal) ?? [],
      resources: async (signal) => (await resolveOthers(signal))?.resources(signal) ?? [],
      resourceTemplates: async (signal) => (await resolveOthers(signal))?.resourceTemplates(signal) ?? [],
      getPrompt: async (name, args, options) => (await resolveOthers(options.signal))?.getPrompt(name, args, options),
      readResource: async (uri, options) => (await resolveOthers(options.signal))?.readResource(uri, options),
      complete: async (request, options) => (await resolveOthers(options.signal))?.complete(request, options),
      subscribe: async (uri, listener, signal) => (await resolveOthers(signal))?.subscribe(uri, listener, signal),
      async learn(server, uri) {
        (await getOfferings())?.learn(server, uri);
      },
      onLog(listener) {
        const notify: LogListener = (server, entry, told) => {
          if (permitted === undefined || isServerPermitted(permitted, server)) listener(entry, told);
        };
        if (caller.owner === undefined) logListeners.add(notify);
        wantedLevels.set(connection, wantedLevels.get(connection));
        applyLogLevelSoon();
        void ignoreRejection(getOfferings(), "the failure is reported to whoever wants the tools");
        return () => {
          logListeners.delete(notify);
          wantedLevels.delete(connection);
          applyLogLevelSoon();
        };
      },
      setLogLevel(level) {
        if (level === undefined) wantedLevels.delete(connection);
        else wantedLevels.set(connection, level);
        applyLogLevelSoon();
      },
      setHostRoots(roots) {
        if (caller.owner !== undefined || (roots === undefined && !hostRoots.has(connection))) return;
        if (roots === undefined) hostRoots.delete(connection);
        else hostRoots.set(connection, roots);
        void ignoreRejection(applyHostRoots(), "the failure is reported to whoever wants the tools");
      },
      onChange(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    };
  }

  return {
    open,
    async refresh() {
      await getOfferings();
      for (const list of ["tools", "prompts", "resources"] as const) notifyListeners(list);
    },
  };
}

interface CachedTools {
  asOf: number;
  tools: readonly Tool[];
  byName: ReadonlyMap<string, Tool>;
}

class NoServers extends Error {}
