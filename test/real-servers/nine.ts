// Nine servers from npm as their users configure them. Whatever they ask of the internet, a service of the test answers.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import { type AmapService, startAmapService } from "../fakes/amap-service.ts";
import { type NpmServer, npmServer, temporaryFolder } from "../fakes/program.ts";
import { type FakeSearch, startFakeSearch } from "../fakes/search.ts";

/** Secrets that must never be seen. */
export const keys = {
  amap: "c4na7yamap0123456789abcdef012345",
  tavily: "tvly-c4na7ytavily0123",
  exa: "c4na7yexa-0123-4567",
  brave: "BSAc4na7ybrave0123",
} as const;

/** How many tools each has, without those that depend on what the client can do. */
export const toolCounts = {
  ...{ filesystem: 14, memory: 9, thinking: 1, amap: 12, tavily: 5, exa: 2, brave: 8, duckduckgo: 1 },
} as const;

export interface Nine {
  /** For `mcpServers`. */
  servers: Record<string, NpmServer>;
  /** Where the filesystem server works and the memory server keeps its file. */
  folder: string;
  amap: AmapService;
  search: FakeSearch;
}

/** `envOf` gives further variables for a server, by its name. */
export async function nineServers(envOf: (name: string) => Record<string, string> = () => ({})): Promise<Nine> {
  const folder = await temporaryFolder();
  const amap = await startAmapService(keys.amap);
  const search = await startFakeSearch({
    "*": [{ title: "云帆图书馆开放时间", url: "https://library.example/hours", content: "每天 9:00 至 21:00 开放" }],
  });
  onTestFinished(() => search.close());
  const internet = redirecting({
    "restapi.amap.com": amap.url,
    "api.tavily.com": search.url,
    "api.exa.ai": `${search.url}/exa`,
    "api.search.brave.com/res/v1": `${search.url}/brave`,
  });
  const server = (name: string, [command, ...args]: [string, ...string[]], env: Record<string, string> = {}) => ({
    [name]: npmServer(command, args, { ...internet, ...env, ...envOf(name) }),
  });
  return {
    folder,
    amap,
    search,
    servers: {
      ...server("everything", ["mcp-server-everything"], { GZIP_MAX_FETCH_TIME_MILLIS: "100000" }),
      ...server("filesystem", ["mcp-server-filesystem", folder]),
      ...server("memory", ["mcp-server-memory"], { MEMORY_FILE_PATH: join(folder, "memory.json") }),
      ...server("thinking", ["mcp-server-sequential-thinking"]),
      ...server("amap", ["mcp-amap"], { AMAP_MAPS_API_KEY: keys.amap }),
      ...server("tavily", ["tavily-mcp"], { TAVILY_API_KEY: keys.tavily }),
      ...server("exa", ["exa-mcp-server"], { EXA_API_KEY: keys.exa }),
      ...server("brave", ["brave-search-mcp-server"], { BRAVE_API_KEY: keys.brave }),
      ...server("duckduckgo", ["duckduckgo-mcp-server"]),
    },
  };
}

/** Variables under which a server of Node's reaches these addresses and no others; see `redirect.mjs`. */
export function redirecting(places: Record<string, string>): Record<string, string> {
  const preload = pathToFileURL(join(import.meta.dirname, "../fakes/redirect.mjs"));
  return { NODE_OPTIONS: `--import=${preload.href}`, REDIRECT_HOSTS: JSON.stringify(places) };
}
