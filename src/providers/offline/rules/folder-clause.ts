import { removeMatch } from "../text-patterns.ts";

interface Placed {
  /** The rest of the request. */
  text: string;
  folder?: string;
}

/** Takes "在 ./docs 目录下", "in ./docs" out of the text. */
export function extractFolder(text: string): Placed {
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
