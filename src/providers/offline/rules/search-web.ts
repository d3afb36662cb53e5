import type { JsonObject } from "../../../kit/json.ts";
import type { Locale, Text } from "../../../kit/locale.ts";
import { formatCount } from "../../../kit/text/format-count.ts";
import { findSources, quoteLine, renderResult } from "../result-text.ts";
import { removeQuotes, removeTail } from "../text-patterns.ts";
import { isFileRequest } from "./file-request.ts";
import { getTextArgument, type Rule } from "./rule.ts";

const tools = ["web_search", "brave_web_search", "tavily_search", "web_search_exa"];

/** Searches the web when asked to search, or for news. */
export const searchWeb: Rule = {
  tools,
  example: { zh: "联网搜索 Node.js 24 的新特性", en: "search the web for Node.js 24" },
  read: (request) =>
    isFileRequest(request) ? undefined : readQuery(request, [...searches, ...plainSearches, ...news]),
  purpose: describePurpose,
  renderResult: renderSources,
};

/** Searches the web for what is only to be looked up; asked last, so that it takes nothing from another rule. */
export const lookUp: Rule = {
  ...searchWeb,
  read: (request) => (isFileRequest(request) ? undefined : readQuery(request, lookUps)),
};

/** Reads "search x", which does not say where to search. Returns undefined when the request names the web or files. */
export function readPlainSearch(request: string): { arguments: { query: string } } | undefined {
  if (isFileRequest(request) || readQuery(request, [...searches, ...news]) !== undefined) return undefined;
  return readQuery(request, plainSearches);
}

const searches = [
  /^(?:联网|上网|(?:在|去|到|从)?(?:网上|互联网上?|网络上?|在线))\s*(?:搜索|搜|查找|查询|查|检索|找)(?:一下|一搜|一查)?\s*[:：]?\s*(\S.*)$/s,
  /^(?:搜索|搜一下|搜)(?:一下)?(?:互联网|网络|网页|网上)上?(?:的|关于)?\s*[:：]?\s*(\S.*)$/s,
  /^(?:百度|谷歌|必应)(?:一下|搜索|上?搜)\s*[:：]?\s*(\S.*)$/s,
  /^(?:search|look)\s+(?:(?:on |in )?(?:the )?(?:web|internet|net|google)|online)(?:\s+for|\s+about)?\s*:?\s+(\S.*)$/is,
  /^(?:web ?search|google|bing)(?:\s+for)?\s*:?\s+(\S.*)$/is,
  /^(?:search|look up|find)(?:\s+for)?\s+(\S.*?)\s+(?:online|(?:on|in) the (?:web|internet|net))$/is,
];

/** News are on the web. */
const news = [
  /^(.{0,100}?最新的?.{0,30}?(?:消息|新闻|动态|进展)).*$/s,
  /^((?:今天|今日|最近)的?(?:有什么|有哪些)?.{0,20}?新闻).*$/s,
  /^(?:what(?:'s| is| are)\s+)?(?:the\s+)?((?:latest|recent)\s+(?:news|updates?|developments?)\s+\S.*)$/is,
  /^(news (?:about|on)\s+\S.*)$/is,
];

/** Says neither web nor files. */
const plainSearches = [
  /^(?:搜索|搜一下|搜一搜|搜搜|搜)(?:一下)?(?:的|关于)?\s*[:：]?\s*(\S.*)$/s,
  /^search(?:\s+for|\s+about)?\s*:?\s+(\S.*)$/is,
];

const lookUps = [
  /^(?:查一下|查一查|查查|查询|查找|查|了解一下|检索)\s*[:：]?\s*(\S.*)$/s,
  /^(?:look up|find out(?: about)?)\s*:?\s+(\S.*)$/is,
];

function readQuery(request: string, patterns: readonly RegExp[]): { arguments: { query: string } } | undefined {
  const text = removeTail(request);
  for (const pattern of patterns) {
    const query = removeQuotes(removeTail(pattern.exec(text)?.[1] ?? ""));
    if (query !== "") return { arguments: { query } };
  }
  return undefined;
}

function describePurpose(args: JsonObject): Text {
  const query = getTextArgument(args, "query");
  return { zh: `联网搜索“${query}”`, en: `search the web for "${query}"` };
}

/** Renders one line for each page, with the number by which it is cited. */
export function renderSources(result: string, args: JsonObject, locale: Locale): string {
  const query = getTextArgument(args, "query");
  const sources = findSources(result);
  if (sources.length > 0) {
    const lead =
      locale === "zh"
        ? `关于“${query}”找到 ${sources.length} 条结果：`
        : `${formatCount(sources.length, "result")} for "${query}":`;
    const lines = sources.map(({ n, title, url, snippet }) => {
      const said = snippet === "" ? "" : `${locale === "zh" ? "：" : ": "}${quoteLine(snippet)}`;
      return `- ${title || url}${said} [${n}]`;
    });
    return `${lead}\n\n${lines.join("\n")}`;
  }
  if (result === "") return locale === "zh" ? `没有找到关于“${query}”的结果。` : `Nothing was found for "${query}".`;
  return renderResult(result);
}
