import { renderNumberedSources } from "../../core/sources.ts";
import { toInvalidArgumentsResult, toValueProblem } from "../../core/tools/argument-feedback.ts";
import { createFailure, type Source, type Tool, type ToolContext, type ToolResult } from "../../core/tools/tool.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { joinSentences } from "../../render/event-lines.ts";
import { createBuiltinTool, createSuccess } from "../create-tool.ts";
import type { SearchBackend, SearchError } from "./backend.ts";
import { chooseBackends } from "./choose-backends.ts";
import type { SearchOptions } from "./search-backends.ts";
import { ChainError, createChain, type Failure, type SearchChain } from "./search-chain.ts";
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
        context.notice("search-third-party", say(locale, describeThirdParty(backend)));
      },
      onFallback: (...change) => context.notice("search-fallback", say(locale, describeFallback(...change))),
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
