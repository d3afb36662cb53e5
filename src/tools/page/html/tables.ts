import { cleanLine } from "../clean-text.ts";
import type { PageElement } from "./dom.ts";
import { isCell } from "./table-grid.ts";

/** A rule of Turndown, on our elements. */
export interface MarkdownRule {
  filter: (element: PageElement) => boolean;
  replacement: (content: string, element: PageElement) => string;
}

/** What is to be known of a table before its cells are written. */
interface Layout {
  /** Whether it holds data; another only lays the page out. */
  isData: boolean;
  /** The first row that says something: those before it are left out. */
  first: PageElement | undefined;
  columns: number;
}

/** Turndown's rules for tables; the tables that only lay a page out become blocks. */
export function createTableRules(): Record<string, MarkdownRule> {
  const known = new WeakMap<PageElement, Layout>();
  const layoutOf = (element: PageElement): Layout | undefined => {
    const table = tableOf(element);
    if (table === undefined) return undefined;
    const layout = known.get(table) ?? readLayout(table);
    known.set(table, layout);
    return layout;
  };
  const isData = (element: PageElement): boolean => layoutOf(element)?.isData ?? false;
  return {
    cell: {
      filter: (element) => isCell(element) && isData(element),
      replacement: (content) => ` ${cellText(content)} |`,
    },
    row: {
      filter: (element) => element.localName === "tr" && isData(element),
      replacement(content, element) {
        if (content.trim() === "") return "";
        const layout = layoutOf(element);
        const rule = layout?.first === element ? `\n|${" --- |".repeat(layout.columns)}` : "";
        return `\n|${content.replaceAll("\n", "")}${rule}`;
      },
    },
    rows: {
      filter: ({ localName }) => /^t(?:head|body|foot)$/.test(localName),
      replacement: (content) => content,
    },
    caption: {
      filter: ({ localName }) => localName === "caption",
      replacement: (content) => (content.trim() === "" ? "" : `${content.trim()}\n\n`),
    },
    table: {
      filter: ({ localName }) => localName === "table",
      replacement: (content) => `\n\n${content.trim()}\n\n`,
    },
    layout: {
      filter: (element) => (isCell(element) || element.localName === "tr") && !isData(element),
      replacement: (content) => `\n\n${content.trim()}\n\n`,
    },
  };
}

function tableOf(element: PageElement): PageElement | undefined {
  let place: PageElement | null = element;
  while (place !== null && place.localName !== "table") place = place.parentElement;
  return place ?? undefined;
}

function readLayout(table: PageElement): Layout {
  const rows = [...table.getElementsByTagName("tr")];
  const cells = rows.map(({ children }) => [...children].filter(isCell));
  return {
    isData: cells.some((row) => row.length > 1) && holdsData(table),
    first: rows.find(({ textContent }) => textContent.trim() !== ""),
    columns: Math.max(0, ...cells.map(({ length }) => length).slice(0, 1000)),
  };
}

/** A table with a table or a program in it, or with whole blocks and no heading is there for the looks. */
function holdsData(table: PageElement): boolean {
  if (table.querySelector("table, pre") !== null) return false;
  return table.querySelector("th") !== null || table.querySelector("h1, h2, h3, h4, p + p, blockquote") === null;
}

function cellText(content: string): string {
  return cleanLine(content, Number.POSITIVE_INFINITY).replaceAll("|", "\\|");
}
