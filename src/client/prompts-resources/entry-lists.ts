import { createTimeLimit, createWaitLimit, timeoutError, waitAbortable } from "../../kit/async/timeout.ts";
import { type DuetError, toDuetError } from "../../kit/errors.ts";
import { isDeeperThan, isRecord, type JsonObject, toText } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { truncate } from "../../kit/text/truncate.ts";
import type { ServerList } from "../lifecycle/announcements.ts";
import { listLimits } from "../limits.ts";
import { readList } from "../lists/listing.ts";
import type { Pool } from "../pool.ts";
import { findHidden, makeTreeVisible } from "../trust/hidden-characters.ts";
import type { TextList } from "../trust/pins.ts";

/** Caches one list of one server. */
interface StoredList {
  readonly list: Kind["list"];
  entries: ListedEntry[];
  isFresh: boolean;
  /** Says why the last fetch failed; nobody waits for the next one. */
  failure: DuetError | undefined;
  /** Is true when a list was returned, and reported, without this server's part. */
  isMissed: boolean;
  /** Holds the start of the last fetch, by `performance.now()`. */
  begunAt: number;
  fetching?: Promise<void> | undefined;
}

/** Leaves a text as it is: the pool gives results without secrets. */
const keepText = (text: string): string => text;

/** Limits how long a list waits for one server's part, and how long a server may take for it, in milliseconds. */
const patienceMs = 5_000;
const fetchLimitMs = 30_000;

/** Fetches the lists of all servers and caches them until they change. */
export interface EntryLists {
  /** Returns every entry with its server, in the configuration's order. Rejects only when the signal aborts. */
  all(kind: Kind, signal?: AbortSignal): Promise<{ server: string; entry: ListedEntry }[]>;
  /**
   * Waits until one more list of these kinds has come, or has failed, of those that `all` left out because their servers are slow. Each
   * takes 30 s at most; one whose last fetch failed is not waited for. Returns false where none is awaited. Rejects only when the
   * signal aborts.
   */
  waitForLate(kinds: readonly Kind[], permits: (server: string) => boolean, signal: AbortSignal): Promise<boolean>;
  /** Returns why lists are missing that could not be fetched. A server that answers with an error has nothing to list. */
  findFailures(kind: Kind, permits: (server: string) => boolean): DuetError[];
  /** Returns the servers that offer this capability, in the configuration's order. */
  serversWith(what: "prompts" | "resources" | "completions" | "subscriptions"): string[];
  /** Marks a list as changed, so that it is fetched again when next requested. */
  changed(list: ServerList): void;
}

export interface Listeners {
  /** Runs when a list has grown after it was returned without waiting any longer. */
  onLate(list: Kind["list"]): void;
  /** Takes a line for the operator, each thing once. */
  onLine(line: Text): void;
}

