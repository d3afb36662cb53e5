import { DuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/short-line.ts";
import type { PageProblem } from "./page.ts";

/** Why a page that came has no text for us, as an error. */
export function toPageError(problem: PageProblem): DuetError {
  return new DuetError({ code: "tool", text: textOf(problem) });
}

function textOf(problem: PageProblem): Text {
  switch (problem.problem) {
    case "elsewhere": {
      const url = toShortLine(problem.url, 300);
      return { zh: `网页没有内容，只指向 ${url}`, en: `The page has no content; it only leads on to ${url}` };
    }
    default:
      return texts[problem.problem];
  }
}

const texts: Record<Exclude<PageProblem["problem"], "elsewhere">, Text> = {
  empty: { zh: "网页没有可读的文字", en: "The page has no readable text." },
  "needs-script": {
    zh: "网页不运行 JavaScript 就没有可读的文字",
    en: "The page has no readable text without JavaScript.",
  },
  "needs-login": { zh: "网页要求登录", en: "The page asks for a login." },
  binary: { zh: "内容是二进制数据，不是文字", en: "The content is binary data, not text." },
  encrypted: { zh: "PDF 有密码保护，无法读取", en: "The PDF is protected by a password and cannot be read." },
  "broken-pdf": { zh: "PDF 已损坏，无法读取", en: "The PDF is damaged and cannot be read." },
  scanned: {
    zh: "PDF 里没有文字（可能是扫描件）",
    en: "The PDF has no text; it may be a scan.",
  },
};
