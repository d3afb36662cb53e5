import type { PageKind } from "./page.ts";

/** What a server says of a page's type. */
export interface ContentType {
  /** In lower case, without parameters; empty where it says nothing. */
  type: string;
  charset: string | undefined;
}

export function readContentType(header: string | undefined): ContentType {
  const [type = "", ...parameters] = (header ?? "").split(";");
  const charset = parameters.map((text) => /^\s*charset\s*=\s*["']?([^"'\s]+)/i.exec(text)?.[1]).find(Boolean);
  return { type: type.trim().toLowerCase(), charset };
}

/** How a page is to be read, by its bytes where they leave no doubt and else by its type; undefined for a type that is no text. */
export function detectPageKind({ type }: ContentType, bytes: Uint8Array): PageKind | undefined {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 1024));
  const looksLikeHtml = /^[\s\xef\xbb\xbf]*<(?:!doctype html|html|head|body|!--)/i.test(start);
  // Something may stand before the mark, but not a page that tells of it.
  if (!looksLikeHtml && start.includes("%PDF-")) return "pdf";
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  if (/^text\/(?:x-)?markdown$/.test(type)) return "markdown";
  if (looksLikeHtml && (type === "" || type === "application/pdf")) return "html";
  // One that is no PDF, whatever its type says, is told as a damaged one.
  if (type === "application/pdf") return "pdf";
  return type === "" || textTypes.test(type) ? "text" : undefined;
}

const textTypes = /^(?:text\/.+|application\/(?:json|xml|x-ndjson|(?:x-)?yaml|toml|csv|javascript))$|\+(?:json|xml)$/;
