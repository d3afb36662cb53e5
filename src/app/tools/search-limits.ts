import type { Config } from "../../config/config.ts";
import type { Tool } from "../../core/tools/tool.ts";
import type { SearchCache } from "../../tools/search/wrap-search.ts";
import { type Inventory, noTools, type ToolInventory, type WantedTools } from "./tool-inventory.ts";

/** Puts the built-in `web_search` inside its limits: what it finds is kept with the conversation, what it may cost begins anew. */
export type LimitSearches = (conversation: object, tools: readonly Tool[]) => Promise<Tool[]>;

export function createSearchLimits({ cacheSize, maxPerRun }: Config["search"]): LimitSearches {
  const caches = new WeakMap<object, SearchCache>();
  return async (conversation, tools) => {
    if (!tools.some(isSearch)) return [...tools];
    const { createSearchCache, withCache, withSearchBudget } = await import("../../tools/search/wrap-search.ts");
    const cache = caches.get(conversation) ?? createSearchCache(cacheSize);
    if (cache) caches.set(conversation, cache);
    return tools.map((tool) => {
      if (!isSearch(tool)) return tool;
      const limited = withSearchBudget(tool, maxPerRun);
      return cache ? withCache(limited, cache) : limited;
    });
  };
}

/** Selects what a chat that searches gets: no other tool, and no waiting for servers. */
export async function selectSearch(
  catalog: ToolInventory,
  conversation: object,
  wanted: WantedTools,
): Promise<Inventory> {
  const { tools } = await catalog.resolveTools(conversation, { ...wanted, patienceMs: 0 });
  return { ...noTools, tools: tools.filter(({ name }) => name === "web_search") };
}

/** Is true for the built-in search. A search tool that an embedding program provides handles its own limits. */
function isSearch({ name, source }: Tool): boolean {
  return name === "web_search" && source === "builtin";
}
