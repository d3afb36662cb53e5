import type { CallerOptions } from "../../client/calls/request-sender.ts";
import type { NamedChange } from "../../client/pool.ts";
import type { ListedEntry } from "../../client/prompts-resources/kinds.ts";
import type { Completion, PromptsAndResources } from "../../client/prompts-resources/prompts-resources.ts";
import { type Caller, operator } from "../../core/caller.ts";
import type { Tool, ToolIndex } from "../../core/tools/tool.ts";
import { isNamePermitted, isServerPermitted } from "../../core/tools/tool-pattern.ts";
import { createOnce } from "../../kit/async/once.ts";
import { waitAbortable } from "../../kit/async/timeout.ts";
import type { Text } from "../../kit/errors.ts";
import type { ToolInventory } from "./tool-inventory.ts";

/** What goes along with a request to a server. */
export type RequestOptions = CallerOptions;

/** A list that a host may have, and that may change. */
export type List = "tools" | "prompts" | "resources";

/** Everything that the agent could use, for a host that uses it itself. */
export interface Gateway {
  /**
   * The tools the agent has, inside the same checks and rules: same names, same order. A host that introduces itself by the title of
   * this very Duet gets those that are no servers': its own tools under ever longer names would have no end.
   */
  tools(signal?: AbortSignal, hostTitle?: string): Promise<readonly Tool[]>;
  /** The tool of that name; undefined when there is none. */
  tool(name: string, signal?: AbortSignal): Promise<Tool | undefined>;
  /** The servers' tools that wait to be approved, as far as servers have listed them by now. */
  waiting(): Promise<NamedChange[]>;
  /** At most `limit` tools that fit the words, the best first. */
  findTools(words: string, limit: number, signal?: AbortSignal): Promise<Tool[]>;
  /** The servers' prompts, named `server__prompt`. */
  prompts(signal?: AbortSignal): Promise<ListedEntry[]>;
  /** The servers' resources; of two with one URI the first stays. */
  resources(signal?: AbortSignal): Promise<ListedEntry[]>;
  resourceTemplates(signal?: AbortSignal): Promise<ListedEntry[]>;
  /** As the server answers; undefined when there is no such prompt. Rejects with a `DuetError`, or with the signal's reason. */
  getPrompt(name: string, args: Record<string, string>, options: RequestOptions): Promise<ListedEntry | undefined>;
  readResource(uri: string, options: RequestOptions): Promise<ListedEntry | undefined>;
  complete(request: Completion, options: RequestOptions): Promise<ListedEntry | undefined>;
  /** Remembers which server gave a link, so that what stands behind it can be read. */
  learn(server: string, uri: string): Promise<void>;
  /** `listener` is told of a list that may have changed, each time; until the function that it gives is called. */
  onChange(listener: (list: List) => void): () => void;
}

/** What all connections share. */
export interface Gateways {
  /**
   * For one connection; nothing is held open by it but what listens to it. Of tools there are those that the caller may use, of
   * prompts and resources those of servers of which it may use every tool.
   */
  open(caller?: Caller): Gateway;
  /** The servers are others now. */
  refresh(): Promise<void>;
}

/** How long the first list waits for servers that are starting, in milliseconds; later ones take what there is by then. */
const patienceMs = 10_000;

/** `warn` takes lines for the operator: of a server that is left out of a list, of two that offer the same. */
export function createGateways(catalog: ToolInventory, warn: (line: Text) => void): Gateways {
  const listeners = new Set<(list: List) => void>();
  const opened = createOnce(async () => {
    const pool = await catalog.pool();
    // Servers may come later, from a configuration that is read again.
    if (pool === undefined) throw new NoServers();
    const { createPromptsAndResources } = await import("../../client/prompts-resources/prompts-resources.ts");
    const offerings = createPromptsAndResources(pool, { onLate: tell, tell: warn });
    pool.onChange((list) => {
      offerings.changed(list);
      tell(list);
    });
    return offerings;
  });
  let firstAskedAt: number | undefined;
  /** How often the tools have changed: what was taken before is old. */
  let changes = 0;

  function tell(list: List): void {
    if (list === "tools") changes += 1;
    for (const listener of listeners) listener(list);
  }

  async function offerings(): Promise<PromptsAndResources | undefined> {
    return opened.get().catch((thrown) => {
      if (thrown instanceof NoServers) return undefined;
      throw thrown;
    });
  }

  /** Milliseconds; never 0, which would mean a list without the user's own tools. */
  function patience(): number {
    firstAskedAt ??= performance.now();
    return Math.max(1, firstAskedAt + patienceMs - performance.now());
  }

  function open(caller: Caller = operator): Gateway {
    const { tools: permitted } = caller;
    /** Built-in tools that remember something do so for the connection. */
    const connection = {};
    let known: Known | undefined;
    let index: { of: Known; finds: ToolIndex } | undefined;

    async function take(signal: AbortSignal | undefined, hostTitle?: string): Promise<Known> {
      const withoutServers = hostTitle === catalog.title;
      if (!withoutServers) await offerings();
      const asOf = changes;
      const { tools } = await waitAbortable(
        catalog.resolveTools(connection, { caller, withoutServers, patienceMs: patience(), signal }),
        signal,
      );
      known = { asOf, tools, byName: new Map(tools.map((tool) => [tool.name, tool])) };
      return known;
    }

    async function current(signal: AbortSignal | undefined): Promise<Known> {
      return known?.asOf === changes ? known : take(signal);
    }

    /** Waits for the servers as the tools do. */
    async function others(signal: AbortSignal | undefined): Promise<PromptsAndResources | undefined> {
      await current(signal);
      const all = await offerings();
      return permitted ? all?.only((server) => isServerPermitted(permitted, server)) : all;
    }

    return {
      tools: async (signal, hostTitle) => (await take(signal, hostTitle)).tools,
      tool: async (name, signal) => (await current(signal)).byName.get(name),
      async waiting() {
        await offerings();
        const all = (await catalog.pool())?.waiting() ?? [];
        return permitted ? all.filter(({ server, name }) => isNamePermitted(permitted, { name, source: server })) : all;
      },
      async findTools(words, limit, signal) {
        const of = await current(signal);
        if (index?.of !== of) {
          const { createToolIndex } = await import("../../tools/find/create-index.ts");
          index = { of, finds: createToolIndex(of.tools) };
        }
        return index.finds.find(words, limit).map(({ tool }) => tool);
      },
      prompts: async (signal) => (await others(signal))?.prompts(signal) ?? [],
      resources: async (signal) => (await others(signal))?.resources(signal) ?? [],
      resourceTemplates: async (signal) => (await others(signal))?.resourceTemplates(signal) ?? [],
      getPrompt: async (name, args, options) => (await others(options.signal))?.getPrompt(name, args, options),
      readResource: async (uri, options) => (await others(options.signal))?.readResource(uri, options),
      complete: async (request, options) => (await others(options.signal))?.complete(request, options),
      async learn(server, uri) {
        (await offerings())?.learn(server, uri);
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
      await offerings();
      for (const list of ["tools", "prompts", "resources"] as const) tell(list);
    },
  };
}

interface Known {
  asOf: number;
  tools: readonly Tool[];
  byName: ReadonlyMap<string, Tool>;
}

class NoServers extends Error {}
