import { isRecord } from "../../../kit/json.ts";
import type { SearchFailure } from "../backend.ts";
import { type SearchWire, type ServiceReply, toBearer, toEntries } from "../wire.ts";

/**
 * Tavily answers the same with a key and in its keyless mode:
 * https://docs.tavily.com/documentation/api-reference/endpoint/search.
 */
export const tavily: SearchWire = {
  ask: (query, { maxResults, key }) => ({
    headers: {
      authorization: toBearer(key),
      "x-tavily-access-mode": key === undefined ? "keyless" : undefined,
      "x-client-source": "duet-mcp",
    },
    json: { query, max_results: maxResults, search_depth: "basic" },
  }),
  entries: ({ results }) =>
    toEntries(results, (item) => ({ title: item.title, url: item.url, text: item.content, date: item.published_date })),
  refusal({ status, body }) {
    const kind = kinds[status];
    return kind && { kind, retryAfterMs: waitIn(body) };
  },
};

// 432 is the limit of the plan, 433 that of pay-as-you-go.
const kinds: Partial<Record<number, SearchFailure>> = { 429: "rate", 432: "quota", 433: "quota" };

/** The keyless mode states in its body how long its limit lasts. */
function waitIn(body: ServiceReply["body"]): number | undefined {
  const seconds = isRecord(body) && isRecord(body.error) ? body.error.retry_after_seconds : undefined;
  return typeof seconds === "number" && seconds > 0 ? seconds * 1000 : undefined;
}
