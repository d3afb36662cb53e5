import { cutText } from "../../core/cut-text.ts";
import { DuetError } from "../../core/errors.ts";
import { type Locale, say } from "../../core/locale.ts";
import { numberedSources } from "../../core/sources.ts";
import { failure, type Source, type Tool, type ToolContext, type ToolResult } from "../../core/tool.ts";
import { defineTool, success } from "../define.ts";
import { invalidArguments, valueProblem } from "../feedback.ts";
import type { SearchBackend } from "./backend.ts";
import { createSearxng } from "./searxng.ts";
import { createTavily, type TavilySettings } from "./tavily.ts";

export interface SearchOptions {
  /** `auto` is the first that is set up: Tavily with a key, SearXNG, else Tavily's keyless mode. */
  backend: "auto" | "tavily" | "exa" | "parallel" | "brave" | "serper" | "bocha" | "zhipu" | "searxng" | "duckduckgo";
  maxResults: number;
  /** Characters of one snippet. */
  snippetLength: number;
  tavily: TavilySettings;
  searxng?: { url: string };
}

/** `web_search` of web-search.md; its words are that spec's. Throws a `DuetError` for options that cannot work. */
export function createWebSearch(options: SearchOptions, locale: Locale): Tool {
  const backend = chooseBackend(options);
  let announced = false;
  return defineTool({
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
    annotations: { title: say(locale, { zh: "网络搜索", en: "Web search" }), readOnly: true, openWorld: true },
    async run(args, context) {
      const query = cutQuery(String(args.query));
      if (query === "")
        return invalidArguments(context.locale, [valueProblem("query", args.query, "不能为空", "must not be empty")]);
      if (backend.thirdParty && !announced) {
        announced = true;
        announce(backend, context);
      }
      return answer(backend, query, options, context);
    },
  });
}

/** The backend that the options mean. Throws a `DuetError` where it is not set up. */
export function chooseBackend(options: Pick<SearchOptions, "backend" | "tavily" | "searxng">): SearchBackend {
  const { backend, tavily, searxng } = options;
  const wanted = backend === "auto" && tavily.apiKey === undefined && searxng !== undefined ? "searxng" : backend;
  if (wanted !== "searxng") return createTavily(tavily);
  if (searxng !== undefined) return createSearxng(searxng);
  const text = {
    zh: "search.backend 是 searxng，但没有设置 SEARXNG_URL",
    en: "search.backend is searxng, but SEARXNG_URL is not set.",
  };
  throw new DuetError({ code: "config", text });
}

// Tavily refuses queries of more than 400 characters.
function cutQuery(query: string): string {
  const line = query.trim().replace(/\s+/g, " ");
  return line.length <= 400 ? line : cutText(line, 400).slice(0, -1);
}

function announce(backend: SearchBackend, context: ToolContext): void {
  const { party, host } = backend;
  const text = {
    zh: `搜索词会发送给第三方 ${party}（${host}，免密钥模式）。用 --no-search 可关闭搜索。`,
    en: `Search queries are sent to a third party, ${party} (${host}, keyless mode). Turn search off with --no-search.`,
  };
  context.notice("search-third-party", say(context.locale, text));
}

async function answer(
  backend: SearchBackend,
  query: string,
  options: SearchOptions,
  context: ToolContext,
): Promise<ToolResult> {
  const { signal, locale } = context;
  try {
    const found = await backend.search(query, { maxResults: options.maxResults, signal });
    const sources = found.map((source) => shorten(source, options.snippetLength));
    if (sources.length > 0) return { ok: true, text: numberedSources(sources), sources };
    return {
      ...success(say(locale, { zh: `没有找到与"${query}"相关的结果。`, en: `No results were found for "${query}".` })),
      sources,
    };
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof DuetError)) throw thrown;
    const parts = thrown.hint === undefined ? [thrown.text] : [thrown.text, thrown.hint];
    return failure(thrown.code, parts.map((part) => say(locale, part)).join(locale === "zh" ? "。" : ". "));
  }
}

function shorten(source: Source, snippetLength: number): Source {
  return { title: cutText(source.title, 150), url: source.url, snippet: cutText(source.snippet, snippetLength) };
}
