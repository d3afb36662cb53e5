import { isRecord, type JsonObject, textOf } from "../../core/json.ts";
import { abortable, timeLimit } from "../../core/waiting.ts";
import { listLimits } from "../limits.ts";
import type { Pool } from "../pool.ts";
import type { ServerList } from "../session/announcements.ts";

/** A prompt, a resource or a template as its server describes it, unchecked but for what names it. */
export type Offering = Readonly<Record<string, unknown>>;

/** One kind of list, and the name of its entries. */
export interface Kind {
  list: "prompts" | "resources";
  method: string;
  field: string;
  key: string;
}

export const kinds = {
  prompts: { list: "prompts", method: "prompts/list", field: "prompts", key: "name" },
  resources: { list: "resources", method: "resources/list", field: "resources", key: "uri" },
  templates: { list: "resources", method: "resources/templates/list", field: "resourceTemplates", key: "uriTemplate" },
} as const satisfies Record<string, Kind>;

/** One list of one server. */
interface Shelf {
  readonly list: Kind["list"];
  entries: Offering[];
  isFresh: boolean;
  /** It could not be had the last time, so nobody waits for it any more. */
  hasFailed: boolean;
  /** A fetch that is going on. */
  fetching?: Promise<void> | undefined;
}

/** How long a list waits for one server's part, and how long a server may take for it, in milliseconds. */
const patienceMs = 10_000;
const fetchLimitMs = 30_000;
/** The lists of all servers, fetched once until they change. */
export interface OfferingLists {
  /** Every entry with its server, in the configuration's order. Rejects only when the signal aborts. */
  all(kind: Kind, signal?: AbortSignal): Promise<{ server: string; entry: Offering }[]>;
  /** The servers that have such a thing, in the configuration's order. */
  serversWith(what: "prompts" | "resources" | "completions"): string[];
  /** A list has changed: it is fetched anew when somebody next wants it. */
  changed(list: ServerList): void;
}

/** `onLate` is told of a list that has become longer after somebody was given it without waiting any more. */
export function createOfferingLists(
  pool: Pick<Pool, "status" | "request">,
  onLate: (list: Kind["list"]) => void,
): OfferingLists {
  const shelves = new Map<string, Shelf>();

  function shelfOf(server: string, { method, list }: Kind): Shelf {
    const key = JSON.stringify([server, method]);
    const shelf = shelves.get(key) ?? { list, entries: [], isFresh: false, hasFailed: false };
    shelves.set(key, shelf);
    return shelf;
  }

  function serversWith(what: "prompts" | "resources" | "completions"): string[] {
    return pool
      .status()
      .filter(({ offers }) => offers[what])
      .map(({ name }) => name);
  }

  async function fetchPages(server: string, { method, field, key }: Kind, signal: AbortSignal): Promise<Offering[]> {
    const entries = new Map<string, Offering>();
    let cursor: string | undefined;
    for (let page = 0; page < listLimits.pages; page += 1) {
      const params: JsonObject = cursor === undefined ? {} : { cursor };
      const answer = await pool.request(server, method, params, { signal, onProgress: () => {} });
      for (const entry of Array.isArray(answer[field]) ? answer[field] : []) {
        if (entries.size >= listLimits.tools) return [...entries.values()];
        const name = isRecord(entry) ? textOf(entry[key]) : "";
        if (name !== "" && !entries.has(name)) entries.set(name, entry);
      }
      if (typeof answer.nextCursor !== "string" || answer.nextCursor === cursor) break;
      cursor = answer.nextCursor;
    }
    return [...entries.values()];
  }

  /** Fetches a list anew. What was known stays where that fails. Never rejects. */
  async function fetch(server: string, kind: Kind, shelf: Shelf): Promise<void> {
    const limit = timeLimit(fetchLimitMs, () => new Error("late"));
    shelf.isFresh = true;
    try {
      shelf.entries = await abortable(fetchPages(server, kind, limit.signal), limit.signal);
      shelf.hasFailed = false;
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
    const isNew = shelf.fetching === undefined;
    shelf.fetching ??= fetch(server, kind, shelf);
    const limit = timeLimit(isNew && !shelf.hasFailed ? patienceMs : 0, () => new Error("late"));
    const { fetching } = shelf;
    try {
      await abortable(fetching, limit.signal);
    } catch {
      void fetching.then(() => (shelf.isFresh ? onLate(kind.list) : undefined));
    } finally {
      limit.clear();
    }
  }

  async function all(kind: Kind, signal?: AbortSignal): Promise<{ server: string; entry: Offering }[]> {
    const servers = serversWith(kind.list);
    await abortable(Promise.all(servers.map((server) => refresh(server, kind))), signal);
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
