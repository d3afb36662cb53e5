import type { ProxyRules } from "../../kit/net/proxy-rules.ts";
import type { SearchWire } from "./wire.ts";

/**
 * Describes one search backend. The file's schema, the environment variables, the order of `auto`, the checks, the advice and
 * the secrets to mask derive from it.
 */
export type SearchBackendRow = CommonFields & (KeyFields | OwnServerFields | OptInFields);

interface CommonFields {
  /** Is the public name of the service, as messages show it. */
  title: string;
  /** Names the environment variable of its address. */
  baseUrlEnv: string;
  /** Is the path of a search below the address. */
  path: string;
  /** Loads the code on first use. */
  wire(): Promise<SearchWire>;
}

/** Describes a service with accounts. `key-or-free` also answers without one, and `auto` then asks it if `keyless` allows. */
interface KeyFields {
  access: "key" | "key-or-free";
  /** Is the page where a person gets a key. */
  signUp: string;
  keyEnv: string;
  baseUrl: string;
  /** Is set when the service without a key is an MCP server elsewhere. */
  keylessMcp?: { url: string; env: string; wire(): Promise<SearchWire> };
}

/** Describes a server of the user's own. `auto` prefers it to services without a key. */
interface OwnServerFields {
  access: "own-server";
}

/** Describes a service without accounts that `auto` asks last, and only when it is enabled. */
interface OptInFields {
  access: "opt-in";
  baseUrl: string;
}

/** Lists the backends in the order in which `auto` tries them, within each kind of access. */
export const searchBackends = {
  tavily: {
    title: "Tavily",
    access: "key-or-free",
    signUp: "https://app.tavily.com",
    keyEnv: "TAVILY_API_KEY",
    baseUrl: "https://api.tavily.com",
    baseUrlEnv: "TAVILY_BASE_URL",
    path: "search",
    wire: async () => (await import("./backends/tavily.ts")).tavily,
  },
  exa: {
    title: "Exa",
    access: "key-or-free",
    signUp: "https://dashboard.exa.ai/api-keys",
    keyEnv: "EXA_API_KEY",
    baseUrl: "https://api.exa.ai",
    baseUrlEnv: "EXA_BASE_URL",
    path: "search",
    wire: async () => (await import("./backends/exa.ts")).exa,
    keylessMcp: {
      url: "https://mcp.exa.ai/mcp",
      env: "EXA_MCP_URL",
      wire: async () => (await import("./backends/exa.ts")).exaMcp,
    },
  },
  parallel: {
    title: "Parallel",
    access: "key-or-free",
    signUp: "https://platform.parallel.ai",
    keyEnv: "PARALLEL_API_KEY",
    baseUrl: "https://search.parallel.ai",
    baseUrlEnv: "PARALLEL_BASE_URL",
    path: "mcp",
    wire: async () => (await import("./backends/parallel.ts")).parallel,
  },
  brave: {
    title: "Brave",
    access: "key",
    signUp: "https://api-dashboard.search.brave.com",
    keyEnv: "BRAVE_API_KEY",
    baseUrl: "https://api.search.brave.com/res/v1",
    baseUrlEnv: "BRAVE_BASE_URL",
    path: "web/search",
    wire: async () => (await import("./backends/brave.ts")).brave,
  },
  serper: {
    title: "Serper",
    access: "key",
    signUp: "https://serper.dev",
    keyEnv: "SERPER_API_KEY",
    baseUrl: "https://google.serper.dev",
    baseUrlEnv: "SERPER_BASE_URL",
    path: "search",
    wire: async () => (await import("./backends/serper.ts")).serper,
  },
  bocha: {
    title: "Bocha",
    access: "key",
    signUp: "https://open.bochaai.com",
    keyEnv: "BOCHA_API_KEY",
    baseUrl: "https://api.bochaai.com/v1",
    baseUrlEnv: "BOCHA_BASE_URL",
    path: "web-search",
    wire: async () => (await import("./backends/bocha.ts")).bocha,
  },
  zhipu: {
    title: "Zhipu",
    access: "key",
    signUp: "https://open.bigmodel.cn",
    keyEnv: "ZHIPUAI_API_KEY",
    baseUrl: "https://open.bigmodel.cn/api/paas/v4",
    baseUrlEnv: "ZHIPUAI_BASE_URL",
    path: "web_search",
    wire: async () => (await import("./backends/zhipu.ts")).zhipu,
  },
  searxng: {
    title: "SearXNG",
    access: "own-server",
    baseUrlEnv: "SEARXNG_URL",
    path: "search",
    wire: async () => (await import("./backends/searxng.ts")).searxng,
  },
  duckduckgo: {
    title: "DuckDuckGo",
    access: "opt-in",
    baseUrl: "https://html.duckduckgo.com",
    baseUrlEnv: "DUCKDUCKGO_BASE_URL",
    path: "html/",
    wire: async () => (await import("./backends/duckduckgo.ts")).duckduckgo,
  },
} as const satisfies Record<string, SearchBackendRow>;

export type SearchBackendName = keyof typeof searchBackends;

/** Holds what is configured for one backend. An address that is not set is that of the row. */
export interface BackendSettings {
  apiKey?: string | undefined;
  baseUrl?: string | undefined;
  /** Is the address of the user's own server. User information in it is sent as Basic authentication. */
  url?: string | undefined;
  mcpUrl?: string | undefined;
  enabled?: boolean | undefined;
}

/** Base URLs are set by the user, so they may be private. */
export interface SearchOptions extends Partial<Record<SearchBackendName, BackendSettings>> {
  /** `auto` tries the configured backends one after the other. A named one is used alone. */
  backend: "auto" | SearchBackendName;
  maxResults: number;
  /** Limits one snippet, in characters. */
  snippetLength: number;
  /** Lets the `auto` backend use services without a key. */
  keyless: boolean;
  /** Says how the services are reached. */
  network?: ProxyRules | undefined;
}

/** Describes one setting of a backend: its key in the configuration file and its environment variable. */
interface BackendSetting {
  key: keyof BackendSettings;
  type: "secret" | "address" | "switch";
  env?: string;
  default?: string;
}

/** Lists the rows of the table with their names. */
export function listSearchBackends(): [SearchBackendName, SearchBackendRow][] {
  return searchBackendNames.map((name) => [name, searchBackends[name]]);
}

export const searchBackendNames = Object.keys(searchBackends) as SearchBackendName[];

/** Lists what can be set for a backend. */
export function listBackendSettings(row: SearchBackendRow): BackendSetting[] {
  const { access, baseUrlEnv: env } = row;
  if (access === "own-server") return [{ key: "url", type: "address", env }];
  const baseUrl: BackendSetting = { key: "baseUrl", type: "address", env, default: row.baseUrl };
  if (access === "opt-in") return [{ key: "enabled", type: "switch" }, baseUrl];
  const { keyEnv, keylessMcp: mcp } = row;
  const mcpUrl: BackendSetting[] = mcp ? [{ key: "mcpUrl", type: "address", env: mcp.env, default: mcp.url }] : [];
  return [{ key: "apiKey", type: "secret", env: keyEnv }, baseUrl, ...mcpUrl];
}

/** Builds an object with one value per backend. */
export function mapSearchBackends<Value>(
  toValue: (row: SearchBackendRow, name: SearchBackendName) => Value,
): Record<SearchBackendName, Value> {
  const entries = listSearchBackends().map(([name, row]) => [name, toValue(row, name)]);
  return Object.fromEntries(entries) as Record<SearchBackendName, Value>;
}
