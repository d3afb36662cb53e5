import { isRecord } from "../../../kit/json.ts";
import { entriesOf, joined, parseJson, type SearchEntry, type SearchWire } from "../wire.ts";
import { decodeMcp, mcpCall, mcpRefusal, textIn } from "./mcp-call.ts";

/** Parallel's hosted MCP server; a key lifts its limits: https://docs.parallel.ai/integrations/mcp/search-mcp. */
export const parallel: SearchWire = {
  ask: (query, { key }) => mcpCall("web_search", { objective: query, search_queries: [query] }, key),
  decode: decodeMcp,
  // What is structured stands in the text too.
  entries: (result) => entriesIn(result.structuredContent) ?? entriesIn(parseJson(textIn(result))),
  refusal: mcpRefusal,
};

function entriesIn(content: unknown): SearchEntry[] | undefined {
  if (!isRecord(content)) return undefined;
  return entriesOf(content.results, ({ title, url, excerpts, publish_date }) => ({
    title,
    url,
    text: joined(excerpts),
    date: publish_date,
  }));
}
