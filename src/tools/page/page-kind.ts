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

/** What the bytes of a page are. */
type PageKind = "html" | "text" | "markdown" | "pdf";

/** The bytes of a page, to be read in a process beside ours. */
export interface PageBytes {
  kind: PageKind;
  bytes: Uint8Array;
  /** As the server names it; undefined where it names none. */
  charset: string | undefined;
  /** Where the page was found: what its links are relative to. */
  url: string;
  /** Whether bytes are missing at the end. */
  truncated: boolean;
}

/** A page as text. */
export interface Page {
  /** One line; empty where the page has none. */
  title: string;
  byline: string;
  /** When it was published, as the page writes it. */
  published: string;
  /** The page's own summary, or its first words. */
  description: string;
  /** The content in Markdown, without title and address. */
  text: string;
  /** Of a PDF: its pages, and how many of them were read. */
  pages?: { all: number; read: number };
  /** Whether the end is missing. */
  truncated: boolean;
}

/** Why a page has no text for us. */
export type PageProblem =
  | { problem: "empty" | "needs-script" | "needs-login" | "binary" | "encrypted" | "broken-pdf" | "scanned" }
  /** The page holds nothing but the address of another. */
  | { problem: "elsewhere"; url: string };

export type Reading = { page: Page } | PageProblem;
