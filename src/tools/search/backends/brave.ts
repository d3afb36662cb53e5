import { getOwnValue, isRecord, toText } from "../../../kit/json.ts";
import { cutQuery, type SearchRefusal, type SearchWire, type ServiceReply, toEntries } from "../wire.ts";

/** The API is documented at https://api-dashboard.search.brave.com/app/documentation/web-search/get-started. */
export const brave: SearchWire = {
  ask: (query, { maxResults, key }) => ({
    headers: { "x-subscription-token": key },
    // More than 50 words are refused.
    search: { q: cutQuery(query, { words: 50 }), count: `${maxResults}`, text_decorations: "false" },
  }),
  entries({ type, web }) {
    // Where nothing was found, `web` is missing.
    if (web === undefined) return type === "search" ? [] : undefined;
    return toEntries(isRecord(web) ? web.results : undefined, ({ title, url, description, page_age }) => ({
      title: toPlainText(title),
      url,
      text: toPlainText(description),
      date: page_age,
    }));
  },
  refusal({ status, code, headers }) {
    if (status === 429 && code !== "QUOTA_LIMITED") return { kind: "rate", retryAfterMs: waitIn(headers) };
    return getOwnValue(kinds, code);
  },
};

// A bad key is a 422, a key without a plan a 404.
const kinds: Record<string, SearchRefusal> = {
  SUBSCRIPTION_TOKEN_INVALID: { kind: "auth" },
  SUBSCRIPTION_NOT_FOUND: { kind: "auth" },
  QUOTA_LIMITED: { kind: "quota" },
};

/**
 * Reads the wait from `X-RateLimit-Remaining: 0, 1500` and `X-RateLimit-Reset: 1, 9000`. The values apply per second and per
 * month, and the resets are in seconds.
 */
function waitIn(headers: ServiceReply["headers"]): number | undefined {
  const list = (name: string): number[] => (headers[name] ?? "").split(",").map(Number);
  const resets = list("x-ratelimit-reset");
  const waits = list("x-ratelimit-remaining").map((left, window) => (left === 0 ? (resets[window] ?? 0) : 0));
  const seconds = Math.max(...waits);
  return seconds > 0 ? seconds * 1000 : undefined;
}

/** Brave's texts are HTML, with highlighted search terms and escaped characters. */
function toPlainText(html: unknown): string {
  return toText(html)
    .replace(/<\/?(?:strong|b|em)>/g, "")
    .replace(/&(?:(amp|lt|gt|quot|nbsp)|#(\d{1,7}|x[\da-f]{1,6}));/gi, (whole, name: string, number: string) =>
      name ? (characters[name.toLowerCase()] ?? whole) : decodeCharacter(number, whole),
    );
}

const characters: Partial<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " " };

function decodeCharacter(number: string, whole: string): string {
  const code = Number(number.replace(/^x/i, "0x"));
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}
