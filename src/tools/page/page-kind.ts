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
export function kindOf({ type }: ContentType, bytes: Uint8Array): PageKind | undefined {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 1024));
  if (start.includes("%PDF-")) return "pdf";
  const looksLikeHtml = /^[\s\xef\xbb\xbf]*<(?:!doctype html|html|head|body|!--)/i.test(start);
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  if (/^text\/(?:x-)?markdown$/.test(type)) return "markdown";
  if (type === "" || type === "application/pdf") return looksLikeHtml ? "html" : type === "" ? "text" : undefined;
  return isText(type) ? "text" : undefined;
}

function isText(type: string): boolean {
  return /^(?:text\/(?:plain|xml|csv|tab-separated-values|json)|application\/(?:json|xml|ld\+json|x-ndjson|yaml|csv))$|\+(?:json|xml)$/.test(
    type,
  );
}
