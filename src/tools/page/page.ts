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

export type PageResult = { page: Page } | PageProblem;

/** Cleans a text for a model by removing invisible characters, needless spaces and empty lines. */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(invisible, "")
    .replace(trailingBlanks, "")
    .replace(/^\u3000+/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** Cleans a text and joins it into one line. Only the first `longest` characters are read. */
export function cleanLine(text: unknown, longest = 2000): string {
  return typeof text === "string" ? cleanText(text.slice(0, longest)).replace(/\s+/g, " ") : "";
}

// From the first of them only: else a long run within a line would be gone through once for each of its blanks.
const trailingBlanks = /(?<![\t \u00a0])[\t \u00a0]+$/gm;

// Controls, soft hyphens, zero-width and bidi marks, and the tag characters in which text is hidden from people
// (https://www.unicode.org/reports/tr36/); the joiners stay, words and emoji are made of them.
const invisible =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;

/** Finds the web address in a text, with https when no scheme is given. Returns undefined when there is none. */
export function findAddress(text: string): URL | undefined {
  const trimmed = text.trim();
  // A host with a port looks like a scheme.
  const hasScheme = /^[a-z][a-z\d+.-]*:(?!\d)/i.test(trimmed);
  const url = URL.parse(hasScheme ? trimmed : `https://${trimmed}`);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== "" ? url : undefined;
}

/** Returns an address that may be shown, without user name and password. */
export function toPublicAddress(url: URL): string {
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  return shown.href;
}

/** Servers never see the part after `#`. */
export function removeHash(url: string): string {
  return url.replace(/#.*$/, "");
}

/** Returns true when two addresses name different pages, and false when they only differ in spelling. */
export function isOtherPage(one: string, other: string): boolean {
  return toBareAddress(one) !== toBareAddress(other);
}

function toBareAddress(url: string): string {
  return removeHash(url)
    .replace(/^https?:\/\/(?:www\.)?/, "")
    .replace(/\/$/, "");
}

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
  // Other bytes may come before the signature of a PDF, but a page in HTML that mentions the signature is no PDF.
  if (!looksLikeHtml && start.includes("%PDF-")) return "pdf";
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  if (/^text\/(?:x-)?markdown$/.test(type)) return "markdown";
  if (looksLikeHtml && (type === "" || type === "application/pdf")) return "html";
  // A page whose type says PDF, but whose bytes do not, is read as a PDF and reported as damaged.
  if (type === "application/pdf") return "pdf";
  return type === "" || textTypes.test(type) ? "text" : undefined;
}

const textTypes = /^(?:text\/.+|application\/(?:json|xml|x-ndjson|(?:x-)?yaml|toml|csv|javascript))$|\+(?:json|xml)$/;
