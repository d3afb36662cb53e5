import { getOwnValue, isRecord } from "../../../kit/json.ts";
import { type SearchRefusal, type SearchWire, toBearer, toEntries } from "../wire.ts";

/** Bocha 博查 returns results in Bing's format: https://open.bochaai.com. */
export const bocha: SearchWire = {
  ask: (query, { maxResults, key }) => ({
    headers: { authorization: toBearer(key) },
    json: { query, freshness: "noLimit", summary: false, count: maxResults },
  }),
  entries({ code, data }) {
    if (`${code}` !== "200" || !isRecord(data)) return undefined;
    const list = isRecord(data.webPages) ? data.webPages.value : data.webPages;
    // The days are those of Beijing, whatever zone is written after them.
    return toEntries(list ?? [], (item) => ({
      title: item.name,
      url: item.url,
      text: item.snippet,
      date: item.datePublished ?? item.dateLastCrawled,
    }));
  },
  // The body's code counts, also in a 200.
  refusal: ({ code }) => getOwnValue(kinds, code),
};

// 403 is an empty account.
const kinds: Record<string, SearchRefusal> = {
  401: { kind: "auth" },
  402: { kind: "quota" },
  403: { kind: "quota" },
  429: { kind: "rate" },
  500: { kind: "blocked" },
};
