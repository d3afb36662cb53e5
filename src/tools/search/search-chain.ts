import type { Source } from "../../core/tools/tool.ts";
import { type SearchBackend, SearchError, type SearchFailure } from "./backend.ts";

/** Backends of which one that fails gives way to the next, and is left alone for a while. */
export interface SearchChain {
  /**
   * Returns the results of the first backend that can answer. Throws a `ChainError` when none could, or the signal's reason as
   * soon as the caller gives up.
   */
  search(query: string, request: ChainRequest): Promise<Source[]>;
}

export interface ChainRequest {
  maxResults: number;
  signal: AbortSignal;
  /** Runs before a backend gets the query. */
  onQuery(backend: SearchBackend): void;
  /** Runs when a backend fails that worked before. */
  onFallback(backend: SearchBackend, error: SearchError, next: SearchBackend): void;
}

/** Holds the last error of each backend that was tried or is paused. */
export class ChainError extends Error {
  readonly failures: readonly Failure[];

  constructor(failures: readonly Failure[]) {
    super(failures.map(({ error }) => error.message).join("; "));
    this.failures = failures;
  }
}

export interface Failure {
  backend: SearchBackend;
  error: SearchError;
}

interface Member {
  backend: SearchBackend;
  /** Holds why the backend is paused and until when, in milliseconds since 1970. */
  pause: { error: SearchError; until: number } | undefined;
}

// In milliseconds. All that are asked together stay within the tool's own limit.
const aloneMs = 15_000;
const oneOfSeveralMs = 8_000;
const allMs = 22_000;
const shortestMs = 500;
const usualPauseMs = 60_000;
const longestPauseMs = 600_000;

export function createChain(backends: readonly SearchBackend[], now: () => number): SearchChain {
  const members = backends.map((backend): Member => ({ backend, pause: undefined }));
  const longestMs = backends.length > 1 ? oneOfSeveralMs : aloneMs;
  return {
    async search(query, { maxResults, signal, onQuery, onFallback }) {
      const deadline = performance.now() + allMs;
      const asked = listReady(members, now());
      for (const [index, member] of asked.entries()) {
        const timeoutMs = Math.min(longestMs, deadline - performance.now());
        if (timeoutMs < shortestMs) break;
        const { backend } = member;
        onQuery(backend);
        try {
          const sources = await backend.search(query, { maxResults, timeoutMs, signal });
          member.pause = undefined;
          return sources;
        } catch (thrown) {
          signal.throwIfAborted();
          if (!(thrown instanceof SearchError)) throw thrown;
          const wasInOrder = !isPaused(member, now());
          member.pause = { error: thrown, until: now() + getPauseMs(thrown) };
          const next = deadline - performance.now() < shortestMs ? undefined : asked[index + 1];
          if (wasInOrder && next) onFallback(backend, thrown, next.backend);
        }
      }
      throw new ChainError(members.flatMap(({ backend, pause }) => (pause ? [{ backend, error: pause.error }] : [])));
    },
  };
}

/** Returns the backends that are not paused. When all are, it returns the one whose pause ends first. */
function listReady(members: readonly Member[], now: number): Member[] {
  const ready = members.filter((member) => !isPaused(member, now));
  if (ready.length > 0) return ready;
  const getReadyAt = ({ pause }: Member): number => pause?.until ?? now;
  const first = Math.min(...members.map(getReadyAt));
  return members.filter((member) => getReadyAt(member) === first).slice(0, 1);
}

function isPaused({ pause }: Member, now: number): boolean {
  return pause !== undefined && pause.until > now;
}

/** A failure that a person has to fix is kept; the others pass. */
function getPauseMs({ kind, retryAfterMs = usualPauseMs }: SearchError): number {
  if (lasting.has(kind)) return Number.POSITIVE_INFINITY;
  return kind === "rate" ? Math.min(retryAfterMs, longestPauseMs) : usualPauseMs;
}

const lasting: ReadonlySet<SearchFailure> = new Set(["auth", "quota", "settings"]);
