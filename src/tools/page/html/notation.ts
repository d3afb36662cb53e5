import { isElement, type PageElement, type PageNode, textNode } from "./dom.ts";

/** Writes powers, indices and fractions as a line of text has them: 10^6, x_1, 1 1/2. Marks of notes and ordinals stay as they are. */
export function writeNotation(content: PageElement): void {
  for (const above of [...content.querySelectorAll("sup")]) writeFraction(above);
  // From the inside outwards: a power may have a power.
  for (const element of [...content.querySelectorAll("sup, sub")].reverse()) writeScript(element);
}

/** A sup, a slash and a sub. */
function writeFraction(above: PageElement): void {
  const slash = above.nextSibling;
  const below = slash?.nextSibling ?? null;
  if (slash?.nodeType !== textNode || !/^\s*[/\u2044\u2215]\s*$/.test(slash.textContent)) return;
  if (below === null || !isElement(below) || below.localName !== "sub") return;
  const space = /\d$/.test(textBefore(above)) ? " " : "";
  const fraction = `${space}${toBracketed(above.textContent.trim())}/${toBracketed(below.textContent.trim())}`;
  slash.remove();
  below.remove();
  above.replaceWith(fraction);
}

function writeScript(element: PageElement): void {
  const text = element.textContent.trim();
  if (text === "" || isMark(element, text) || textBefore(element) === "") {
    element.replaceWith(...element.childNodes);
    return;
  }
  element.replaceWith(element.localName === "sup" ? "^" : "_", toBracketed(text));
}

function isMark(element: PageElement, text: string): boolean {
  if (element.querySelector("a, img") !== null || /^[[【（(〔]|^[*†‡§¶™®©℠]+$/u.test(text)) return true;
  return element.localName === "sup" && /^(?:st|nd|rd|th|e|er|re|ème|[ºª°]|tm|sm)$/i.test(text);
}

/** What stands right before an element in its line. */
function textBefore(element: PageElement): string {
  let place: PageElement = element;
  while (place.previousSibling === null && place.parentElement !== null && inline.has(place.localName))
    place = place.parentElement;
  const before: PageNode | null = place.previousSibling;
  return before === null || (isElement(before) && before.localName === "br") ? "" : before.textContent.trimEnd();
}

const inline = new Set("sup sub span i em b strong var font small u mark".split(" "));

/** One number or word needs none. */
export function toBracketed(text: string): string {
  return /^[+\-−–±]?[\p{L}\p{N}.,%′'°∞]+$/u.test(text) || /^\([^()]*\)$/.test(text) ? text : `(${text})`;
}
