import { protectMatches, quotes, removeMatch, removeQuotes, removeTail } from "../text-patterns.ts";

export interface FileRequest {
  query: string;
  root_dir?: string;
  limit?: number;
}

/** Returns true when the request is about files, so that it must not go to the web. */
export function isFileRequest(request: string): boolean {
  return readFileRequest(request) !== undefined;
}

/**
 * Recognises "在 ./docs 目录下搜索 'x'，最多返回 5 条" and "search files containing x in ./docs". Returns undefined for any other request.
 */
export function readFileRequest(request: string): FileRequest | undefined {
  const { text, restore } = protectMatches(removeTail(request), quotes);
  const limited = extractLimit(text);
  const placed = extractFolder(limited.text);
  const query = findQuery(removeTail(placed.text), placed.folder !== undefined);
  if (query === undefined) return undefined;
  return {
    query: cleanQuery(restore(query)),
    ...(placed.folder === undefined ? {} : { root_dir: removeQuotes(restore(placed.folder)) }),
    ...(limited.limit === undefined ? {} : { limit: limited.limit }),
  };
}

function findQuery(text: string, hasFolder: boolean): string | undefined {
  for (const pattern of hasFolder ? [...aboutFiles, ...inFolder] : aboutFiles) {
    const query = pattern.exec(text)?.[1];
    if (query !== undefined && cleanQuery(query) !== "") return query;
  }
  return undefined;
}

const find = "(?:搜索|搜一下|搜|查找|查询|查一下|查|找一下|找到|找出|找|检索|列出)(?:一下)?(?:所有|全部)?(?:的)?";
const holding =
  "(?:(?:内容|名字|名称|文件名)?(?:里|中)?(?:包含|含有|包括|提到|带有|写有|出现)(?:了)?|(?:名字|名称|文件名)(?:是|为|叫)|名为|叫做?)";
const files = "(?:文件|文档)";
const aboutFiles = [
  new RegExp(`^(?:在)?${files}(?:中|里|内)?(?:面)?${find}\\s*${holding}?\\s*(\\S.*)$`, "s"),
  new RegExp(`^${find}\\s*${holding}?\\s*(\\S.*?)\\s*(?:的)?(?:所有|全部)?(?:本地)?${files}$`, "s"),
  new RegExp(`^${find}(?:本地)?${files}(?:中|里|内)?(?:内容)?(?:的)?${holding}?\\s*[:：]?\\s*(\\S.*)$`, "s"),
  new RegExp(`^(?:有)?(?:哪些|哪个|什么)${files}(?:中|里)?(?:面)?${holding}\\s*(\\S.*)$`, "s"),
  /^(?:search|look|grep|scan|find|list|show|get)(?: me)?(?: for| through| in)?(?: all| any| the| my| local)*(?: (?:source|text))? ?(?:files?|documents?|docs)(?: that| which)?(?: (?:contain(?:s|ing)?|have|having|with|mention(?:s|ing)?|includ(?:e|es|ing)|named|called|matching|match|about|for))+ (\S.*)$/is,
  /^(?:which|what) (?:files?|documents?)(?: (?:contains?|have|has|mentions?|includes?|match(?:es)?)) (\S.*)$/is,
  /^(?:search|look|find|grep)(?: for)? (\S.*?) (?:in|inside|across|through)(?: all| any| the| my| local| these)* (?:files|documents|docs)$/is,
  /^grep (?:for )?(\S.*)$/is,
];

// Without the word "file" a folder says that files are meant.
const inFolder = [
  new RegExp(`^(?:${find}|${find}${holding}|${holding})\\s*(\\S.*?)(?:的(?:内容)?)?$`, "s"),
  /^(?:search|look|find|list|show)(?: me)?(?: for)? (\S.*)$/is,
];

/** Returns the query without quotation marks and without "the word", "关键词" and the like. */
function cleanQuery(query: string): string {
  const bare = removeTail(query)
    .replace(/^(?:关键词|关键字|字符串|文本|文字|单词|字样|内容|词语|词)(?:是|为)?\s*[:：]?\s*(?=\S)/, "")
    .replace(/^(?:the )?(?:words?|texts?|strings?|phrases?|keywords?|terms?) (?=\S)/i, "")
    .replace(/(?<=\S)\s*(?:的(?:内容)?|字样|这个词|in (?:it|them))$/i, "");
  return removeQuotes(bare);
}

