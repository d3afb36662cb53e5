export type PageKind = "html" | "text" | "markdown" | "pdf";

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
