import { isRecord } from "../../../kit/json.ts";
import { type SearchWire, toEntries } from "../wire.ts";

/** Serper returns Google's results: https://serper.dev. */
export const serper: SearchWire = {
  ask: (query, { maxResults, key }) => ({
    headers: { "x-api-key": key },
    json: { q: query, num: maxResults },
  }),
  entries({ organic, searchParameters }) {
    const entries = toEntries(organic, ({ title, link, snippet, date }) => ({ title, url: link, text: snippet, date }));
    return entries ?? (organic === undefined && isRecord(searchParameters) ? [] : undefined);
  },
  // Without credits it answers 400.
  refusal: ({ message }) => (/not enough credits/i.test(message) ? { kind: "quota" } : undefined),
};
