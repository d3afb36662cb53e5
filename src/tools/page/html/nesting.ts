import { getOwnValue } from "../../../kit/json.ts";

/** Levels of elements; real pages have up to a hundred, and what reads them goes down by recursion. */
const deepest = 400;

/**
 * Returns the page up to where its elements are nested too deeply. Paragraphs, items and cells are closed before the next one,
 * as browsers do, because each would otherwise be nested in the one before. It makes one pass, without recursion.
 */
export function repairNesting(html: string): string {
  const parts: string[] = [];
  const open: string[] = [];
  let taken = 0;
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at)) {
    if (html.startsWith("<!--", at)) {
      at = findEnd(html, "-->", at + 4);
      continue;
    }
    const isEnd = html[at + 1] === "/";
    nameStart.lastIndex = at + (isEnd ? 2 : 1);
    const name = nameStart.exec(html)?.[0].toLowerCase();
    if (name === undefined) {
      at++;
      continue;
    }
    const tagEnd = findEnd(html, ">", at);
    if (rawText.has(name) && !isEnd) {
      at = findRawEnd(html, name, tagEnd);
      continue;
    }
    if (isEnd) {
      const index = open.lastIndexOf(name);
      if (index >= 0) open.length = index;
    } else if (!voids.has(name) && html[tagEnd - 2] !== "/") {
      if (open.at(-1) === "p" && entries.has(name)) {
        parts.push(html.slice(taken, at), "</p>");
        taken = at;
        open.pop();
      }
      while (isClosedBy(name, open.at(-1))) open.pop();
      if (open.push(name) > deepest) return `${parts.join("")}${html.slice(taken, at)}`;
    }
    at = tagEnd;
  }
  return `${parts.join("")}${html.slice(taken)}`;
}

const nameStart = /[a-z][^\s/>]{0,40}/iy;
/** Lists the elements whose content is not markup. */
export const rawText = new Set(["script", "style", "textarea", "title"]);
const voids = new Set(
  "area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr".split(
    " ",
  ),
);

function findEnd(html: string, mark: string, from: number): number {
  const index = html.indexOf(mark, from);
  return index < 0 ? html.length : index + mark.length;
}

/** Returns where the element's end tag begins, or the length of the page when there is none. */
export function findRawEnd(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}`, "gi");
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}

/** Returns true when an element without an end tag ends where another begins. */
function isClosedBy(name: string, open: string | undefined): boolean {
  if (open === undefined) return false;
  if (open === "p") return blocks.has(name);
  return getOwnValue(endings, open)?.includes(name) ?? false;
}

const entries = new Set("li dd dt td th tr tbody tfoot".split(" "));
const blocks = new Set(
  "p div ul ol dl table h1 h2 h3 h4 h5 h6 pre form blockquote section article aside footer header hr main nav address fieldset details figure figcaption".split(
    " ",
  ),
);
const endings: Record<string, readonly string[]> = {
  li: ["li"],
  dd: ["dd", "dt"],
  dt: ["dd", "dt"],
  option: ["option", "optgroup"],
  td: ["td", "th", "tr", "tbody", "tfoot"],
  th: ["td", "th", "tr", "tbody", "tfoot"],
  tr: ["tr", "tbody", "tfoot"],
  thead: ["tbody", "tfoot"],
  tbody: ["tbody", "tfoot"],
};
