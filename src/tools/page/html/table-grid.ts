import type { PageElement } from "./dom.ts";

/** Characters that may be written again in one page, and cells of one row: a page may claim any number. */
const mostCopied = 300_000;
const mostColumns = 50;
/** Characters of a cell; a longer one is written once. */
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
  /** Rows that the cell takes from here on. */
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
    const places = placesOf(cells, above);
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

function placesOf(cells: readonly PageElement[], above: readonly Place[]): Place[] {
  const places: Place[] = [];
  const takeAbove = (): void => {
    for (let from = above[places.length]; from !== undefined && from.rows > 0; from = above[places.length])
      places.push({ ...from, isOwn: false });
  };
  for (const cell of cells) {
    takeAbove();
    const columns = places.length < mostColumns ? spanOf(cell, "colspan", mostColumns) : 1;
    const rows = spanOf(cell, "rowspan", 1000);
    for (let n = 0; n < columns; n++) places.push({ cell, rows, isOwn: n === 0 });
  }
  takeAbove();
  return places;
}

/** A heading over the whole width is said once. */
function copyOf(cell: PageElement, isFull: boolean): PageElement {
  return cell.cloneNode(isFull && cell.textContent.length <= longestCopy);
}

export function isCell({ localName }: PageElement): boolean {
  return localName === "td" || localName === "th";
}

function spanOf(cell: PageElement, name: string, most: number): number {
  const span = Number(cell.getAttribute(name) ?? 1);
  return Number.isInteger(span) ? Math.min(Math.max(span, 1), most) : 1;
}
