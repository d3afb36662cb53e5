import Turndown from "turndown";
import { cleanLine, cleanText } from "../page.ts";
import { type PageElement, writeNotation } from "./dom.ts";
import { target } from "./parse-page.ts";

/** Converts an element's content to Markdown. Its links must already be absolute. The element is consumed. */
export function toMarkdown(content: PageElement): string {
  const service = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-", hr: "---" });
  service.escape = escapeText;
  for (const [name, rule] of Object.entries({ ...rules, ...listRules(), ...createTableRules() }))
    service.addRule(name, rule);
  writeNotation(content);
  fillSpans(content);
  // Turndown would copy the element first.
  const whole = Object.assign(content, { cloneNode: () => content });
  return cleanText(service.turndown(whole));
}

/** Escapes only what would turn plain text into a link, an image or a block. Nobody renders this Markdown. */
function escapeText(text: string): string {
  return text
    .replaceAll("![", "!\\[")
    .replaceAll("](", "]\\(")
    .replace(/^(#{1,6} |>|```|~~~)/, "\\$1");
}

/** Longer addresses, in characters, are of no use to a reader and cost a model many tokens. */
const longestLink = 500;

const rules: Record<string, MarkdownRule> = {
  link: {
    filter: ({ localName }) => localName === "a",
    replacement(content, element) {
      const text = cleanLine(content, Number.POSITIVE_INFINITY).replace(/^#+ /, "");
      // A mark beside a heading or a passage, for linking to it.
      if (/^(?:[#¶§🔗]|\\#|\[?\d{1,3}\]?|\[edit\]|\[编辑\])?$/u.test(text))
        return element.hasAttribute(target) ? text : "";
      const href = toWebAddress(element);
      return href === undefined || text === href ? text : `[${text}](${href})`;
    },
  },
  deleted: {
    filter: ({ localName }) => localName === "del" || localName === "s" || localName === "strike",
    replacement: (content) => (content.includes("\n") || content.trim() === "" ? content : `~~${content}~~`),
  },
  code: {
    filter: ({ localName }) => localName === "pre",
    replacement(_, element) {
      for (const lineBreak of [...element.getElementsByTagName("br")]) lineBreak.replaceWith("\n");
      const code = element.textContent.replace(/^\n+/, "").trimEnd();
      const longest = Math.max(2, ...Array.from(code.matchAll(/^`{3,}/gm), ([ticks]) => ticks.length));
      const fence = "`".repeat(longest + 1);
      return code === "" ? "" : `\n\n${fence}${getLanguage(element)}\n${code}\n${fence}\n\n`;
    },
  },
};

function toWebAddress(element: PageElement): string | undefined {
  const href = element.getAttribute(target) ?? "";
  if (!/^https?:\/\//i.test(href) || href.length > longestLink) return undefined;
  return href.replace(/[\s()<>]/g, (character) =>
    encodeURIComponent(character).replace("(", "%28").replace(")", "%29"),
  );
}

/** Returns the language that a code block, its content or its container declares. */
function getLanguage(element: PageElement): string {
  const round = [element.firstElementChild, element, element.parentElement, element.parentElement?.parentElement];
  for (const place of round) {
    const named = place?.getAttribute("data-lang") ?? place?.getAttribute("data-language");
    const found =
      named ??
      /(?:^|\s)(?:language|lang|highlight-source|highlight|brush:)[-\s]([\w+#-]{1,20})/.exec(
        place?.className ?? "",
      )?.[1];
    if (found && /^[\w+#-]{1,20}$/.test(found)) return found;
  }
  return "";
}

/** Items close to their marks, numbered as the list is. */
function listRules(): Record<string, MarkdownRule> {
  const next = new WeakMap<PageElement, number>();
  const markOf = ({ parentElement: list }: PageElement): string => {
    if (list?.localName !== "ol") return "- ";
    const number = next.get(list) ?? (Number(list.getAttribute("start")) || 1);
    next.set(list, number + 1);
    return `${number}. `;
  };
  return {
    item: {
      filter: ({ localName }) => localName === "li",
      replacement(content, element) {
        const mark = markOf(element);
        return `${mark}${content.trim().replace(/\n/g, `\n${" ".repeat(mark.length)}`)}\n`;
      },
    },
  };
}

interface MarkdownRule {
  filter: (element: PageElement) => boolean;
  replacement: (content: string, element: PageElement) => string;
}

/** Holds what must be known of a table before its cells are written. */
interface Layout {
  /** Is true for a table of data, and false for one that only lays out the page. */
  isData: boolean;
  /** Is the first row with content. Rows before it are left out. */
  first: PageElement | undefined;
  columns: number;
}

/** Creates Turndown's rules for tables. Tables that only lay out a page become blocks. */
export function createTableRules(): Record<string, MarkdownRule> {
  const known = new WeakMap<PageElement, Layout>();
  const getLayout = (element: PageElement): Layout | undefined => {
    const table = findTable(element);
    if (table === undefined) return undefined;
    const layout = known.get(table) ?? readLayout(table);
    known.set(table, layout);
    return layout;
  };
  const isData = (element: PageElement): boolean => getLayout(element)?.isData ?? false;
  return {
    cell: {
      filter: (element) => isCell(element) && isData(element),
      replacement: (content) => ` ${toCellText(content)} |`,
    },
    row: {
      filter: (element) => element.localName === "tr" && isData(element),
      replacement(content, element) {
        if (content.trim() === "") return "";
        const layout = getLayout(element);
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

function findTable(element: PageElement): PageElement | undefined {
  let place: PageElement | null = element;
  while (place !== null && place.localName !== "table") place = place.parentElement;
  return place ?? undefined;
}

function readLayout(table: PageElement): Layout {
  const rows = [...table.getElementsByTagName("tr")];
  const cells = rows.map(({ children }) => [...children].filter(isCell));
  return {
    isData: cells.some((row) => row.length > 1) && hasData(table),
    first: rows.find(({ textContent }) => textContent.trim() !== ""),
    columns: Math.max(0, ...cells.map(({ length }) => length).slice(0, 1000)),
  };
}

/**
 * Returns false for a table that contains a table, a program, or whole blocks without a heading. Such a table is used for
 * layout.
 */
function hasData(table: PageElement): boolean {
  if (table.querySelector("table, pre") !== null) return false;
  return table.querySelector("th") !== null || table.querySelector("h1, h2, h3, h4, p + p, blockquote") === null;
}

function toCellText(content: string): string {
  return cleanLine(content, Number.POSITIVE_INFINITY).replaceAll("|", "\\|");
}

/** Limits the repeated characters in one page; `mostColumns` limits the cells of one row. A page may claim any number. */
const mostCopied = 300_000;
const mostColumns = 50;

/** Limits the cells that are repeated, in characters. A longer cell is written once. */
const longestCopy = 200;

/** Writes a cell that spans rows or columns into each place that it takes, so that what follows stands below its own heading. */
export function fillSpans(content: PageElement): void {
  let left = mostCopied;
  for (const table of content.querySelectorAll("table")) {
    if (table.querySelector("table") !== null || table.querySelector("[rowspan], [colspan]") === null) continue;
    left -= fillTable(table, left);
  }
  for (const row of [...content.querySelectorAll("tr")]) if (row.textContent.trim() === "") row.remove();
}

interface Place {
  cell: PageElement;
  /** Counts the rows that the cell takes from here on. */
  rows: number;
  isOwn: boolean;
}

/** Answers how many characters it wrote, at most about as many as are left. */
function fillTable(table: PageElement, left: number): number {
  let written = 0;
  let above: readonly Place[] = [];
  let group: PageElement | null = null;
  for (const row of table.getElementsByTagName("tr")) {
    if (row.parentElement !== group) above = [];
    group = row.parentElement;
    const cells = [...row.children].filter(isCell);
    const places = placeCells(cells, above);
    above = places.map((place) => ({ ...place, rows: place.rows - 1 }));
    if (places.length === cells.length) continue;
    if (written > left) return written;
    for (const { cell, isOwn } of places) {
      const shown = isOwn ? cell : copyOf(cell, cells.length > 1 || cell !== cells[0]);
      if (!isOwn) written += 10 + shown.textContent.length;
      row.appendChild(shown);
    }
  }
  return written;
}

function placeCells(cells: readonly PageElement[], above: readonly Place[]): Place[] {
  const places: Place[] = [];
  const takeAbove = (): void => {
    for (let from = above[places.length]; from !== undefined && from.rows > 0; from = above[places.length])
      places.push({ ...from, isOwn: false });
  };
  for (const cell of cells) {
    takeAbove();
    const columns = places.length < mostColumns ? getSpan(cell, "colspan", mostColumns) : 1;
    const rows = getSpan(cell, "rowspan", 1000);
    for (let n = 0; n < columns; n++) places.push({ cell, rows, isOwn: n === 0 });
  }
  takeAbove();
  return places;
}

/** A heading over the full width is written once. */
function copyOf(cell: PageElement, isFull: boolean): PageElement {
  return cell.cloneNode(isFull && cell.textContent.length <= longestCopy);
}

function isCell({ localName }: PageElement): boolean {
  return localName === "td" || localName === "th";
}

function getSpan(cell: PageElement, name: string, most: number): number {
  const span = Number(cell.getAttribute(name) ?? 1);
  return Number.isInteger(span) ? Math.min(Math.max(span, 1), most) : 1;
}
