import { isRecord, toText } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { truncate } from "../../kit/text/truncate.ts";
import type { SearchFailure } from "./backend.ts";

/** Defines how to query one search service and how to read its responses, in functions without network access. */
export interface SearchWire {
  ask(query: string, options: AskOptions): SearchCall;
  /**
   * Decodes the body, or returns undefined when it is not in the service's format. The body is read as JSON when this is absent.
   */
  decode?(text: string): unknown;
  /** Returns the results in a body, or undefined when it has no list of them, not even an empty one. */
  entries(body: Record<string, unknown>): SearchEntry[] | undefined;
  /** Interprets a response without a list of results when its HTTP status is not conclusive. */
  refusal?(said: ServiceReply): SearchRefusal | undefined;
}

export interface AskOptions {
  maxResults: number;
  /** Is undefined when the service is used without an account. */
  key: string | undefined;
}

/** Describes a request, which is a GET when `search` is set, else a POST. */
export interface SearchCall {
  /** Undefined headers are not sent. */
  headers?: Record<string, string | undefined>;
  /** Is added to the URL as its query. */
  search?: Record<string, string>;
  json?: unknown;
  form?: Record<string, string>;
  /** Returns true when the text so far is the complete response, for a service that keeps its connection open. */
  isWhole?(text: string): boolean;
}

export interface SearchAnswer {
  status: number;
  /** Maps names in lower case to values. */
  headers: Record<string, string>;
  text: string;
}

/** Holds one result with the service's own values. None of them is trusted. */
export interface SearchEntry {
  title: unknown;
  url: unknown;
  text: unknown;
  /** Is the publication date of the page, if the service knows it. */
  date?: unknown;
}

/** Holds what a service returned instead of results. */
export interface ServiceReply {
  status: number;
  headers: Record<string, string>;
  body: unknown;
  /** Is the service's own error code. It is empty, as is `message`, when the service gives none. */
  code: string;
  message: string;
}

export interface SearchRefusal {
  kind: SearchFailure;
  /** Replaces the service's own message. */
  reason?: Text;
  hint?: Text;
  /** Replaces the `Retry-After` header. */
  retryAfterMs?: number | undefined;
}

/** Joins a query into one line and cuts it at a word to the service's limit. */
export function cutQuery(query: string, most: { characters?: number; words?: number }): string {
  const { characters = 400, words = Number.POSITIVE_INFINITY } = most;
  const parts = query.trim().split(/\s+/);
  const line = parts.slice(0, words).join(" ");
  return line.length <= characters ? line : truncate(line, characters).slice(0, -1);
}

/** Converts the objects in a list to entries and ignores other items. Returns undefined when the value is not a list. */
export function toEntries(
  list: unknown,
  read: (item: Record<string, unknown>) => SearchEntry,
): SearchEntry[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.flatMap((item: unknown) => (isRecord(item) ? [read(item)] : []));
}

export function toBearer(key: string | undefined): string | undefined {
  return key === undefined ? undefined : `Bearer ${key}`;
}

/** Joins pieces of a page to one text. */
export function joinPieces(pieces: unknown): string {
  return Array.isArray(pieces) ? pieces.filter((piece) => typeof piece === "string").join(" … ") : toText(pieces);
}
