import { createTimeLimit, waitAbortable } from "../../kit/async/timeout.ts";
import type { Text } from "../../kit/errors.ts";
import { isDeeperThan, isRecord, type JsonObject, toText } from "../../kit/json.ts";
import { truncate } from "../../kit/text/sanitize.ts";
import type { ServerList } from "../lifecycle/announcements.ts";
import { listLimits } from "../limits.ts";
import type { Pool } from "../pool.ts";
import { findHidden, makeTreeVisible } from "../trust/hidden-characters.ts";
import type { Kind, ListedEntry } from "./kinds.ts";

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

/** The longest texts that a host is shown, and the longest name or URI, in characters. */
const longest = { name: 200, title: 200, description: 4000 } as const;
const longestKey = 4000;

/** No entry needs more levels, and deeper ones break who reads them. */
const deepest = 64;

/**
 * An entry of a server's list as a host may see it: nothing hidden in its texts, and none of them without end. What names it
 * stays, for its server knows it by that. Undefined where nothing names it, or where that is no URI that somebody could see.
 */
export function readEntry(entry: unknown, { key }: Pick<Kind, "key">): ListedEntry | undefined {
  if (!isRecord(entry) || isDeeperThan(entry, deepest)) return undefined;
  const { [key]: named, ...rest } = entry;
  const name = toText(named);
  if (name === "" || name.length > longestKey) return undefined;
  if (key !== "name" && findHidden(name).count > 0) return undefined;
  const shown = cutTexts(makeTreeVisible(rest));
  return { ...shown, ...argumentsOf(shown), [key]: name };
}

function argumentsOf({ arguments: all }: ListedEntry): ListedEntry {
  return Array.isArray(all) ? { arguments: all.map((each) => (isRecord(each) ? cutTexts(each) : each)) } : {};
}

function cutTexts(shown: ListedEntry): ListedEntry {
  const cut = Object.entries(longest).flatMap(([field, most]) => {
    const text = shown[field];
    return typeof text === "string" && text.length > most ? [[field, truncate(text, most)] as const] : [];
  });
  return cut.length === 0 ? shown : { ...shown, ...Object.fromEntries(cut) };
}
