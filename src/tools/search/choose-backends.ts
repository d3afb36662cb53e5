import { DuetError } from "../../kit/errors.ts";
import type { SearchBackend } from "./backend.ts";
import type { KeyedSettings, SearchOptions } from "./options.ts";
import { type AnsweringService, readAnswer } from "./read-answer.ts";
import type { SearchWire } from "./wire.ts";

/** Describes a backend that is used as `wire` defines. Its code is imported on first use. */
interface Place extends AnsweringService {
  url: URL;
  /** Is true when the query goes to a party with which the user has no account. */
  thirdParty: boolean;
  wire(): Promise<SearchWire>;
}

type Named = Exclude<SearchOptions["backend"], "auto">;

/** Maps each backend to its settings. One with a key is used with it. */
const places: Record<Named, (options: SearchOptions) => Place> = {
  tavily: ({ tavily }) => service("Tavily", "TAVILY", tavily, "search", wires.tavily),
  exa: ({ exa }) => {
    if (exa.apiKey !== undefined) return service("Exa", "EXA", exa, "search", wires.exa);
    const url = webAddress(exa.mcpUrl, "EXA_MCP_URL");
    return { party: "Exa", url, keyVariable: "EXA_API_KEY", thirdParty: true, wire: wires.exaMcp };
  },
  parallel: ({ parallel }) => service("Parallel", "PARALLEL", parallel, "mcp", wires.parallel),
  brave: ({ brave }) => withKey(service("Brave", "BRAVE", brave, "web/search", wires.brave)),
  serper: ({ serper }) => withKey(service("Serper", "SERPER", serper, "search", wires.serper)),
  bocha: ({ bocha }) => withKey(service("Bocha", "BOCHA", bocha, "web-search", wires.bocha)),
  zhipu: ({ zhipu }) => withKey(service("Zhipu", "ZHIPUAI", zhipu, "web_search", wires.zhipu)),
  searxng: ({ searxng }) => {
    if (searxng === undefined)
      throw unset("search.backend 是 searxng，但", "search.backend is searxng, but ", "SEARXNG_URL");
    const url = webAddress(searxng.url, "SEARXNG_URL", "search");
    return { party: "SearXNG", url, thirdParty: false, wire: wires.searxng };
  },
  duckduckgo: ({ duckduckgo }) => {
    const url = webAddress(duckduckgo.baseUrl, "DUCKDUCKGO_BASE_URL", "html/");
    return { party: "DuckDuckGo", url, thirdParty: true, wire: wires.duckduckgo };
  },
};

const wires = {
  tavily: async () => (await import("./backends/tavily.ts")).tavily,
  exa: async () => (await import("./backends/exa.ts")).exa,
  exaMcp: async () => (await import("./backends/exa.ts")).exaMcp,
  parallel: async () => (await import("./backends/parallel.ts")).parallel,
  brave: async () => (await import("./backends/brave.ts")).brave,
  serper: async () => (await import("./backends/serper.ts")).serper,
  bocha: async () => (await import("./backends/bocha.ts")).bocha,
  zhipu: async () => (await import("./backends/zhipu.ts")).zhipu,
  searxng: async () => (await import("./backends/searxng.ts")).searxng,
  duckduckgo: async () => (await import("./backends/duckduckgo.ts")).duckduckgo,
};

const keyed = ["tavily", "exa", "parallel", "brave", "serper", "bocha", "zhipu"] as const;
const keyless = ["tavily", "exa", "parallel"] as const;

/**
 * Returns the selected backends in the order in which they are tried. A named one is used alone. For `auto`, those with a key
 * come first, then the user's own SearXNG or, without one, those that need no key if that is allowed, then DuckDuckGo if it is
 * enabled. Throws a `DuetError` when one is not configured.
 */
export function chooseBackends(options: SearchOptions): SearchBackend[] {
  const { backend, searxng, duckduckgo } = options;
  if (backend !== "auto") return [openBackend(places[backend](options))];
  const withKeys = keyed.filter((name) => options[name].apiKey !== undefined);
  const chosen = [
    ...withKeys.map((name) => places[name](options)),
    ...(searxng === undefined ? [] : [places.searxng(options)]),
    ...(searxng === undefined && options.keyless ? keyless.map((name) => places[name](withoutKeys(options))) : []),
    ...(duckduckgo.enabled ? [places.duckduckgo(options)] : []),
  ];
  return chosen.map(openBackend);
}

function withoutKeys(options: SearchOptions): SearchOptions {
  const { tavily, exa, parallel } = options;
  return {
    ...options,
    tavily: { ...tavily, apiKey: undefined },
    exa: { ...exa, apiKey: undefined },
    parallel: { ...parallel, apiKey: undefined },
  };
}

function service(
  party: string,
  prefix: string,
  { apiKey, baseUrl }: KeyedSettings,
  path: string,
  wire: Place["wire"],
): Place {
  const url = webAddress(baseUrl, `${prefix}_BASE_URL`, path);
  return { party, url, key: apiKey, keyVariable: `${prefix}_API_KEY`, thirdParty: apiKey === undefined, wire };
}

function withKey(place: Place): Place {
  if (place.key !== undefined) return place;
  throw unset(`${place.party} 需要密钥，但`, `${place.party} needs a key, but `, place.keyVariable);
}

function unset(zh: string, en: string, variable: string | undefined): DuetError {
  return new DuetError({
    code: "config",
    text: { zh: `${zh}没有设置 ${variable}`, en: `${en}${variable} is not set.` },
  });
}

/** Returns the address of a path under a base URL. Throws a `DuetError` that names the setting. */
function webAddress(base: string, setting: string, path?: string): URL {
  const url = path === undefined ? URL.parse(base) : URL.parse(path, base.replace(/\/*$/, "/"));
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  const zh = `${setting} 不是 http(s) 地址："${base}"`;
  throw new DuetError({ code: "config", text: { zh, en: `${setting} is not an http(s) address: "${base}"` } });
}

function openBackend(place: Place): SearchBackend {
  const { party, url, thirdParty, key } = place;
  return {
    party,
    thirdParty,
    host: url.host,
    hasKey: key !== undefined,
    async search(query, { maxResults, timeoutMs, signal }) {
      const [{ sendSearch }, wire] = await Promise.all([import("./request.ts"), place.wire()]);
      const call = wire.ask(query, { maxResults, key });
      return readAnswer(wire, place, await sendSearch({ party, url, call, timeoutMs, signal }), maxResults);
    },
  };
}
