import type { JsonObject } from "../../../kit/json.ts";
import type { Locale } from "../../../kit/locale.ts";
import { calculate } from "../arithmetic/calculate.ts";
import { parseResult, quoteBlock, quoteLine, renderResult } from "../result-text.ts";
import { address, quotes, removeQuotes, removeTail } from "../text-patterns.ts";
import { findHits, findNotes } from "./file-hits.ts";
import { readFileRequest } from "./file-request.ts";
import { getTextArgument, type Rule, type RuleMatch } from "./rule.ts";
import { lookUp, readPlainSearch, searchWeb } from "./search-web.ts";
import { weather, weatherOnWeb } from "./weather.ts";

/** Tells the time and the date, here or in a city. */
export const tellTime: Rule = {
  tools: ["current_time", "get_current_time"],
  example: { zh: "东京现在几点", en: "what time is it in Tokyo" },
  read(request): RuleMatch | undefined {
    const text = removeTail(request);
    const asked = timePatterns.map((pattern) => pattern.exec(text)).find((match) => match !== null);
    if (asked === undefined) return undefined;
    const { place, now } = asked.groups ?? {};
    if (place === undefined || place.trim() === "") return { arguments: {} };
    const timezone = findTimeZone(place.trim());
    if (timezone === "here") return { arguments: {} };
    if (timezone !== undefined) return { arguments: { timezone } };
    // "The meeting's time" is no question for the clock; "the time in Atlantis" is one that it cannot answer.
    return now === undefined ? undefined : { refusal: refusePlace(place.trim()) };
  },
  isPlain: () => true,
  purpose(args) {
    const zone = getTextArgument(args, "timezone");
    if (zone === "") return { zh: "查看现在的时间", en: "read the clock" };
    return { zh: `查看 ${zone} 现在的时间`, en: `read the time in ${zone}` };
  },
  renderResult(result, _args, locale) {
    // The second line of our own clock repeats the first in ISO 8601.
    const [first = "", second = ""] = result.split("\n");
    if (first === "" || parseResult(result) !== undefined || !second.startsWith("ISO 8601"))
      return renderResult(result);
    return locale === "zh" ? `现在是 ${first}。` : `It is ${first}.`;
  },
};

