import { LRUCache } from "lru-cache";
import type { Tool, ToolResult } from "../../core/tool.ts";
import { abortable } from "../../core/waiting.ts";
import { wrap } from "../define.ts";

/** What the searches of one conversation have found, by query; shared with nobody else, and gone when it is. */
export interface SearchCache {
  /** The least recently used is forgotten first. */
  readonly found: LRUCache<string, ToolResult>;
  /** Searches that are under way. */
  readonly pending: Map<string, Promise<ToolResult>>;
}

/** `size`: how many queries are kept; undefined for none. */
export function createSearchCache(size: number): SearchCache | undefined {
  return size < 1 ? undefined : { found: new LRUCache({ max: size }), pending: new Map() };
}

/**
 * Answers a query that was asked before, or is being asked, from `cache`, with `cached: true`. Failures are not kept: who
 * waited for one searches for itself.
 */
export function withCache(tool: Tool, { found, pending }: SearchCache): Tool {
  return wrap(tool, async (args, context) => {
    if (typeof args.query !== "string") return tool.run(args, context);
    const key = normalise(args.query);
    const known = found.get(key);
    if (known) return { ...known, cached: true };
    for (let other = pending.get(key); other; other = pending.get(key)) {
      const result = await abortable(
        other.catch(() => undefined),
        context.signal,
      );
      if (result?.ok) return { ...result, cached: true };
    }
    const search = tool.run(args, context);
    pending.set(key, search);
    try {
      const result = await search;
      if (result.ok) found.set(key, result);
      return result;
    } finally {
      if (pending.get(key) === search) pending.delete(key);
    }
  });
}

/** Spaces, letter case and full-width forms make no difference to what is found. */
function normalise(query: string): string {
  return query.normalize("NFKC").trim().replace(/\s+/g, " ").toLowerCase();
}
