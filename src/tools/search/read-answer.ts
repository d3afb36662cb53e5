import type { Source } from "../../core/tools/tool.ts";
import { isRecord, toText, tryParseJson } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { readRetryAfterHeader } from "../../kit/net/retry-after.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { SearchError, type SearchFailure } from "./backend.ts";
import type { SearchAnswer, SearchEntry, SearchWire, ServiceReply } from "./wire.ts";

export interface AnsweringService {
  party: string;
  /** Names the environment variable that holds the key, for the advice in errors. It is absent when the service takes no key. */
  keyVariable?: string | undefined;
  /** Is absent when the service is used without an account. The key is never shown, even when the service repeats it. */
  key?: string | undefined;
}

/** Throws a `SearchError` for every answer that is not a list of results: who could not be asked did not find nothing. */
export async function readAnswer(
  wire: SearchWire,
  answerer: AnsweringService,
  answer: SearchAnswer,
  maxResults: number,
): Promise<Source[]> {
  const body = await (wire.decode ?? tryParseJson)(answer.text);
  const entries = answer.status === 200 && isRecord(body) ? wire.entries(body) : undefined;
  if (entries !== undefined) return toSources(entries, maxResults);
  const said: ServiceReply = {
    status: answer.status,
    headers: answer.headers,
    body,
    ...findReason(body, answerer.key),
  };
  const refusal = wire.refusal?.(said);
  const kind = refusal?.kind ?? classifyAnswer(answer, answerer.key);
  throw new SearchError(answerer.party, {
    kind,
    reason: refusal?.reason ?? describeReason(said),
    hint: refusal?.hint ?? getHint(kind, answerer),
    retryAfterMs: refusal?.retryAfterMs ?? (readRetryAfterHeader(answer.headers["retry-after"]) || undefined),
  });
}

/** Classifies the HTTP statuses that mean the same for every service. */
function classifyAnswer({ status, text }: SearchAnswer, key: string | undefined): SearchFailure {
  // A page is what stands before the service: a gateway, a firewall, a challenge.
  if (status === 403 && (key === undefined || /^\s*</.test(text))) return "blocked";
  if (status === 401 || status === 403) return "auth";
  if (status === 402) return "quota";
  if (status === 429) return "rate";
  return status >= 500 ? "blocked" : "bad-response";
}

function describeReason({ status, headers, message }: ServiceReply): Text {
  const type = sanitizeLine(headers["content-type"] ?? "-").slice(0, 80);
  const words = message === "" ? known[status] : { zh: message, en: message };
  if (words) return { zh: `${words.zh}（HTTP ${status}）`, en: `${words.en} (HTTP ${status})` };
  if (status >= 300) return { zh: `HTTP ${status}`, en: `HTTP ${status}` };
  return {
    zh: `响应不是搜索结果（HTTP ${status}，${type}）`,
    en: `the response is not a list of results (HTTP ${status}, ${type})`,
  };
}

const known: Partial<Record<number, Text>> = {
  401: { zh: "需要登录", en: "it asks for a sign-in" },
  429: { zh: "请求过多", en: "too many requests" },
};

/** Errors stand in `error` or `detail`, as an object or a text, or in the body itself. */
function findReason(body: unknown, key: string | undefined): { code: string; message: string } {
  if (!isRecord(body)) return { code: "", message: "" };
  const inner = [body.error, body.detail].find(isRecord) ?? body;
  const words = [inner.message, inner.msg, inner.detail, inner.error].map(toText).find(Boolean) ?? "";
  const message = sanitizeLine((key ? words.replaceAll(key, "***") : words).slice(0, 300));
  const code = typeof inner.code === "string" || typeof inner.code === "number" ? `${inner.code}` : "";
  return { code, message };
}

function getHint(kind: SearchFailure, { keyVariable, key }: AnsweringService): Text | undefined {
  if (keyVariable === undefined) return undefined;
  if (kind === "auth" && key !== undefined) return { zh: `检查 ${keyVariable}`, en: `Check ${keyVariable}.` };
  if (kind === "quota") {
    const zh = `额度已用完：充值，或设置其他搜索服务的密钥，或设置 SEARXNG_URL`;
    return { zh, en: "The plan is used up: top it up, set the key of another search service, or set SEARXNG_URL." };
  }
  if (kind !== "rate" && kind !== "auth") return undefined;
  if (key !== undefined) return { zh: "稍后再试", en: "Try again later." };
  return { zh: `稍后再试，或设置 ${keyVariable}`, en: `Try again later, or set ${keyVariable}.` };
}

/**
 * Returns the entries that can be cited: each page once, and only with a web address. An entry without a title is named by its
 * host. When the date of a page is known, its snippet begins with it.
 */
export function toSources(entries: readonly SearchEntry[], maxResults: number): Source[] {
  const sources = new Map<string, Source>();
  for (const entry of entries) {
    if (sources.size >= maxResults) break;
    const url = toWebAddress(entry.url);
    if (url === undefined || sources.has(url.href)) continue;
    const title = toOneLine(entry.title) || url.host;
    const snippet = [toDate(entry.date), toOneLine(entry.text)].filter(Boolean).join(" · ");
    sources.set(url.href, { title, url: url.href, snippet });
  }
  return [...sources.values()];
}

function toWebAddress(value: unknown): URL | undefined {
  const url = typeof value === "string" ? URL.parse(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** Returns the day as it is written, whatever its time zone. `Jan 2, 2026` and `3 days ago` stay as they are. */
function toDate(value: unknown): string {
  const text = toOneLine(value);
  const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  return day ?? (/\d/.test(text) && text.length <= 20 ? text : "");
}

function toOneLine(value: unknown): string {
  return typeof value === "string" ? sanitizeLine(value.slice(0, 20_000)).replace(/\s+/g, " ") : "";
}
