import { protectMatches, quotes, removeQuotes, removeTail } from "../text-patterns.ts";
import { extractFolder } from "./folder-clause.ts";
import { extractLimit } from "./limit-clause.ts";

/** What to look for in files, where, and how much of it. */
export interface FileRequest {
  query: string;
  root_dir?: string;
  limit?: number;
}

/** Whether the request is about files, so that it must not go to the web. */
export function isFileRequest(request: string): boolean {
  return readFileRequest(request) !== undefined;
}

/** "在 ./docs 目录下搜索 'x'，最多返回 5 条", "search files containing x in ./docs"; undefined when it is no such request. */
export function readFileRequest(request: string): FileRequest | undefined {
  const { text, restore } = protectMatches(removeTail(request), quotes);
  const limited = extractLimit(text);
  const placed = extractFolder(limited.text);
  const query = queryIn(removeTail(placed.text), placed.folder !== undefined);
  if (query === undefined) return undefined;
  return {
    query: cleanQuery(restore(query)),
    ...(placed.folder === undefined ? {} : { root_dir: removeQuotes(restore(placed.folder)) }),
    ...(limited.limit === undefined ? {} : { limit: limited.limit }),
  };
}

function queryIn(text: string, hasFolder: boolean): string | undefined {
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

/** The words looked for, without quotation marks and without "the word", "关键词" and the like. */
function cleanQuery(query: string): string {
  const bare = removeTail(query)
    .replace(/^(?:关键词|关键字|字符串|文本|文字|单词|字样|内容|词语|词)(?:是|为)?\s*[:：]?\s*(?=\S)/, "")
    .replace(/^(?:the )?(?:words?|texts?|strings?|phrases?|keywords?|terms?) (?=\S)/i, "")
    .replace(/(?<=\S)\s*(?:的(?:内容)?|字样|这个词|in (?:it|them))$/i, "");
  return removeQuotes(bare);
}
