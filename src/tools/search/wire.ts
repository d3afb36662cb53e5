import type { Text } from "../../kit/errors.ts";
import { isRecord, toText } from "../../kit/json.ts";
import { truncate } from "../../kit/text/sanitize.ts";
import type { SearchFailure } from "./backend.ts";

/** How one search service is asked and how its answers read: functions without a network. */
export interface SearchWire {
  ask(query: string, options: AskOptions): SearchCall;
  /** The body as a value, undefined where it is not what the service writes; JSON when absent. */
  decode?(text: string): unknown;
  /** The results in a body; undefined where it holds no list of them, not even an empty one. */
  entries(body: Record<string, unknown>): SearchEntry[] | undefined;
  /** What an answer without a list of results means, where its HTTP status does not say. */
  refusal?(said: ServiceReply): SearchRefusal | undefined;
}

export interface AskOptions {
  maxResults: number;
  /** Absent: without an account. */
  key: string | undefined;
}

/** A request: with `search` a GET, else a POST. */
export interface SearchCall {
  /** What is undefined is not sent. */
  headers?: Record<string, string | undefined>;
  /** Added to the address. */
  search?: Record<string, string>;
  json?: unknown;
  form?: Record<string, string>;
  /** Whether the text so far is the whole answer, for one whose connection stays open. */
  isWhole?(text: string): boolean;
}

export interface SearchAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  text: string;
}

/** One result in a service's words; none of it is trusted. */
export interface SearchEntry {
  title: unknown;
  url: unknown;
  text: unknown;
  /** When the page was published, if the service knows. */
  date?: unknown;
}

/** What a service said instead of results. */
export interface ServiceReply {
  status: number;
  headers: Record<string, string>;
  body: unknown;
  /** Its own code and words, empty where it gives none. */
  code: string;
  message: string;
}

export interface SearchRefusal {
  kind: SearchFailure;
  /** In place of the service's own words. */
  reason?: Text;
  hint?: Text;
  /** In place of the `Retry-After` header. */
  retryAfterMs?: number | undefined;
}

/** A query on one line, cut at a word to what a service takes. */
export function cutQuery(query: string, most: { characters?: number; words?: number }): string {
  const { characters = 400, words = Number.POSITIVE_INFINITY } = most;
  const parts = query.trim().split(/\s+/);
  const line = parts.slice(0, words).join(" ");
  return line.length <= characters ? line : truncate(line, characters).slice(0, -1);
}

/** The items of a list that are objects, each as an entry; undefined when it is no list. */
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

/** A text that may not be JSON; undefined then. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Pieces of a page, as one text. */
export function joinPieces(pieces: unknown): string {
  return Array.isArray(pieces) ? pieces.filter((piece) => typeof piece === "string").join(" … ") : toText(pieces);
}
