import { entriesOf, joined, type SearchWire } from "./wire.ts";

/** Exa's API, with a key: https://docs.exa.ai/reference/search. */
export const exa: SearchWire = {
  ask: (query, { maxResults, key }) => ({
    headers: { "x-api-key": key },
    json: { query, type: "auto", numResults: maxResults, contents: { highlights: { maxCharacters: 2000 } } },
  }),
  entries: ({ results }) =>
    entriesOf(results, ({ title, url, highlights, summary, text, publishedDate }) => ({
      title,
      url,
      text: joined(highlights) || joined(summary) || text,
      date: publishedDate,
    })),
};
