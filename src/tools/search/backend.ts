import { DuetError, type ErrorCode } from "../../core/errors.ts";
import type { Source } from "../../core/tool.ts";

/** One search engine. Finding nothing is an empty list; everything that keeps it from finding is a `DuetError`. */
export interface SearchBackend {
  /** Who gets the query, as people know them. */
  readonly party: string;
  /** Set when the query goes to somebody with whom the user has no account: then the first use says so. */
  readonly thirdParty: boolean;
  readonly host: string;
  search(query: string, request: SearchRequest): Promise<Source[]>;
}

export interface SearchRequest {
  maxResults: number;
  signal: AbortSignal;
}

/** Why a search gave no answer; "blocked" is a service that is there and will not or cannot search for us. */
export type SearchFailure = "auth" | "quota" | "rate" | "blocked" | "network" | "timeout" | "bad-response" | "settings";

const codes: Record<SearchFailure, ErrorCode> = {
  auth: "auth",
  quota: "quota",
  rate: "rate_limit",
  blocked: "overloaded",
  network: "network",
  timeout: "timeout",
  "bad-response": "bad_response",
  settings: "config",
};

export interface SearchErrorDetails {
  zh: string;
  en: string;
  hint?: { zh: string; en: string };
  retryAfterMs?: number;
  cause?: unknown;
}

export function searchError(party: string, kind: SearchFailure, details: SearchErrorDetails): DuetError {
  return new DuetError({
    code: codes[kind],
    text: { zh: `${party} 搜索失败：${details.zh}`, en: `The search with ${party} failed: ${details.en}` },
    hint: details.hint,
    retryable: kind === "rate" || kind === "blocked" || kind === "network" || kind === "timeout",
    retryAfterMs: details.retryAfterMs,
    cause: details.cause,
  });
}

/** The address of `search` under a base URL; throws a `DuetError` that names the setting. */
export function searchAddress(base: string, setting: string): URL {
  const url = URL.parse("search", base.replace(/\/*$/, "/"));
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  const zh = `${setting} 不是 http(s) 地址："${base}"`;
  throw new DuetError({ code: "config", text: { zh, en: `${setting} is not an http(s) address: "${base}"` } });
}