interface LimitedRequest {
  /** Holds the rest of the request. */
  text: string;
  limit?: number;
}

/** Takes "最多返回 5 条", "at most 5 results" out of the text. */
export function extractLimit(text: string): LimitedRequest {
  for (const pattern of limits) {
    const match = pattern.exec(text);
    const limit = match === null ? undefined : countOf(match[1] ?? "");
    if (match === null || limit === undefined) continue;
    return { text: removeMatch(text, match), limit: Math.min(Math.max(limit, 1), mostHits) };
  }
  return { text };
}

const limits = [
  /[，,]?\s?(?:并|且)?(?:只|仅)?(?:返回|显示|列出|给出|要)?(?:最多|至多|不超过|只|仅|前)(?:返回|显示|列出|给出|要)?\s?(\d{1,4}|[一二两三四五六七八九十]{1,3})\s?(?:条|个|项|处)(?:结果|文件|记录)?/,
  /,?\s(?:and )?(?:(?:return|show|list|give)(?: me)? )?(?:with )?(?:at most|up to|no more than|limit(?:ed)?(?: to)?|max(?:imum)?(?: of)?|only|(?:the )?(?:first|top)) (\d{1,4})(?: (?:results?|hits?|files?|matches|lines?))?(?=$|[\s,])/i,
];

function countOf(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  const readDigit = (character: string | undefined): number =>
    character === "两" ? 2 : " 一二三四五六七八九".indexOf(character ?? "");
  const [, tens, ten, ones] = /^([一二两三四五六七八九])?(十)?([一二三四五六七八九])?$/.exec(text) ?? [];
  if (ten === undefined) return tens === undefined || ones !== undefined ? undefined : readDigit(tens);
  return (tens === undefined ? 1 : readDigit(tens)) * 10 + (ones === undefined ? 0 : readDigit(ones));
}

/** `file_search` returns at most this many hits. */
const mostHits = 200;

interface PlacedRequest {
  /** Holds the rest of the request. */
  text: string;
  folder?: string;
}

/** Takes "在 ./docs 目录下", "in ./docs" out of the text. */
export function extractFolder(text: string): PlacedRequest {
  for (const pattern of folders) {
    const match = pattern.exec(text);
    const folder = match?.groups?.folder?.replace(/(?<=\w)[.,]$/, "");
    if (!match || folder === undefined) continue;
    return { text: removeMatch(text, match), folder };
  }
  return { text };
}

// A folder is written as a path or named as one ("目录", "folder"); a plain word after "in" is not.
const path = "(?:\\.{1,2}|~|[a-z]:)?[\\\\/][\\w.\\\\/-]*|\\.{1,2}(?![\\w.])|[\\w.-]+/[\\w./-]*";
const folders = [
  new RegExp(
    `(?<=^(?:(?:搜索|搜一下|搜|查找|查一下|找一下|找|检索|列出)(?:一下)?\\s?)?)(?!在|从|到)(?<folder>${path}|[\\ue000-\\ue3e7]|[^\\s，。,]{1,60}?)\\s?(?:目录|文件夹)(?:下面|下|中|里面|里|内)(?:的)?\\s?`,
    "i",
  ),
  new RegExp(
    `(?:在|从|到)\\s?(?<folder>${path}|[\\ue000-\\ue3e7]|[^\\s，。,]{1,60}?)\\s?(?:目录|文件夹|路径)(?:下面|下|中|里面|里|内)?(?:的)?[，,]?\\s?`,
    "i",
  ),
  new RegExp(`(?:在|从|到)\\s?(?<folder>${path})\\s?(?:下面|下|中|里面|里|内)?(?:的)?[，,]?\\s?`, "i"),
  /\s(?:in|under|inside|within|from)\s(?:the\s)?(?:folder|directory|dir)\s(?<folder>\S+)/i,
  new RegExp(
    `\\s(?:in|under|inside|within|from)\\s(?:the\\s)?(?<folder>${path}|\\S+(?=\\s(?:folder|directory|dir)))(?:\\s(?:folder|directory|dir))?(?=$|[\\s,])`,
    "i",
  ),
  new RegExp(`(?<=^(?:search|grep|scan))\\s(?<folder>${path})(?=\\sfor\\s)`, "i"),
];
