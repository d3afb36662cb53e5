import { renderNumberedSources } from "../../core/sources.ts";
import { toInvalidArgumentsResult, toValueProblem } from "../../core/tools/argument-feedback.ts";
import { createFailure, type Source, type Tool, type ToolContext, type ToolResult } from "../../core/tools/tool.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { joinSentences } from "../../render/event-lines.ts";
import { createBuiltinTool, createSuccess } from "../create-tool.ts";
import { type SearchBackend, SearchError, type SearchFailure } from "./backend.ts";
import { chooseBackends } from "./choose-backends.ts";
import type { SearchOptions } from "./search-backends.ts";
import { cutQuery } from "./wire.ts";

export type { SearchOptions };

/** Returns true when a backend is available. `auto` may have neither a key nor permission to search without one. */
export function canSearch(options: SearchOptions): boolean {
  return chooseBackends(options).length > 0;
}

/**
 * Creates `web_search` as defined in docs/development/web-search.md, with its wording. Throws a `DuetError` for options that
 * cannot work.
 */
export function createWebSearch(options: SearchOptions, locale: Locale, now: () => number = Date.now): Tool {
  const chain = createChain(chooseBackends(options), now);
  const announced = new Set<SearchBackend>();
  return createBuiltinTool({
    name: "web_search",
    description: say(locale, {
      zh: "搜索互联网获取实时信息。当需要了解最新事件、实时数据、当前新闻或验证信息时使用此工具。",
      en: "Searches the internet for up-to-date information. Use this tool to learn about recent events, live data or current news, or to verify information.",
    }),
    inputSchema: {
      type: "object",
      properties: {
        query: {
          type: "string",
          minLength: 1,
          description: say(locale, {
            zh: "搜索查询关键词,应该具体、清晰、针对性强",
            en: "The search keywords: specific, clear and to the point",
          }),
          examples: [say(locale, { zh: "2026年11月 北京 房价 走势", en: "Beijing house prices trend November 2026" })],
        },
      },
      required: ["query"],
      additionalProperties: false,
    },
    annotations: { title: say(locale, { zh: "网络搜索", en: "Web search" }) },
    async run(args, context) {
      const query = cutQuery(String(args.query), {});
      if (query === "")
        return toInvalidArgumentsResult(context.locale, [
          toValueProblem("query", args.query, "不能为空", "must not be empty"),
        ]);
      return answer(chain, query, { ...options, announced }, context);
    },
  });
}

async function answer(
  chain: SearchChain,
  query: string,
  options: { maxResults: number; snippetLength: number; announced: Set<SearchBackend> },
  context: ToolContext,
): Promise<ToolResult> {
  const { signal, locale } = context;
  const { maxResults, snippetLength, announced } = options;
  try {
    const found = await chain.search(query, {
      maxResults,
      signal,
      onQuery(backend) {
        if (!backend.thirdParty || announced.has(backend)) return;
        announced.add(backend);
        context.notice("search-third-party", describeThirdParty(backend));
      },
      onFallback: (...change) => context.notice("search-fallback", describeFallback(...change)),
    });
    const sources = found.map((source) => shorten(source, snippetLength));
    if (sources.length > 0) return { ok: true, text: renderNumberedSources(sources), sources };
    return {
      ...createSuccess(
        say(locale, { zh: `没有找到与"${query}"相关的结果。`, en: `No results were found for "${query}".` }),
      ),
      sources,
    };
  } catch (thrown) {
    if (!(thrown instanceof ChainError)) throw thrown;
    return toFailedSearchResult(thrown.failures, locale);
  }
}

function shorten(source: Source, snippetLength: number): Source {
  return { title: truncate(source.title, 150), url: source.url, snippet: truncate(source.snippet, snippetLength) };
}

export function describeThirdParty({ party, host }: SearchBackend): Text {
  return {
    zh: `搜索词会发送给第三方 ${party}（${host}，免密钥模式）。用 --no-search 可关闭搜索。`,
    en: `Search queries are sent to a third party, ${party} (${host}, keyless mode). Turn search off with --no-search.`,
  };
}

export function describeFallback(backend: SearchBackend, { reason }: SearchError, next: SearchBackend): Text {
  const [from, to] = [describeBackend(backend), describeBackend(next)];
  return {
    zh: `${from.zh} 搜索失败，改用 ${to.zh}：${reason.zh}`,
    en: `The search with ${from.en} failed; using ${to.en} instead: ${reason.en}`,
  };
}

/** Reports each backend's error and the advice, for the model and the reader. */
export function toFailedSearchResult(failures: readonly Failure[], locale: Locale): ToolResult {
  const hints = new Set(failures.flatMap(({ error: { hint } }) => (hint ? [say(locale, hint)] : [])));
  const text = [...hints].reduce(
    (sentences, hint) => joinSentences(sentences, hint),
    say(locale, describeReasons(failures)),
  );
  return createFailure(failures[0]?.error.code ?? "tool", text);
}

function describeReasons(failures: readonly Failure[]): Text {
  const [first, second] = failures;
  if (first && !second) return first.error.text;
  const zh = failures.map(({ backend, error }) => `${describeBackend(backend).zh}：${error.reason.zh}`).join("；");
  const en = failures.map(({ backend, error }) => `${describeBackend(backend).en}: ${error.reason.en}`).join("; ");
  return {
    zh: `所有搜索服务都失败了（不代表没有结果）。${zh}`,
    en: `All search services failed; this does not mean that there are no results. ${en}`,
  };
}

/** A service that is used with a key and without one is two backends. */
function describeBackend({ party, thirdParty }: SearchBackend): Text {
  return thirdParty ? { zh: `${party}（免密钥）`, en: `${party} (keyless)` } : { zh: party, en: party };
}

/** Backends of which one that fails gives way to the next, and is left alone for a while. */
interface SearchChain {
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
class ChainError extends Error {
  readonly failures: readonly Failure[];

  constructor(failures: readonly Failure[]) {
    super(failures.map(({ error }) => error.message).join("; "));
    this.failures = failures;
  }
}

interface Failure {
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
