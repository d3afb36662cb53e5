import { isRecord } from "../../core/json.ts";
import { printableLine } from "../../core/printable.ts";
import { type SearchBackend, type SearchFailure, searchAddress, searchError } from "./backend.ts";
import type { JsonResponse } from "./request-json.ts";
import { toSources } from "./sources.ts";

export interface TavilySettings {
  /** Absent: Tavily's keyless mode (https://docs.tavily.com/documentation/keyless). */
  apiKey?: string;
  baseUrl: string;
}

const party = "Tavily";

export function createTavily(settings: TavilySettings): SearchBackend {
  const url = searchAddress(settings.baseUrl, "TAVILY_BASE_URL");
  const access: Record<string, string> =
    settings.apiKey === undefined
      ? { "x-tavily-access-mode": "keyless" }
      : { authorization: `Bearer ${settings.apiKey}` };
  return {
    party,
    thirdParty: settings.apiKey === undefined,
    host: url.host,
    async search(query, { maxResults, signal }) {
      const { requestJson } = await import("./request-json.ts");
      const response = await requestJson({
        party,
        url,
        method: "POST",
        headers: { ...access, "x-client-source": "duet-mcp" },
        body: { query, max_results: maxResults, search_depth: "basic" },
        signal,
      });
      return readTavily(response, maxResults);
    },
  };
}

/** Throws a `DuetError` for every answer that is not a list of results. */
export function readTavily(response: JsonResponse, maxResults: number) {
  const { status, body } = response;
  if (status >= 200 && status < 300 && isRecord(body) && Array.isArray(body.results))
    return toSources(body.results, maxResults);
  const said = reasonOf(body);
  const reason = said.message === "" ? `HTTP ${status}` : `${said.message} (HTTP ${status})`;
  throw searchError(party, kindOf(status), {
    zh: reason,
    en: reason,
    hint: hints[kindOf(status)],
    retryAfterMs: said.retryAfterMs ?? response.retryAfterMs,
  });
}

// 432 is the limit of the plan, 433 that of pay-as-you-go.
function kindOf(status: number): SearchFailure {
  if (status === 401 || status === 403) return "auth";
  if (status === 402 || status === 432 || status === 433) return "quota";
  if (status === 429) return "rate";
  return status >= 500 ? "blocked" : "bad-response";
}

const key = "TAVILY_API_KEY";
const hints: Partial<Record<SearchFailure, { zh: string; en: string }>> = {
  auth: { zh: `检查 ${key}`, en: `Check ${key}.` },
  quota: {
    zh: `额度已用完：换一个 ${key}，或设置 SEARXNG_URL`,
    en: `The plan is used up: set another ${key}, or SEARXNG_URL.`,
  },
  rate: { zh: `稍后再试，或设置 ${key}、SEARXNG_URL`, en: `Try again later, or set ${key} or SEARXNG_URL.` },
};

/** Keyed errors say `{detail: {error}}`, keyless ones `{error: {message, retry_after_seconds}}`. */
function reasonOf(body: unknown): { message: string; retryAfterMs?: number } {
  if (!isRecord(body)) return { message: "" };
  const { detail, error } = body;
  if (isRecord(error)) {
    const seconds = error.retry_after_seconds;
    return {
      message: shown(error.message),
      retryAfterMs: typeof seconds === "number" && seconds > 0 ? seconds * 1000 : undefined,
    };
  }
  return { message: shown(isRecord(detail) ? detail.error : (detail ?? error)) };
}

function shown(value: unknown): string {
  return typeof value === "string" ? printableLine(value.slice(0, 300)) : "";
}
