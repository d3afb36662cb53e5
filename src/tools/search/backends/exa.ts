import { joinPieces, type SearchEntry, type SearchWire, toEntries } from "../wire.ts";
import { createMcpCall, decodeMcp, findMcpRefusal, getText } from "./mcp-call.ts";

/** Uses Exa's API with a key: https://docs.exa.ai/reference/search. */
export const exa: SearchWire = {
  ask: (query, { maxResults, key }) => ({
    headers: { "x-api-key": key },
    json: { query, type: "auto", numResults: maxResults, contents: { highlights: { maxCharacters: 2000 } } },
  }),
  entries: ({ results }) =>
    toEntries(results, ({ title, url, highlights, summary, text, publishedDate }) => ({
      title,
      url,
      text: joinPieces(highlights) || joinPieces(summary) || text,
      date: publishedDate,
    })),
};

/** Uses Exa's hosted MCP server, which needs no account. Its results are one text made for models. */
export const exaMcp: SearchWire = {
  // Older versions know no `objective`, newer ones want it.
  ask: (query, { maxResults, key }) =>
    createMcpCall("web_search_exa", { query, objective: query, numResults: maxResults }, key),
  decode: decodeMcp,
  entries(result) {
    const text = getText(result);
    if (/^No (?:search )?results found/i.test(text.trim())) return [];
    const entries = text.split(/\n---\n+(?=Title: )/).flatMap(readBlock);
    return entries.length > 0 ? entries : undefined;
  },
  refusal: findMcpRefusal,
};

/** Reads `Title:`, `URL:`, `Published:` and `Author:`, each on a line, and then `Highlights:` or `Text:` with the page's text. */
function readBlock(block: string): SearchEntry[] {
  const [head = "", ...rest] = block.split(/^(?:Highlights|Text|Summary):/m);
  const readField = (name: string): string | undefined => {
    const value = new RegExp(`^${name}: *(.*)$`, "m").exec(head)?.[1]?.trim();
    return value === "N/A" ? undefined : value;
  };
  const url = readField("URL");
  return url === undefined
    ? []
    : [{ title: readField("Title"), url, text: rest.join(" "), date: readField("Published") }];
}
