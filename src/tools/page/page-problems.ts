import { DuetError } from "../../core/errors.ts";
import type { Text } from "../../core/locale.ts";
import { shortLine } from "../../core/short-line.ts";
import type { PageProblem } from "./page.ts";

/** Why a page that came has no text for us, as an error. */
export function problemError(problem: PageProblem): DuetError {
  return new DuetError({ code: "tool", text: textOf(problem) });
}

function textOf(problem: PageProblem): Text {
  switch (problem.problem) {
    case "elsewhere": {
      const url = shortLine(problem.url, 300);
      return { zh: `网页没有内容，只指向 ${url}`, en: `The page has no content; it only leads on to ${url}` };
    }
    case "failed": {
      const message = shortLine(problem.message, 200);
      return { zh: `网页无法读取（${message}）`, en: `The page could not be read (${message}).` };
    }
    default:
      return texts[problem.problem];
  }
}

const texts: Record<Exclude<PageProblem["problem"], "elsewhere" | "failed">, Text> = {
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

/** A page whose reader was stopped after so many milliseconds. */
export function readTooLong(ms: number): DuetError {
  const seconds = ms / 1000;
  return new DuetError({
    code: "timeout",
    text: {
      zh: `网页太复杂，${seconds} 秒内没有读完`,
      en: `The page is too complex: it could not be read within ${seconds} s.`,
    },
  });
}

/** A page that is one too many for the reader. */
export function readersBusy(most: number): DuetError {
  return new DuetError({
    code: "overloaded",
    text: { zh: `已有 ${most} 个网页在等待读取`, en: `${most} pages are waiting to be read already.` },
    retryable: true,
  });
}
