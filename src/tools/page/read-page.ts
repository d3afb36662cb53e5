import { LRUCache } from "lru-cache";
import { toInvalidArgumentsResult, toValueProblem } from "../../core/tools/argument-feedback.ts";
import { type Source, type Tool, type ToolContext, type ToolResult, toFailure } from "../../core/tools/tool.ts";
import { DuetError } from "../../kit/errors.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import type { GuardedFetch } from "../../kit/net/guarded-fetch.ts";
import { sanitizeLine, toShortLine } from "../../kit/text/sanitize.ts";
import { takeStart, truncate } from "../../kit/text/truncate.ts";
import { createBuiltinTool } from "../create-tool.ts";
import { shareWork } from "../shared-work.ts";
import { createHeavyWork, type HeavyWork } from "../workers/heavy-work.ts";
import { fetchPage } from "./fetch-page.ts";
import { cleanLine, findAddress, isOtherPage, type Page, type PageProblem, removeHash } from "./page.ts";

/**
 * Creates `read_page`, which returns the main content of a web page or PDF as Markdown, piece by piece. It keeps what it has
 * read, so create it once per conversation; `work` is best shared by all.
 */
export function createReadPage(guardedFetch: GuardedFetch, locale: Locale, work: HeavyWork = createHeavyWork()): Tool {
  const cache = createPageCache();

  async function load(url: URL, { signal, locale }: ToolContext): Promise<FoundPage> {
    const languages = say(locale, { zh: "zh-CN,zh;q=0.9,en;q=0.5", en: "en,zh-CN;q=0.5" });
    const fetched = await fetchPage(guardedFetch, { url: removeHash(url.href), languages, signal });
    const reading = await work.run("page", fetched, signal);
    if ("problem" in reading) throw toPageError(reading);
    return { url: fetched.url, page: reading.page };
  }

  return createBuiltinTool({
    name: "read_page",
    description: say(locale, {
      zh: "读取一个网页或 PDF 的正文。当搜索结果的摘要不够，或者用户给出了网址时使用此工具。长网页分段返回，用 start 继续读。",
      en: "Reads the main content of a web page or PDF. Use this tool when the snippet of a search result is not enough, or when an address is given. A long page is returned in parts: continue with start.",
    }),
    inputSchema: {
      type: "object",
      properties: {
        url: {
          type: "string",
          minLength: 1,
          maxLength: 4000,
          description: say(locale, { zh: "网页地址，http 或 https", en: "The page's address, http or https" }),
          examples: ["https://example.com/article"],
        },
        start: {
          type: "integer",
          minimum: 0,
          default: 0,
          description: say(locale, {
            zh: "从正文的第几个字符开始读（可选，默认 0）",
            en: "The character of the content to start at (optional, default 0)",
          }),
        },
      },
      required: ["url"],
      additionalProperties: false,
    },
    annotations: { title: say(locale, { zh: "读取网页", en: "Read a page" }) },
    async run(args, context) {
      const url = findAddress(String(args.url));
      if (url === undefined) return toInvalidArgumentsResult(context.locale, [describeNoAddress(args.url)]);
      const start = typeof args.start === "number" ? args.start : 0;
      try {
        const { cached, ...found } = await cache.getPage(url.href, () => load(url, context), context.signal);
        return { ...toPageResult(found, { asked: url, start, locale: context.locale }), cached };
      } catch (thrown) {
        context.signal.throwIfAborted();
        if (!(thrown instanceof DuetError)) throw thrown;
        return toFailure(thrown, context.locale);
      }
    },
  });
}

function describeNoAddress(value: unknown) {
  return toValueProblem("url", value, "必须是 http 或 https 网址", "must be an http or https address");
}

interface PageRequest {
  asked: URL;
  start: number;
  locale: Locale;
}

function toPageResult({ url, page }: FoundPage, { asked, start, locale }: PageRequest): ToolResult {
  const { length } = page.text;
  if (start > 0 && start >= length)
    return toInvalidArgumentsResult(locale, [
      toValueProblem("start", start, `必须小于正文长度 ${length}`, `must be less than the content's length, ${length}`),
    ]);
  const above = start === 0 ? describeFacts(page, url, asked, locale) : "";
  const text = `${above === "" ? "" : `${above}\n\n`}${slicePage(page.text, start, locale)}`;
  return { ok: true, kind: "page", text, sources: [toSource(page, asked)] };
}

