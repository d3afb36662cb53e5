import { stat } from "node:fs/promises";
import { showValue, toInvalidArgumentsResult, toValueProblem } from "../../../core/tools/argument-feedback.ts";
import type { Source, Tool, ToolResult } from "../../../core/tools/tool.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { formatCount } from "../../../kit/text/format-count.ts";
import { createBuiltinTool, createSuccess } from "../../create-tool.ts";
import { findAllowed, resolveRoots, toFileSource, toPathRefusedResult } from "../../files/allowed-path.ts";
import type { FileAccess } from "../../files/file-guard.ts";
import { createFileGlob, type FileSearch, type FileSearchLimits, type Match, searchFiles } from "./search-files.ts";

const defaultLimits: FileSearchLimits = {
  entries: 50_000,
  depth: 32,
  totalBytes: 200_000_000,
  fileBytes: 2_000_000,
  milliseconds: 8000,
};

export function createFileSearch(
  { roots, guard }: FileAccess,
  locale: Locale,
  limits: Partial<FileSearchLimits> = {},
): Tool {
  return createBuiltinTool({
    name: "file_search",
    description: say(locale, {
      zh: "在允许目录下检索文件内容和文件名，返回命中片段",
      en: "Searches file contents and file names under the allowed directories and returns the matching lines.",
    }),
    inputSchema: {
      type: "object",
      properties: {
        query: {
          type: "string",
          minLength: 1,
          maxLength: 500,
          description: say(locale, {
            zh: "搜索关键词（普通文本，不是正则；不分大小写；文件名中 * 代表任意字符）",
            en: "The text to find: plain text, not a regular expression; case-insensitive; in file names * matches any characters",
          }),
        },
        root_dir: {
          type: "string",
          description: say(locale, {
            zh: "根目录（可选，默认 ./data；没有这个目录时为全部允许目录）",
            en: "Directory to search (optional, default: ./data, or all allowed ones where there is no ./data)",
          }),
        },
        include: {
          type: "string",
          minLength: 1,
          maxLength: 200,
          description: say(locale, {
            zh: "只查这些文件，如 *.md 或 *.{ts,js}",
            en: "Only these files, such as *.md or *.{ts,js}",
          }),
        },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: 200,
          default: 20,
          description: say(locale, { zh: "最大返回条数（默认 20）", en: "Maximum number of matches (default 20)" }),
        },
        match: {
          type: "string",
          enum: ["content", "name", "both"],
          default: "both",
          description: say(locale, {
            zh: "匹配内容、文件名或两者（默认 both）",
            en: "Match contents, names or both (default both)",
          }),
        },
      },
      required: ["query"],
      additionalProperties: false,
    },
    async run(args, context) {
      const query = String(args.query).trim();
      if (query === "")
        return toInvalidArgumentsResult(context.locale, [
          toValueProblem("query", args.query, "不能为空", "must not be empty"),
        ]);
      const real = await resolveRoots(roots);
      const asked = typeof args.root_dir === "string" ? args.root_dir : undefined;
      const start = asked === undefined ? await findDefaultRoot(real) : await findAllowed(asked, real, guard);
      if (asked !== undefined && start === undefined) return toPathRefusedResult(asked, context.locale);
      const search: FileSearch = {
        needle: query.normalize("NFC").toLowerCase(),
        include: typeof args.include === "string" ? createFileGlob(args.include) : undefined,
        names: args.match !== "content",
        contents: args.match !== "name",
        most: typeof args.limit === "number" ? args.limit : 20,
        roots: real,
        guard,
        limits: { ...defaultLimits, ...limits },
        tally: { files: 0, bytes: 0, large: 0, partial: false },
      };
      const matches = await searchFiles(start === undefined ? real : [start], search, context.signal);
      const result = toSearchResult(query, matches, search, context.locale);
      return asked === undefined && start !== undefined ? withDefaultRoot(result, context.locale) : result;
    },
  });
}