const clock = "几点钟?|什么时间|时间|日期|几号|几月几[号日]|几月|哪[一]?天|星期几|周几|礼拜几|什么日子";
const nowWords = "今天|今日|现在|当前|此刻|目前";
const timePatterns = [
  new RegExp(
    `^(?:告诉我|看看|看一下|查一下|查询)?(?:${nowWords})?的?(?<place>[^\\s，。,.]{2,10}?|[a-z/_ ]{2,40}?)?\\s?的?(?<now>${nowWords})?(?:的|是)?(?:${clock})(?:[和、]?(?:${clock}))*(?:是?(?:几点|多少|什么))?[了啊呀]?$`,
    "i",
  ),
  /^(?:what(?:'s| is)?\s|tell me\s|show(?: me)?\s|get\s|give me\s|do you know\s)?(?:what\s)?(?:the\s|today's\s)?(?:current\s|local\s)?(?:time|date)(?:\sand\s(?:the\s)?(?:time|date))?(?:\sis it|\sit is)?(?:\sright now|\snow|\stoday)?(?<now>\s(?:in|at|for)\s(?<place>[a-z/_ .'-]{2,40}?))?(?:\sright now|\snow)?$/i,
  /^(?:what|which)\s(?:day|date|year|month)(?:\sof the week)?\s(?:is it|is today|it is)(?:\stoday|\snow)?(?<now>\sin\s(?<place>[a-z/_ .'-]{2,40}?))?$/i,
  /^(?<place>[a-z/_ ]{2,40}?)(?<now>\scurrent)?\stime(?:\sright now|\snow)?$/i,
];

function refusePlace(place: string): { zh: string; en: string } {
  return {
    zh: `不认识“${place}”的时区；请写 IANA 时区名，例如“Asia/Tokyo 现在几点”。`,
    en: `The time zone of "${place}" is not known; name an IANA zone, for instance "what time is it in Asia/Tokyo".`,
  };
}

/**
 * Returns the IANA zone of a city or of a zone's name, `here` for words that mean the local place, and undefined when unknown.
 */
export function findTimeZone(place: string): string | undefined {
  const wanted = place
    .toLowerCase()
    .replace(/^the\s+/, "")
    .replace(/[\s_]+/g, "_");
  return named.get(wanted) ?? Intl.supportedValuesOf("timeZone").find((zone) => isNamed(zone.toLowerCase(), wanted));
}

function isNamed(zone: string, wanted: string): boolean {
  return zone === wanted || zone.endsWith(`/${wanted}`);
}

// Places that no zone is named after, and the Chinese names of those that people ask for most.
const named: ReadonlyMap<string, string> = new Map(
  Object.entries({
    here: "here my_city 本地 这里 这儿 当地",
    UTC: "utc gmt 世界 格林尼治",
    "Asia/Shanghai": "beijing china shenzhen guangzhou hangzhou 中国 北京 上海 深圳 广州 杭州",
    "Asia/Hong_Kong": "香港",
    "Asia/Taipei": "台北",
    "Asia/Tokyo": "japan osaka 日本 东京 大阪",
    "Asia/Seoul": "korea 韩国 首尔",
    "Asia/Singapore": "新加坡",
    "Asia/Bangkok": "曼谷",
    "Asia/Dubai": "迪拜",
    "Asia/Kolkata": "india delhi new_delhi mumbai bangalore 印度 孟买 新德里",
    "Europe/London": "uk england 英国 伦敦",
    "Europe/Paris": "france 法国 巴黎",
    "Europe/Berlin": "germany munich frankfurt 德国 柏林",
    "Europe/Moscow": "莫斯科",
    "America/New_York": "nyc washington boston 纽约 华盛顿 波士顿",
    "America/Chicago": "芝加哥",
    "America/Los_Angeles": "san_francisco seattle la 洛杉矶 旧金山 西雅图",
    "America/Toronto": "多伦多",
    "Australia/Sydney": "悉尼",
  }).flatMap(([zone, places]) => places.split(" ").map((place): [string, string] => [place, zone])),
);

/** Searches the files under the allowed folders. */
const findFiles: Rule = {
  tools: ["file_search"],
  example: { zh: "搜索包含 'calculator' 的文件", en: "search files containing calculator" },
  read(request) {
    const wanted = readFileRequest(request);
    return wanted && { arguments: { ...wanted } };
  },
  isPlain: (request, args) => isPlainQuery(request, getTextArgument(args, "query")),
  purpose(args) {
    const [query, folder] = [getTextArgument(args, "query"), getTextArgument(args, "root_dir")];
    return {
      zh: `${folder && `在 ${folder} 中`}搜索包含“${query}”的文件`,
      en: `search files for "${query}"${folder && ` in ${folder}`}`,
    };
  },
  renderResult: renderTime,
};

/** Returns true for a query in quotation marks and for one word. Of several words, some may say more than what to look for. */
function isPlainQuery(request: string, query: string): boolean {
  const isQuoted = [...request.matchAll(quotes)].some(([quoted]) => removeQuotes(quoted) === query);
  return isQuoted || /^[\w.:@/-]{1,60}$|^\p{Script=Han}{1,6}$/u.test(query);
}

/** Recognises a plain "search x" when no web search is on offer. */
export const findInFiles: Rule = { ...findFiles, read: readPlainSearch, isPlain: () => false };

function renderTime(result: string, args: JsonObject, locale: Locale): string {
  const query = getTextArgument(args, "query");
  const hits = findHits(result);
  if (result === "") return locale === "zh" ? `没有找到包含“${query}”的文件。` : `No file contains "${query}".`;
  if (hits.length === 0) return renderResult(result);
  const lead =
    locale === "zh"
      ? `找到 ${hits.length} 处“${query}”：`
      : `Found "${query}" in ${hits.length} ${hits.length === 1 ? "place" : "places"}:`;
  const lines = hits.slice(0, mostShown).map(({ file, line, text }) => {
    const place = line === undefined ? file : `${file}:${line}`;
    return `- ${quoteLine(text === "" ? place : `${place}: ${text}`)}`;
  });
  const rest = hits.length - mostShown;
  if (rest > 0) lines.push(locale === "zh" ? `- 还有 ${rest} 处` : `- and ${rest} more`);
  return [`${lead}\n\n${lines.join("\n")}`, ...findNotes(result)].join("\n\n");
}

const mostShown = 20;

/** Sums up a log file. */
export const analyseLog: Rule = {
  tools: ["log_transform"],
  example: { zh: "分析 data/logs/app.log", en: "analyse data/logs/app.log" },
  read(request) {
    if (!asksForIt.test(request)) return undefined;
    const path = aPath.exec(request)?.[0];
    if (path !== undefined) return { arguments: { path: removeQuotes(path) } };
    return aboutLogs.test(request) ? { refusal: noPath } : undefined;
  },
  purpose: (args) => ({ zh: `分析 ${getTextArgument(args, "path")}`, en: `analyse ${getTextArgument(args, "path")}` }),
  renderResult(result, args, locale) {
    const path = getTextArgument(args, "path");
    if (result === "") return locale === "zh" ? `${path} 是空的。` : `${path} is empty.`;
    return `${locale === "zh" ? `${path} 的分析结果：` : `What ${path} holds:`}\n\n${quoteBlock(result.replace(/^\[\d+\] /, ""))}`;
  },
};

const asksForIt =
  /分析|解析|总结|统计|汇总|查看|看看|看一下|看一看|检查|排查|错误|报错|errors?|analy[sz]e|analysis|parse|summari[sz]e|inspect|look (?:at|into)|check|transform|read/i;

// A quoted name, or a run of path characters, that ends like a log.
const aPath =
  /["'“‘「`][^"'“”‘’「」`\n]+\.(?:log|out|err)(?:\.\d+)?["'”’」`]|(?<![\w./\\~-])[\w./\\~:-]*[\w-]\.(?:log|out|err)(?:\.\d+)?(?![\w])|(?<=(?:日志(?:文件)?|log(?: ?file)?)\s*[:：]?\s*)[\w./\\~-]*[\w-]\.(?:txt|json|jsonl)(?!\w)/i;

const aboutLogs = /日志(?:文件)?$|(?:^|\s)log(?:s| ?files?)$/i;

const noPath = {
  zh: "请写出日志文件的路径，例如“分析 data/logs/app.log”。",
  en: 'Name the log file, for instance "analyse data/logs/app.log".',
};

/** Reads the page at an address. */
export const fetchPage: Rule = {
  tools: ["read_page", "fetch", "fetch_url", "web_fetch", "read_url"],
  example: { zh: "读取 https://example.com", en: "fetch https://example.com" },
  read(request) {
    const url = address.exec(request)?.[0];
    if (url === undefined || !URL.canParse(url)) return undefined;
    return { arguments: { url } };
  },
  purpose: (args) => ({ zh: `读取 ${getTextArgument(args, "url")}`, en: `read ${getTextArgument(args, "url")}` }),
  renderResult(result, args, locale) {
    if (result === "") {
      const url = getTextArgument(args, "url");
      return locale === "zh" ? `${url} 没有内容。` : `${url} is empty.`;
    }
    const { title, text } = readPage(result) ?? { title: getTextArgument(args, "url"), text: result };
    const lead = locale === "zh" ? `${title} 的内容：` : `The content of ${title}:`;
    return `${lead}\n\n${quoteBlock(text)}`;
  },
};

/** Reads a page under its number: `[n] title`, address and content. */
function readPage(result: string): { title: string; text: string } | undefined {
  const [, n, title = "", url = "", text = ""] = /^\s*\[(\d{1,4})\] (.*)\n(https?:\S+)\n([\s\S]*)$/.exec(result) ?? [];
  return n === undefined ? undefined : { title: `${title.trim() || url} [${n}]`, text: text.trim() };
}

/** Says something back. */
const echo: Rule = {
  tools: ["echo"],
  verbatim: true,
  example: { zh: "回显 你好", en: "echo hello" },
  read(request) {
    const text = patterns.map((pattern) => pattern.exec(request)?.[1]).find((said) => said !== undefined);
    return text === undefined ? undefined : { arguments: { text: removeQuotes(text) } };
  },
  // "复述" may also ask for other words.
  isPlain: (request) => !/复述/.test(request),
  purpose: (args) => ({
    zh: `回显“${getTextArgument(args, "text")}”`,
    en: `say "${getTextArgument(args, "text")}" back`,
  }),
  renderResult: renderResult,
};

const patterns = [
  /^(?:用|使用|调用)\s*echo\s*(?:工具)?\s*(?:来)?(?:回显|输出|返回|重复|说)?\s*[:：]?\s*(\S.*)$/is,
  /^(?:use|call)\s+(?:the\s+)?echo(?:\s+tool)?\s+(?:to\s+(?:say|repeat|return|print)\s+)?(\S.*)$/is,
  /^(?:echo(?![a-z])|回显|复述)\s*[:：]?\s*(\S.*)$/is,
];

/** Rules are in order of precedence: of those that recognise a request, the first whose tool is on offer is used. */
export const rules: readonly Rule[] = [
  echo,
  findFiles,
  fetchPage,
  analyseLog,
  weather,
  weatherOnWeb,
  tellTime,
  searchWeb,
  findInFiles,
  calculate,
  lookUp,
];
