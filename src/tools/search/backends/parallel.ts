import { isRecord, tryParseJson } from "../../../kit/json.ts";
import { joinPieces, type SearchEntry, type SearchWire, toEntries } from "../wire.ts";
import { createMcpCall, decodeMcp, findMcpRefusal, getText } from "./mcp-call.ts";

/** Uses Parallel's hosted MCP server. A key raises its limits: https://docs.parallel.ai/integrations/mcp/search-mcp. */
export const parallel: SearchWire = {
  ask: (query, { key }) => createMcpCall("web_search", { objective: query, search_queries: [query] }, key),
  decode: decodeMcp,
  // What is structured stands in the text too.
  entries: (result) => readEntries(result.structuredContent) ?? readEntries(tryParseJson(getText(result))),
  refusal: findMcpRefusal,
};

function readEntries(content: unknown): SearchEntry[] | undefined {
  if (!isRecord(content)) return undefined;
  return toEntries(content.results, ({ title, url, excerpts, publish_date }) => ({
    title,
    url,
    text: joinPieces(excerpts),
    date: publish_date,
  }));
}
