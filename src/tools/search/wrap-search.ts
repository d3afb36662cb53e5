import { LRUCache } from "lru-cache";
import { createFailure, type Tool, type ToolResult } from "../../core/tools/tool.ts";
import { say } from "../../kit/locale.ts";
import { wrapTool } from "../create-tool.ts";
import { shareWork } from "../shared-work.ts";

/** Caches the results of one conversation's searches by query. The cache is not shared and ends with the conversation. */
export interface SearchCache {
  /** The least recently used result is dropped first. */
  readonly found: LRUCache<string, ToolResult>;
  /** Maps queries to the searches that are under way. */
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
    const key = normalizeQuery(args.query);
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
function normalizeQuery(query: string): string {
  return query.normalize("NFKC").trim().replace(/\s+/g, " ").toLowerCase();
}

/** Lets `most` searches through; the next are answered with a failure that tells the model to go by what it has. */
export function withSearchBudget(tool: Tool, most: number): Tool {
  let left = most;
  return wrapTool(tool, async (args, context) => {
    if (left < 1) return createFailure("tool", say(context.locale, toUsedUpText(most)));
    left--;
    const result = await tool.run(args, context);
    // Nobody was asked, so nothing was used.
    if (result.error?.code === "invalid_arguments") left++;
    return result;
  });
}

function toUsedUpText(most: number) {
  return {
    zh: `这次运行的搜索次数已用完（最多 ${most} 次），没有执行这次搜索。请根据已有的结果回答，不要再搜索。`,
    en: `This run has used up its searches (${most} at most); this one was not made. Answer from the results there are and search no more.`,
  };
}
