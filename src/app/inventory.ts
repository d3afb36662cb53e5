import type { ServerStatus } from "../client/connection.ts";
import type { Pool } from "../client/pool.ts";
import type { Config } from "../config.ts";
import { deepestChain } from "../core/chain.ts";
import type { Tool } from "../core/tool.ts";
import { version } from "../core/version.ts";
import { abortable, timeLimit } from "../core/waiting.ts";
import type { DroppedTool } from "../tools/collect.ts";
import type { Judge } from "../tools/permission.ts";
import { once } from "./once.ts";

/** Every tool there is at a moment, the servers' state, and what was left out and why. */
export interface Inventory {
  tools: Tool[];
  servers: ServerStatus[];
  dropped: DroppedTool[];
}

export const noTools: Inventory = { tools: [], servers: [], dropped: [] };

export interface Wanted {
  /** Only tools whose names fit one of these patterns. */
  allow?: readonly string[] | undefined;
  /** How long to wait for servers that are starting; until each has started or failed when undefined. */
  patienceMs?: number;
  signal?: AbortSignal | undefined;
}

/** The tools of the process: its servers', which all share, and the built-in ones, which each conversation has anew. */
export interface Offer {
  take(conversation: object, wanted: Wanted): Promise<Inventory>;
  /** Ends every server; resolves when none is left. */
  close(): Promise<void>;
}

/** Servers begin to start at once. */
export function openOffer(config: Config, own: readonly Tool[] = []): Offer {
  // A Duet that is its own server, at whatever distance, must not start one more without end.
  const mayStart = config.servers.length > 0 && config.depth < deepestChain;
  const servers = mayStart ? startServers(config) : undefined;
  // Whoever takes the tools first is told; until then it must not be an unhandled rejection.
  servers?.catch(() => {});
  const rooms = once(importTools);
  /** The built-in tools of a conversation, so that it is told once where its searches go. */
  const builtins = new WeakMap<object, Tool[]>();
  /** Tools of servers and of the program inside their checks and limits; each is wrapped once. */
  const guarded = new WeakMap<Tool, Tool>();

  let judge: Judge | undefined;

  function builtinsOf(conversation: object, room: Rooms, rules: Judge): Tool[] {
    const known = builtins.get(conversation);
    if (known) return known;
    const { tools, locale, search, web } = config;
    const builtin = room.createBuiltinTools({
      roots: tools.roots,
      locale,
      search: search.enabled === false ? undefined : search,
      web,
    });
    const made = builtin.map((tool) => room.withPermission(tool, rules));
    builtins.set(conversation, made);
    return made;
  }

  return {
    async take(conversation: object, { allow, patienceMs, signal }: Wanted): Promise<Inventory> {
      const [room, pool] = await Promise.all([rooms.get(), servers]);
      if (pool && !pool.isSettled()) await patiently(pool.ready(signal), patienceMs);
      judge ??= room.createJudge(config.tools);
      const rules = judge;
      const guard = (tool: Tool): Tool => {
        const inside = guarded.get(tool) ?? room.withPermission(room.withValidation(room.withOutputLimit(tool)), rules);
        guarded.set(tool, inside);
        return inside;
      };
      const remote = pool?.tools() ?? [];
      const lists = [own.map(guard), builtinsOf(conversation, room, rules), remote.map(guard)];
      const all = room.collectTools(lists, config.tools);
      const tools = allow ? narrow(all.tools, allow, room) : all.tools;
      return { tools, dropped: all.dropped, servers: pool?.status() ?? [] };
    },
    async close() {
      await (await servers)?.close();
    },
  };
}

/** What a question allows of the tools; where its patterns are about arguments, each call is judged by them too. */
function narrow(tools: readonly Tool[], allow: readonly string[], room: Rooms): Tool[] {
  const narrowed = room.collectTools([tools], { allow }).tools;
  if (!allow.some((pattern) => pattern.includes("("))) return narrowed;
  const judge = room.createJudge({ allow });
  return narrowed.map((tool) => room.withPermission(tool, judge));
}

/** Imported once: an `import` costs something each time, also of what is there. */
async function importTools() {
  const [
    { collectTools },
    { withValidation },
    { withOutputLimit },
    { createBuiltinTools },
    { createJudge, withPermission },
  ] = await Promise.all([
    import("../tools/collect.ts"),
    import("../tools/validate.ts"),
    import("../tools/limits.ts"),
    import("../tools/builtin.ts"),
    import("../tools/permission.ts"),
  ]);
  return { collectTools, withValidation, withOutputLimit, createBuiltinTools, createJudge, withPermission };
}

type Rooms = Awaited<ReturnType<typeof importTools>>;

async function startServers(config: Config): Promise<Pool> {
  const { createPool } = await import("../client/pool.ts");
  const pool = createPool(config.servers, {
    environment: config.environment,
    clientInfo: { name: "duet", version },
  });
  pool.start();
  return pool;
}

async function patiently(work: Promise<void> | undefined, ms: number | undefined): Promise<void> {
  if (work === undefined || ms === undefined) return work;
  const limit = timeLimit(ms, () => new Error("late"));
  try {
    await abortable(work, limit.signal);
  } catch (thrown) {
    if (!limit.expired) throw thrown;
  } finally {
    limit.clear();
  }
}
