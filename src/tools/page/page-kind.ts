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

type PageKind = "html" | "text" | "markdown" | "pdf";

/** Holds the bytes of a page, to be read in a child process. */
export interface PageBytes {
  kind: PageKind;
  bytes: Uint8Array;
  /** Is the charset that the server names, and undefined when it names none. */
  charset: string | undefined;
  /** Is the final address of the page. Its links are relative to it. */
  url: string;
  truncated: boolean;
}

export interface Page {
  /** Is a single line, and empty when the page has no title. */
  title: string;
  byline: string;
  /** Is the publication date as the page writes it. */
  published: string;
  /** Holds the page's own summary, or its first words. */
  description: string;
  /** Holds the content in Markdown, without title and address. */
  text: string;
  /** Counts the pages of a PDF and how many of them were read. */
  pages?: { all: number; read: number };
  truncated: boolean;
}

export type PageProblem =
  | { problem: "empty" | "needs-script" | "needs-login" | "binary" | "encrypted" | "broken-pdf" | "scanned" }
  /** The page only refers to another address. */
  | { problem: "elsewhere"; url: string };

export type Reading = { page: Page } | PageProblem;
