import type { Text } from "../kit/locale.ts";
import type { KeyedBackend, SearchSettings } from "./config.ts";
import { configError } from "./config-errors.ts";
import type { Settings } from "./schema/file-schema.ts";
import { getValue } from "./sources/setting-path.ts";
import type { Source } from "./sources/source.ts";

/** Throws when the backend asked for has no address. */
export function readSearch(search: Settings["search"], sources: readonly Source[]): SearchSettings {
  const { enabled, backend, searxng, duckduckgo, exa, ...rest } = search;
  const url = searxng.url && withoutSlash(searxng.url);
  const missing = backend === "searxng" && !url ? needsAddress : missingKey(search);
  if (missing !== undefined) {
    const source = sources.findLast((each) => getValue(each.tree, ["search", "backend"]) !== undefined);
    throw configError(source?.where(["search", "backend"]) ?? "search.backend", missing);
  }
  return {
    ...rest,
    enabled,
    backend,
    tavily: keyed(search.tavily),
    parallel: keyed(search.parallel),
    brave: keyed(search.brave),
    serper: keyed(search.serper),
    exa: { ...keyed(exa), mcpUrl: withoutSlash(exa.mcpUrl) },
    bocha: keyed(search.bocha),
    zhipu: keyed(search.zhipu),
    searxng: url ? { url } : undefined,
    duckduckgo: { enabled: duckduckgo.enabled, baseUrl: withoutSlash(duckduckgo.baseUrl) },
  };
}

/** What is wrong where a backend is asked for by name that does not work without a key. */
function missingKey({ backend, ...search }: Settings["search"]): Text | undefined {
  if (backend !== "brave" && backend !== "serper" && backend !== "bocha" && backend !== "zhipu") return undefined;
  if (search[backend].apiKey?.trim()) return undefined;
  const variable = `${backend === "zhipu" ? "ZHIPUAI" : backend.toUpperCase()}_API_KEY`;
  return { zh: `${backend} 需要密钥：请设置 ${variable}`, en: `${backend} needs a key: set ${variable}` };
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
