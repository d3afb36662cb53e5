import * as z from "zod";
import { address } from "./schema-parts.ts";

const searchBackends = [
  "auto",
  "tavily",
  "exa",
  "parallel",
  "brave",
  "serper",
  "bocha",
  "zhipu",
  "searxng",
  "duckduckgo",
] as const;

function keyed(baseUrl: string) {
  return z.strictObject({ apiKey: z.string().optional(), baseUrl: address.default(baseUrl) }).prefault({});
}

export const searchSchema = z
  .strictObject({
    enabled: z.boolean().optional().meta({ description: "Absent: tools may search, the chat mode starts without." }),
    backend: z.enum(searchBackends).default("auto").meta({
      description: "auto: the first with a key, else the keyless ones; one that fails gives way to the next.",
    }),
    keyless: z.boolean().default(true).meta({ description: "Whether auto may ask services without a key." }),
    maxResults: z.int().min(1).max(20).default(5),
    snippetLength: z.int().min(20).max(2000).default(200).meta({ description: "Characters of one snippet." }),
    cacheSize: z.int().min(0).max(1000).default(20).meta({ description: "Queries kept; 0 keeps none." }),
    maxPerRun: z.int().min(1).max(50).default(10).meta({ description: "Searches of one run." }),
    tavily: keyed("https://api.tavily.com"),
    parallel: keyed("https://search.parallel.ai"),
    brave: keyed("https://api.search.brave.com/res/v1"),
    serper: keyed("https://google.serper.dev"),
    exa: z
      .strictObject({
        apiKey: z.string().optional(),
        baseUrl: address.default("https://api.exa.ai"),
        mcpUrl: address.default("https://mcp.exa.ai/mcp").meta({ description: "Its keyless MCP server." }),
      })
      .prefault({}),
    bocha: keyed("https://api.bochaai.com/v1"),
    zhipu: keyed("https://open.bigmodel.cn/api/paas/v4"),
    searxng: z.strictObject({ url: address.optional() }).prefault({}),
    duckduckgo: z
      .strictObject({
        enabled: z.boolean().default(false).meta({ description: "Whether auto may end with DuckDuckGo's page." }),
        baseUrl: address.default("https://html.duckduckgo.com"),
      })
      .prefault({}),
  })
  .meta({ description: "Web search." });
