import type { JsonObject } from "../../../kit/json.ts";
import type { Locale } from "../../../kit/locale.ts";
import { quoteLine, renderResult } from "../result-text.ts";
import { findHits, findNotes } from "./file-hits.ts";
import { readFileRequest } from "./file-request.ts";
import { getTextArgument, type Rule } from "./rule.ts";
import { readPlainSearch } from "./search-web.ts";

/** Searches the files under the allowed folders. */
export const findFiles: Rule = {
  tools: ["file_search"],
  example: { zh: "搜索包含 'calculator' 的文件", en: "search files containing calculator" },
  read(request) {
    const wanted = readFileRequest(request);
    return wanted && { arguments: { ...wanted } };
  },
  purpose(args) {
    const [query, folder] = [getTextArgument(args, "query"), getTextArgument(args, "root_dir")];
    return {
      zh: `${folder && `在 ${folder} 中`}搜索包含“${query}”的文件`,
      en: `search files for "${query}"${folder && ` in ${folder}`}`,
    };
  },
  tell,
};

/** A plain "search x" where the web is not on offer. */
export const findInFiles: Rule = { ...findFiles, read: readPlainSearch };

function tell(result: string, args: JsonObject, locale: Locale): string {
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
