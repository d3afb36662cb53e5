/** What the bytes of a page are. */
export type PageKind = "html" | "text" | "markdown" | "pdf";

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
