import { LRUCache } from "lru-cache";
import type { Tool, ToolResult } from "../../core/tools/tool.ts";
import { wrapTool } from "../define-tool.ts";
import { shareWork } from "../shared-work.ts";

/** Caches the results of one conversation's searches by query. The cache is not shared and ends with the conversation. */
export interface SearchCache {
  /** The least recently used result is dropped first. */
  readonly found: LRUCache<string, ToolResult>;
  /** Searches that are under way. */
  readonly pending: Map<string, Promise<ToolResult>>;
}

/** Keeps `size` queries. Returns undefined when `size` allows none. */
export function createSearchCache(size: number): SearchCache | undefined {
  return size < 1 ? undefined : { found: new LRUCache({ max: size }), pending: new Map() };
}

/**
 * Answers a query that was asked before, or is being asked, from `cache`, with `cached: true`. Failures are not kept: who
 * waited for one searches for itself.
 */
export function withCache(tool: Tool, { found, pending }: SearchCache): Tool {
  return wrapTool(tool, async (args, context) => {
    if (typeof args.query !== "string") return tool.run(args, context);
    const key = normalise(args.query);
    const known = found.get(key);
    if (known) return { ...known, cached: true };
    const { result, isShared } = await shareWork({
      ...{ key, pending, signal: context.signal },
      work: async () => {
        const searched = await tool.run(args, context);
        if (searched.ok) found.set(key, searched);
        return searched;
      },
      isGood: ({ ok }) => ok,
    });
    return isShared ? { ...result, cached: true } : result;
  });
}

/** Spaces, letter case and full-width forms make no difference to what is found. */
function normalise(query: string): string {
  return query.normalize("NFKC").trim().replace(/\s+/g, " ").toLowerCase();
}
