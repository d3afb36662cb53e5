import type { Source } from "../../core/tools/tool.ts";
import { DuetError, type ErrorCode, type Text } from "../../kit/errors.ts";

/** One search engine. Finding nothing is an empty list; everything that keeps it from finding is a `SearchError`. */
export interface SearchBackend {
  /** Who gets the query, as people know them. */
  readonly party: string;
  readonly host: string;
  /** Asked in the name of an account. */
  readonly hasKey: boolean;
  /** Set when the query goes to somebody with whom the user has no account: then the first use says so. */
  readonly thirdParty: boolean;
  /** Rejects with the signal's reason when the caller gave up. */
  search(query: string, request: SearchRequest): Promise<Source[]>;
}

export interface SearchRequest {
  maxResults: number;
  /** From the connection to the last byte. */
  timeoutMs: number;
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
  kind: SearchFailure;
  /** Without the party's name. */
  reason: Text;
  hint?: Text | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** A search that one backend could not make. */
export class SearchError extends DuetError {
  readonly kind: SearchFailure;
  readonly reason: Text;

  constructor(party: string, { kind, reason, ...more }: SearchErrorDetails) {
    const text = { zh: `${party} 搜索失败：${reason.zh}`, en: `The search with ${party} failed: ${reason.en}` };
    const retryable = kind === "rate" || kind === "blocked" || kind === "network" || kind === "timeout";
    super({ code: codes[kind], text, retryable, ...more });
    this.kind = kind;
    this.reason = reason;
  }
}
