import type { PageKind } from "./page.ts";

/** Holds what a server states about a page's type. */
export interface ContentType {
  /** Is in lower case and without parameters, and empty when the server states none. */
  type: string;
  charset: string | undefined;
}

export function readContentType(header: string | undefined): ContentType {
  const [type = "", ...parameters] = (header ?? "").split(";");
  const charset = parameters.map((text) => /^\s*charset\s*=\s*["']?([^"'\s]+)/i.exec(text)?.[1]).find(Boolean);
  return { type: type.trim().toLowerCase(), charset };
}

/**
 * Returns how to read a page: by its bytes when they are conclusive, else by its type. Returns undefined for a type that is not
 * text.
 */
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
