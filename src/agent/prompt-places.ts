import type { Run } from "./run.ts";

/** What fills a prompt's places in a run: its marker, and nothing about searching and citing where there is no use for it. */
export function placeValues({ marker, tools, conversation }: Run): Record<string, string> {
  const maySearch = tools.has("web_search");
  const mayCite = maySearch || tools.has("read_page") || conversation.sources.size > 0;
  return { marker, ...(maySearch ? {} : { search: "" }), ...(mayCite ? {} : { cite: "" }) };
}