export function createEntryLists(
  pool: Pick<Pool, "status" | "request" | "checkTexts">,
  { onLate, onLine }: Listeners,
): EntryLists {
  const lists = new Map<string, StoredList>();

  function getStoredList(server: string, { method, list }: Kind): StoredList {
    const key = JSON.stringify([server, method]);
    const stored = lists.get(key) ?? {
      list,
      entries: [],
      isFresh: false,
      failure: undefined,
      isMissed: false,
      begunAt: 0,
    };
    lists.set(key, stored);
    return stored;
  }

  function listServersWith(what: "prompts" | "resources" | "completions" | "subscriptions"): string[] {
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
      const answer = await pool.request(server, method, params, { signal, onProgress: () => {}, isForNobody: true });
      for (const entry of readList(answer, field, keepText)) {
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
  async function fetch(server: string, kind: Kind, stored: StoredList): Promise<void> {
    const limit = createTimeLimit(fetchLimitMs, () => timeoutError(`${server} ${kind.method}`, fetchLimitMs));
    stored.isFresh = true;
    stored.begunAt = performance.now();
    try {
      stored.entries = await waitAbortable(fetchPages(server, kind, limit.signal), limit.signal);
      stored.failure = undefined;
      stored.isMissed = false;
    } catch (thrown) {
      stored.isFresh = false;
      stored.failure = toDuetError(thrown);
    } finally {
      limit.clear();
      stored.fetching = undefined;
    }
  }

  /** Settles when a server's list is as it is now, or need not be waited for. */
  async function refresh(server: string, kind: Kind): Promise<void> {
    const stored = getStoredList(server, kind);
    if (stored.isFresh && stored.fetching === undefined) return;
    stored.fetching ??= fetch(server, kind, stored);
    const leftMs = stored.begunAt + patienceMs - performance.now();
    const limit = createWaitLimit(stored.failure ? 0 : leftMs);
    const { fetching } = stored;
    try {
      await waitAbortable(fetching, limit.signal);
    } catch {
      noteMissing(server, kind, stored);
      void fetching.then(() => (stored.isFresh ? onLate(kind.list) : undefined));
    } finally {
      limit.clear();
    }
  }

  function noteMissing(server: string, { words }: Kind, stored: StoredList): void {
    if (stored.isMissed || stored.failure) return;
    stored.isMissed = true;
    onLine({
      zh: `MCP 服务器 ${server} 未能在 ${patienceMs / 1000} 秒内列出其${words.zh}，列表暂时不包含它们。`,
      en: `The MCP server ${server} did not list its ${words.en} within ${patienceMs / 1000} s; the list omits them for now.`,
    });
  }

  async function listEntries(kind: Kind, signal?: AbortSignal): Promise<{ server: string; entry: ListedEntry }[]> {
    const servers = listServersWith(kind.list);
    await waitAbortable(Promise.all(servers.map((server) => refresh(server, kind))), signal);
    const lists = servers.map(async (server) => {
      const texts = { list: kind.texts, key: kind.key };
      const entries = await pool.checkTexts(server, texts, getStoredList(server, kind).entries);
      return entries.map((entry) => ({ server, entry }));
    });
    return (await Promise.all(lists)).flat();
  }

  function getStoredLists(kind: Kind, permits: (server: string) => boolean): StoredList[] {
    return listServersWith(kind.list)
      .filter(permits)
      .map((server) => getStoredList(server, kind));
  }

  return {
    all: listEntries,
    async waitForLate(awaited, permits, signal) {
      const late = awaited
        .flatMap((kind) => getStoredLists(kind, permits))
        .flatMap(({ fetching, failure }) => (fetching && failure === undefined ? [fetching] : []));
      if (late.length === 0) return false;
      await waitAbortable(Promise.race(late), signal);
      return true;
    },
    findFailures: (kind, permits) =>
      getStoredLists(kind, permits).flatMap(({ failure }) =>
        failure === undefined || failure.code === "tool" ? [] : [failure],
      ),
    serversWith: listServersWith,
    changed(list) {
      for (const stored of lists.values()) if (stored.list === list) stored.isFresh = false;
    },
  };
}

/** Limits the texts that a host receives, and names and URIs, in characters. */
const longest = { name: 200, title: 200, description: 4000 } as const;
const longestKey = 4000;

/** Limits nesting: no entry needs more levels, and deeper ones break their readers. */
const deepest = 64;

/**
 * Prepares an entry of a server's list for a host: its texts contain nothing hidden and have a maximum length. Its key is
 * unchanged, because the server knows it by that. Returns undefined when the key is missing, or is a URI with invisible
 * characters.
 */
export function readEntry(entry: unknown, { key }: Pick<Kind, "key">): ListedEntry | undefined {
  if (!isRecord(entry) || isDeeperThan(entry, deepest)) return undefined;
  const { [key]: named, ...rest } = entry;
  const name = toText(named);
  if (name === "" || name.length > longestKey) return undefined;
  if (key !== "name" && findHidden(name).count > 0) return undefined;
  const shown = cutTexts(makeTreeVisible(rest));
  return { ...shown, ...getArguments(shown), [key]: name };
}

function getArguments({ arguments: all }: ListedEntry): ListedEntry {
  return Array.isArray(all) ? { arguments: all.map((each) => (isRecord(each) ? cutTexts(each) : each)) } : {};
}

function cutTexts(shown: ListedEntry): ListedEntry {
  const cut = Object.entries(longest).flatMap(([field, most]) => {
    const text = shown[field];
    return typeof text === "string" && text.length > most ? [[field, truncate(text, most)] as const] : [];
  });
  return cut.length === 0 ? shown : { ...shown, ...Object.fromEntries(cut) };
}

/**
 * Holds a prompt, a resource or a template as its server describes it: its texts may be shown, and the rest is unvalidated
 * except for its key.
 */
export type ListedEntry = Readonly<Record<string, unknown>>;

/** Describes one kind of list and the property that names its entries. */
export interface Kind {
  list: "prompts" | "resources";
  method: string;
  field: string;
  key: string;
  words: Text;
  /** Names the approved texts of its entries. */
  texts: TextList;
}

export const kinds = {
  prompts: {
    list: "prompts",
    method: "prompts/list",
    field: "prompts",
    key: "name",
    words: { zh: "提示词", en: "prompts" },
    texts: "prompts",
  },
  resources: {
    list: "resources",
    method: "resources/list",
    field: "resources",
    key: "uri",
    words: { zh: "资源", en: "resources" },
    texts: "resources",
  },
  templates: {
    list: "resources",
    method: "resources/templates/list",
    field: "resourceTemplates",
    key: "uriTemplate",
    words: { zh: "资源模板", en: "resource templates" },
    texts: "templates",
  },
} as const satisfies Record<string, Kind>;