/** The source keeps the requested address, so that a page found by a search keeps its number. */
function toSource({ title, description, text }: Page, asked: URL): Source {
  return {
    title: truncate(sanitizeLine(title), 150) || asked.host,
    url: asked.href,
    snippet: toShortLine(cleanLine(description || text), 200),
  };
}

/** Writes the facts about a page, other than its title and text, on one line. */
function describeFacts({ byline, published, pages, truncated }: Page, url: string, asked: URL, locale: Locale): string {
  const parts = [
    byline && { zh: `作者：${byline}`, en: `By ${byline}` },
    published && { zh: `发布：${published}`, en: `Published ${published}` },
    pages && describePdfPages(pages),
    truncated && { zh: "网页过大，结尾没有读取", en: "The page is too large; its end was not read" },
    isOtherPage(url, asked.href) && {
      zh: `已重定向到 ${toShortLine(url, 300)}`,
      en: `Redirected to ${toShortLine(url, 300)}`,
    },
  ];
  return parts.flatMap((part) => (part ? [say(locale, part)] : [])).join(" · ");
}

function describePdfPages({ all, read }: { all: number; read: number }) {
  if (read === all) return { zh: `PDF，${all} 页`, en: all === 1 ? "PDF, 1 page" : `PDF, ${all} pages` };
  return { zh: `PDF，${all} 页中的前 ${read} 页`, en: `PDF, the first ${read} of ${all} pages` };
}

export function toPageError(problem: PageProblem): DuetError {
  return new DuetError({ code: "tool", text: describeProblem(problem) });
}

function describeProblem(problem: PageProblem): Text {
  switch (problem.problem) {
    case "elsewhere": {
      const url = toShortLine(problem.url, 300);
      return { zh: `网页没有内容，只指向 ${url}`, en: `The page has no content; it only redirects to ${url}` };
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

/** Holds a page and its final address. */
interface FoundPage {
  url: string;
  page: Page;
}

/** Holds the pages of one conversation by their requested and final addresses. The least recently read page is dropped first. */
export interface PageCache {
  /** Returns the page from the cache, from a load in progress, or by `load`. Failures are not kept. */
  getPage(url: string, load: () => Promise<FoundPage>, signal: AbortSignal): Promise<FoundPage & { cached: boolean }>;
}

const mostPages = 30;

/** Limits all kept pages together, in characters. */
const mostText = 6_000_000;

export function createPageCache(): PageCache {
  const pages = new LRUCache<string, FoundPage>({
    max: mostPages,
    maxSize: mostText,
    sizeCalculation: ({ page }) => page.text.length + 1000,
  });
  const pending = new Map<string, Promise<FoundPage>>();

  return {
    async getPage(url, load, signal) {
      const key = removeHash(url);
      const known = pages.get(key);
      if (known) return { ...known, cached: true };
      const { result, isShared } = await shareWork({
        ...{ key, pending, signal },
        work: async () => {
          const found = await load();
          pages.set(key, found);
          pages.set(removeHash(found.url), found);
          return found;
        },
        isGood: () => true,
      });
      return { ...result, cached: isShared };
    },
  };
}

/**
 * Limits how much of a page is read at once, in characters. A model reads at most 20,000 characters of one result, and the
 * title, the address and the notes have to fit too.
 */
export const longestPiece = 18_000;

/** Returns the text from `start` on, up to the end of a paragraph where one is near, and a line that explains how to read on. */
export function slicePage(text: string, start: number, locale: Locale): string {
  const piece = cutPiece(text.slice(start), longestPiece);
  const end = start + piece.length;
  if (end >= text.length) return piece.trim();
  return `${piece.trim()}\n\n${say(locale, {
    zh: `…（第 ${start} 到 ${end} 个字符，共 ${text.length} 个；用 start=${end} 继续读）`,
    en: `… (characters ${start} to ${end} of ${text.length}; continue with start=${end})`,
  })}`;
}

function cutPiece(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const head = takeStart(text, longest);
  for (const mark of ["\n\n", "\n", "。", ". ", " "]) {
    const end = head.lastIndexOf(mark) + mark.length;
    if (end > longest * 0.6) return head.slice(0, end);
  }
  return head;
}
