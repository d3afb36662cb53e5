import { valueAt } from "./path.ts";
import { problem } from "./problem.ts";
import type { Settings } from "./schema.ts";
import type { KeyedBackend, SearchSettings } from "./settings.ts";
import type { Source } from "./source.ts";

/** Throws when the backend asked for has no address. */
export function readSearch(search: Settings["search"], sources: readonly Source[]): SearchSettings {
  const { enabled, backend, maxResults, snippetLength, cacheSize, maxPerRun, searxng } = search;
  const url = searxng.url && withoutSlash(searxng.url);
  if (backend === "searxng" && !url) {
    const source = sources.findLast((each) => valueAt(each.tree, ["search", "backend"]) !== undefined);
    throw problem(source?.where(["search", "backend"]) ?? "search.backend", needsAddress);
  }
  return {
    enabled,
    backend,
    maxResults,
    snippetLength,
    cacheSize,
    maxPerRun,
    tavily: keyed(search.tavily),
    brave: keyed(search.brave),
    serper: keyed(search.serper),
    exa: keyed(search.exa),
    bocha: keyed(search.bocha),
    zhipu: keyed(search.zhipu),
    searxng: url ? { url } : undefined,
  };
}

function keyed({ apiKey, baseUrl }: KeyedBackend): KeyedBackend {
  return { apiKey: apiKey?.trim() || undefined, baseUrl: withoutSlash(baseUrl) };
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, "");
}

const needsAddress = {
  zh: "searxng 需要地址：请设置 SEARXNG_URL 或 search.searxng.url",
  en: "searxng needs an address: set SEARXNG_URL or search.searxng.url",
};
