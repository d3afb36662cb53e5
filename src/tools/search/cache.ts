import { LRUCache } from "lru-cache";
import type { Tool, ToolResult } from "../../core/tool.ts";
import { wrap } from "../define.ts";

/**
 * Answers a query that was asked before from memory, with `cached: true`. It lives as long as the tool does, so a tool made for
 * one conversation shares nothing with another. Failures are not kept.
 */
export function withCache(tool: Tool, size: number): Tool {
  if (size < 1) return tool;
  const results = new LRUCache<string, ToolResult>({ max: size });
  return wrap(tool, async (args, context) => {
    const key = normalise(String(args.query));
    const known = results.get(key);
    if (known !== undefined) return { ...known, cached: true };
    const result = await tool.run(args, context);
    if (result.ok) results.set(key, result);
    return result;
  });
}

/** Spaces, letter case and full-width forms make no difference to what is found. */
function normalise(query: string): string {
  return query.normalize("NFKC").trim().replace(/\s+/g, " ").toLowerCase();
}
