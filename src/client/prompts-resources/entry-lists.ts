import { createTimeLimit, waitAbortable } from "../../kit/async/timeout.ts";
import { type JsonObject, toText } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import type { ServerList } from "../lifecycle/announcements.ts";
import { listLimits } from "../limits.ts";
import type { Pool } from "../pool.ts";
import type { Kind, ListedEntry } from "./kinds.ts";
import { readEntry } from "./read-entry.ts";

/** One list of one server. */
interface Shelf {
  readonly list: Kind["list"];
  entries: ListedEntry[];
  isFresh: boolean;
  /** It could not be had the last time, so nobody waits for it any more. */
  hasFailed: boolean;
  /** Whether it was told that a list went without it. */
  isMissed: boolean;
  /** When the last fetch began, by `performance.now()`. */
  begunAt: number;
  /** A fetch that is going on. */
  fetching?: Promise<void> | undefined;
}

/** How long a list waits for one server's part, and how long a server may take for it, in milliseconds. */
const patienceMs = 5_000;
const fetchLimitMs = 30_000;

/** The lists of all servers, fetched once until they change. */
export interface EntryLists {
  /** Every entry with its server, in the configuration's order. Rejects only when the signal aborts. */
  all(kind: Kind, signal?: AbortSignal): Promise<{ server: string; entry: ListedEntry }[]>;
  /** The servers that have such a thing, in the configuration's order. */
  serversWith(what: "prompts" | "resources" | "completions"): string[];
  /** A list has changed: it is fetched anew when somebody next wants it. */
  changed(list: ServerList): void;
}

export interface Listeners {
  /** Told of a list that has become longer after somebody was given it without waiting any more. */
  onLate(list: Kind["list"]): void;
  /** Takes a line for the operator, each thing once. */
  tell(line: Text): void;
}

export function createEntryLists(pool: Pick<Pool, "status" | "request">, { onLate, tell }: Listeners): EntryLists {
  const shelves = new Map<string, Shelf>();

  function shelfOf(server: string, { method, list }: Kind): Shelf {
    const key = JSON.stringify([server, method]);
    const shelf = shelves.get(key) ?? {
      list,
      entries: [],
      isFresh: false,
      hasFailed: false,
      isMissed: false,
      begunAt: 0,
    };
    shelves.set(key, shelf);
    return shelf;
  }

  function serversWith(what: "prompts" | "resources" | "completions"): string[] {
    return pool
      .status()
      .filter(({ offers }) => offers[what])
      .map(({ name }) => name);
  }

  async function fetchPages(server: string, kind: Kind, signal: AbortSignal): Promise<ListedEntry[]> {
    const { method, field, key } = kind;
    let bytes = 0;
    const entries = new Map<string, ListedEntry>();
    let cursor: string | undefined;
    for (let page = 0; page < listLimits.pages; page += 1) {
      const params: JsonObject = cursor === undefined ? {} : { cursor };
      const answer = await pool.request(server, method, params, { signal, onProgress: () => {} });
      for (const entry of Array.isArray(answer[field]) ? answer[field] : []) {
        const read = readEntry(entry, kind);
        const name = toText(read?.[key]);
        if (read === undefined || entries.has(name)) continue;
        bytes += JSON.stringify(read).length;
        if (entries.size >= listLimits.tools || bytes > listLimits.bytes) return [...entries.values()];
        entries.set(name, read);
      }
      if (typeof answer.nextCursor !== "string" || answer.nextCursor === cursor) break;
      cursor = answer.nextCursor;
    }
    return [...entries.values()];
  }

  /** Fetches a list anew. What was known stays where that fails. Never rejects. */
  async function fetch(server: string, kind: Kind, shelf: Shelf): Promise<void> {
    const limit = createTimeLimit(fetchLimitMs, () => new Error("late"));
    shelf.isFresh = true;
    shelf.begunAt = performance.now();
    try {
      shelf.entries = await waitAbortable(fetchPages(server, kind, limit.signal), limit.signal);
      shelf.hasFailed = false;
      shelf.isMissed = false;
    } catch {
      shelf.isFresh = false;
      shelf.hasFailed = true;
    } finally {
      limit.clear();
      shelf.fetching = undefined;
    }
  }

  /** Settles when a server's list is as it is now, or need not be waited for. */
  async function refresh(server: string, kind: Kind): Promise<void> {
    const shelf = shelfOf(server, kind);
    if (shelf.isFresh && shelf.fetching === undefined) return;
    shelf.fetching ??= fetch(server, kind, shelf);
    const leftMs = shelf.begunAt + patienceMs - performance.now();
    const limit = createTimeLimit(shelf.hasFailed ? 0 : leftMs, () => new Error("late"));
    const { fetching } = shelf;
    try {
      await waitAbortable(fetching, limit.signal);
    } catch {
      miss(server, kind, shelf);
      void fetching.then(() => (shelf.isFresh ? onLate(kind.list) : undefined));
    } finally {
      limit.clear();
    }
  }

  function miss(server: string, { words }: Kind, shelf: Shelf): void {
    if (shelf.isMissed || shelf.hasFailed) return;
    shelf.isMissed = true;
    tell({
      zh: `MCP 服务器 ${server} 未能在 ${patienceMs / 1000} 秒内列出其${words.zh}，列表暂时不包含它们。`,
      en: `The MCP server ${server} has not listed its ${words.en} within ${patienceMs / 1000} s; the list goes without them for now.`,
    });
  }

  async function all(kind: Kind, signal?: AbortSignal): Promise<{ server: string; entry: ListedEntry }[]> {
    const servers = serversWith(kind.list);
    await waitAbortable(Promise.all(servers.map((server) => refresh(server, kind))), signal);
    return servers.flatMap((server) => shelfOf(server, kind).entries.map((entry) => ({ server, entry })));
  }

  return {
    all,
    serversWith,
    changed(list) {
      for (const shelf of shelves.values()) if (shelf.list === list) shelf.isFresh = false;
    },
  };
}
