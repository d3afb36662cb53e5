import type { PageElement } from "./dom.ts";

/** A rule of Turndown, on our elements. */
export interface MarkdownRule {
  filter: (element: PageElement) => boolean;
  replacement: (content: string, element: PageElement) => string;
}
