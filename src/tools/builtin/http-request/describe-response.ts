import { isUtf8 } from "node:buffer";
import type { ToolResult } from "../../../core/tools/tool.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import type { OutgoingResponse } from "../../../kit/net/guarded-fetch.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import { takeStart } from "../../../kit/text/truncate.ts";
import { decodePage, isBinary } from "../../page/decode-page.ts";
import { readContentType } from "../../page/page.ts";
import type { RequestParts } from "./read-request.ts";

/** Limits the body, in UTF-16 units. */
const mostCharacters = 200_000;
/** JSON up to this length, in UTF-16 units, is formatted in lines. */
const smallJson = 4000;

/**
 * Describes a response: status and URL, informative headers, then the body. A status of 400 or above is a failure and is
 * reported in full.
 */
export function describeResponse(
  { url, method }: RequestParts,
  response: OutgoingResponse,
  locale: Locale,
): ToolResult {
  const { status, statusText, elapsedMs } = response;
  const line = `HTTP ${status} ${statusText}`.trimEnd();
  // A redirect may have made it a GET, so the method stands with the address that it was sent to.
  const to = toShortLine(response.url, 500);
  const moved =
    response.url === URL.parse(url)?.href ? "" : say(locale, { zh: `，跳转到 ${to}`, en: `, redirected to ${to}` });
  const head = [
    `${line} · ${Math.round(elapsedMs)} ms`,
    `${method} ${moved === "" ? to : toShortLine(url, 500)}${moved}`,
    ...listShownHeaders(response.headers),
  ];
  const body = method === "HEAD" ? "" : describeBody(response, locale);
  const text = body === "" ? head.join("\n") : `${head.join("\n")}\n\n${body}`;
  if (status < 400) return { ok: true, text };
  const { host } = new URL(response.url);
  const message = say(locale, { zh: `${host} 回答 ${line}`, en: `${host} answered ${line}` });
  return { ok: false, text, error: { code: "tool", message } };
}

const telling =
  /^(?:content-(?:type|length|disposition|range|location|language)|location|link|allow|etag|last-modified|date|retry-after|www-authenticate|cache-control|access-control-.*|x-(?:total|page|per-page|next-page|request-id).*|(?:x-)?rate-?limit.*)$/;

function listShownHeaders(headers: Record<string, string>): string[] {
  const shown = Object.entries(headers).filter(([name]) => telling.test(name));
  return shown.slice(0, 30).map(([name, value]) => `${name}: ${toShortLine(value, 300)}`);
}

function describeBody({ headers, body, truncated }: OutgoingResponse, locale: Locale): string {
  const { type, charset } = readContentType(headers["content-type"]);
  if (body.length === 0) return say(locale, { zh: "[没有正文]", en: "[no body]" });
  if (isMedia(type) || isBinary(body) || (type === "application/octet-stream" && !isUtf8(body))) {
    const [kind, size] = [toShortLine(type, 80) || "?", `${body.length}${truncated ? "+" : ""}`];
    return say(locale, {
      zh: `[二进制内容：${kind}，${size} 字节，未显示]`,
      en: `[binary content: ${kind}, ${size} bytes, not shown]`,
    });
  }
  const text = decodePage(body, charset);
  const laidOut = layOut(text).toWellFormed().replaceAll("\0", "\ufffd");
  const kept = takeStart(laidOut, mostCharacters);
  if (kept.length === laidOut.length && !truncated) return laidOut;
  return `${kept}\n${say(locale, { zh: "…[后面还有，未显示]", en: "…[there is more, not shown]" })}`;
}

function isMedia(type: string): boolean {
  return /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:pdf|zip|gzip|wasm))/i.test(type);
}

/**
 * Formats JSON on several lines so that it is easier to read. Text that would change in more than whitespace (long numbers,
 * duplicate keys) is left as it is.
 */
function layOut(text: string): string {
  if (text.length > smallJson || !/^[[{]/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text.trimEnd() ? JSON.stringify(value, undefined, 2) : text;
  } catch {
    return text;
  }
}
