import type { Source } from "../../core/tools/tool.ts";
import { DuetError, type ErrorCode } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";

/** Represents one search engine. Finding nothing gives an empty list; every failure is a `SearchError`. */
export interface SearchBackend {
  /** Is the public name of the service that gets the query. */
  readonly party: string;
  readonly host: string;
  /** Is true when the search uses an account. */
  readonly hasKey: boolean;
  /** Is true when the query goes to a service with which the user has no account. The first use then says so. */
  readonly thirdParty: boolean;
  /** Rejects with the signal's reason when the caller gave up. */
  search(query: string, request: SearchRequest): Promise<Source[]>;
}

export interface SearchRequest {
  maxResults: number;
  /** Limits the time from the connection to the last byte, in milliseconds. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** Classifies a failed search. "blocked" means that the service is reachable but refuses or cannot search for us. */
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
  /** Does not include the service's name. */
  reason: Text;
  hint?: Text | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

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
