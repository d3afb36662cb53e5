import { countProse, isBoilerplate } from "./boilerplate.ts";
import type { PageElement } from "./dom.ts";

const mark = "data-telling";

/** Marks the tables that are content, by which Readability leaves them alone where they stand in what it finds. */
export function markDataTables(body: PageElement): void {
  for (const table of [...body.querySelectorAll("table")].filter(isTelling)) {
    table.setAttribute(mark, "");
    table.setAttribute("summary", "data");
  }
}

/** How many of them stand there. */
export function countDataTables(content: PageElement): number {
  return [...content.querySelectorAll(`table[${mark}]`)].length;
}

function isTelling(table: PageElement): boolean {
  if (table.querySelector("table") !== null || table.querySelector("tr + tr, thead + tbody") === null) return false;
  const { length } = table.textContent.replace(/\s+/g, " ").trim();
  const isGrid = table.querySelector("th + th, th + td, td + td, pre") !== null;
  if (!isGrid || length === 0 || standsAside(table)) return false;
  return table.querySelector("th, pre") !== null || countProse(table) * 3 >= length;
}

/** Whether it stands in something that surrounds the content. */
function standsAside(table: PageElement): boolean {
  for (let place = table.parentElement; place !== null; place = place.parentElement)
    if (isBoilerplate(place)) return true;
  return false;
}
