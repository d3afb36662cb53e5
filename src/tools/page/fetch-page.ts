import { DuetError } from "../../kit/errors.ts";
import type { GuardedFetch, OutgoingResponse } from "../../kit/net/guarded-fetch.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { version } from "../../kit/version.ts";
import { detectPageKind, type PageBytes, readContentType } from "./page.ts";

const longestPage = 5_000_000;
const longestPdf = 20_000_000;
const timeoutMs = 20_000;
const mostRedirects = 5;

export interface PageRequest {
  url: string;
  /** Lists the reader's languages, as HTTP names them. */
  languages: string;
  signal: AbortSignal;
}

/** Fetches a page. Throws a `DuetError` that says why there is none to read, or the signal's reason. */
export async function fetchPage(guardedFetch: GuardedFetch, request: PageRequest): Promise<PageBytes> {
  const isPdf = /\.pdf$/i.test(new URL(request.url).pathname);
  const response = await send(guardedFetch, request, isPdf ? longestPdf : longestPage);
  const page = toPage(response);
  if (page.kind !== "pdf" || !page.truncated) return page;
  const whole = isPdf ? page : toPage(await send(guardedFetch, request, longestPdf));
  if (whole.truncated) throw tooLargePageError();
  return whole;
}

function send(
  guardedFetch: GuardedFetch,
  { url, languages, signal }: PageRequest,
  maxBytes: number,
): Promise<OutgoingResponse> {
  return guardedFetch.request({
    url,
    headers: {
      accept: "text/html,application/xhtml+xml,text/markdown;q=0.9,application/pdf;q=0.9,text/plain;q=0.8,*/*;q=0.5",
      "accept-language": languages,
      "user-agent": `Mozilla/5.0 (compatible; duet-mcp/${version})`,
    },
    maxBytes,
    timeoutMs,
    maxRedirects: mostRedirects,
    signal,
  });
}

function toPage({ url, status, headers, body, truncated }: OutgoingResponse): PageBytes {
  if (status < 200 || status >= 300) throw refusedPageError(status);
  const contentType = readContentType(headers["content-type"]);
  const kind = detectPageKind(contentType, body);
  if (kind === undefined) throw unreadablePageError(contentType.type);
  return { kind, bytes: body, charset: contentType.charset, url, truncated };
}

function refusedPageError(status: number): DuetError {
  const [zh, en] =
    reasons[status] ??
    (status >= 500
      ? ["网站出错", "the site has an internal error"]
      : ["网站拒绝了请求", "the site refused the request"]);
  return new DuetError({
    code: "tool",
    text: { zh: `无法读取网页：${zh}（HTTP ${status}）`, en: `The page cannot be read: ${en} (HTTP ${status}).` },
    retryable: status === 429 || status >= 500,
  });
}

const reasons: Record<number, readonly [string, string]> = {
  401: ["需要登录", "it requires a login"],
  402: ["需要付费", "it requires payment"],
  403: ["网站不允许读取", "the site does not allow it"],
  404: ["网页不存在", "there is no such page"],
  410: ["网页已删除", "the page is gone"],
  429: ["请求过于频繁", "the site received too many requests"],
  451: ["因法律原因不可用", "it is withheld for legal reasons"],
};

function unreadablePageError(type: string): DuetError {
  const shown = toShortLine(type, 80);
  return new DuetError({
    code: "tool",
    text: {
      zh: `无法读取 ${shown} 类型的内容；可以读取 HTML、纯文本、Markdown、JSON、XML、CSV 和 PDF`,
      en: `Content of the type ${shown} cannot be read; HTML, plain text, Markdown, JSON, XML, CSV and PDF can.`,
    },
  });
}

function tooLargePageError(): DuetError {
  const megabytes = longestPdf / 1_000_000;
  return new DuetError({
    code: "tool",
    text: {
      zh: `PDF 超过 ${megabytes} MB，无法读取`,
      en: `The PDF is larger than ${megabytes} MB and cannot be read.`,
    },
  });
}
