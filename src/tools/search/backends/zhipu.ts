import type { SearchFailure } from "../backend.ts";
import { cutQuery, type SearchWire, toBearer, toEntries } from "../wire.ts";

/** Uses Zhipu 智谱: https://docs.bigmodel.cn/cn/guide/tools/web-search. Entries without a link are not cited. */
export const zhipu: SearchWire = {
  ask: (query, { maxResults, key }) => ({
    headers: { authorization: toBearer(key) },
    // It asks for no more than 70 characters.
    json: { search_query: cutQuery(query, { characters: 70 }), search_engine: "search_std", count: maxResults },
  }),
  entries: ({ search_result }) =>
    toEntries(search_result, ({ title, link, content, publish_date }) => ({
      title,
      url: link,
      text: content,
      date: publish_date,
    })),
  refusal({ status, code }) {
    const kind = classifyCode(Number(code || 0), status);
    return kind && { kind };
  },
};

/** Zhipu's own codes are more precise than the HTTP status: https://docs.bigmodel.cn/cn/faq/api-code. */
function classifyCode(code: number, status: number): SearchFailure | undefined {
  if (code >= 1000 && code <= 1112) return "auth";
  if (code === 1113 || code === 1304 || code === 1308 || code === 1309 || code === 1310) return "quota";
  if (code === 1302 || code === 1303 || code === 1305 || code === 1312 || code === 1313) return "rate";
  if (code === 1121 || code === 1300 || code === 1301) return "blocked";
  return status === 434 ? "auth" : undefined;
}