/** The tool searches this directory by default if it exists (docs/development/tool-calling.md, the schema of `file_search`). */
const defaultRoot = "./data";

/** Returns undefined when no allowed directory has the default one. All of them are then searched. */
async function findDefaultRoot(roots: readonly string[]): Promise<string | undefined> {
  const found = await findAllowed(defaultRoot, roots);
  const isDirectory =
    found !== undefined &&
    (await ignoreRejection(stat(found), "a path that cannot be read is no folder"))?.isDirectory() === true;
  return isDirectory ? found : undefined;
}

/** Says that there may be more elsewhere: who asked has named no directory. */
function withDefaultRoot(result: ToolResult, locale: Locale): ToolResult {
  const note = say(locale, {
    zh: `只查找了默认目录 ${defaultRoot}；root_dir 为 "." 时查找整个允许目录`,
    en: `Only the default directory ${defaultRoot} was searched; root_dir "." searches all of the allowed directory.`,
  });
  return { ...result, text: `${result.text}\n${note}` };
}

function toSearchResult(
  query: string,
  matches: readonly Match[],
  { most, tally, limits, roots }: FileSearch,
  locale: Locale,
): ToolResult {
  const quoted = showValue(query);
  const more = matches.length > most;
  const listed = matches.slice(0, most);
  const looked = say(locale, {
    zh: `已查看 ${tally.files} 个文件`,
    en: `${formatCount(tally.files, "file")} looked at`,
  });
  const found = say(locale, {
    zh: more ? `前 ${most} 处匹配 ${quoted}，还有更多` : `找到 ${listed.length} 处匹配 ${quoted}`,
    en: more
      ? `First ${formatCount(most, "match", "matches")} for ${quoted}; there are more`
      : `${formatCount(listed.length, "match", "matches")} for ${quoted}`,
  });
  const none = say(locale, { zh: `没有找到匹配 ${quoted} 的内容或文件名`, en: `Nothing matches ${quoted}` });
  const notes: string[] = [];
  if (listed.length === 0 && /\s|[*|\\^$+()[\]]/.test(query)) {
    const zh = "提示：query 是一段连续的普通文本，不是正则表达式，也不是多个关键词；请换一个更短的词";
    const en =
      "Note: query is one piece of plain text, no regular expression and no list of words; try one shorter word.";
    notes.push(say(locale, { zh, en }));
  }
  const megabytes = limits.fileBytes / 1e6;
  if (tally.large > 0) {
    const zh = `跳过了 ${tally.large} 个超过 ${megabytes} MB 的文件的内容`;
    notes.push(
      say(locale, { zh, en: `The contents of ${formatCount(tally.large, "file")} over ${megabytes} MB were skipped.` }),
    );
  }
  if (tally.partial) {
    const zh = "结果不完整：达到了文件数、深度、字节或时间的上限，请缩小 root_dir";
    notes.push(
      say(locale, { zh, en: "Partial: a limit on files, depth, bytes or time was reached; try a narrower root_dir." }),
    );
  }
  const head = `${listed.length > 0 ? found : none} (${looked})`;
  const text = [head, ...listed.map((match) => match.text), ...notes].join("\n");
  const sources = listSources(listed, roots);
  return sources.length === 0 ? createSuccess(text) : { ...createSuccess(text), kind: "files", sources };
}

/** Limits the files of one search that answers can cite. */
const mostSources = 10;

/** Returns the files with matching content as sources, each with its matches. */
function listSources(matches: readonly Match[], roots: readonly string[]): Source[] {
  const inContent = matches.flatMap(({ file, text }) => (file === undefined ? [] : [{ file, text }]));
  return [...Map.groupBy(inContent, ({ file }) => file)]
    .slice(0, mostSources)
    .map(([file, found]) => ({ ...toFileSource(file, roots), snippet: found.map(({ text }) => text).join("\n") }));
}
