import { removeHash, toPublicAddress } from "../page.ts";

/** Lists the members of the DOM that the code uses. */
export interface PageNode {
  readonly nodeType: number;
  readonly childNodes: Iterable<PageNode>;
  readonly firstChild: PageNode | null;
  readonly parentElement: PageElement | null;
  readonly previousSibling: PageNode | null;
  readonly nextSibling: PageNode | null;
  textContent: string;
  remove(): void;
}

export interface PageElement extends PageNode {
  readonly localName: string;
  readonly className: string;
  readonly id: string;
  readonly children: Iterable<PageElement>;
  readonly firstElementChild: PageElement | null;
  readonly previousElementSibling: PageElement | null;
  readonly nextElementSibling: PageElement | null;
  cloneNode(deep: boolean): PageElement;
  before(...nodes: (PageNode | string)[]): void;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  hasAttribute(name: string): boolean;
  removeAttribute(name: string): void;
  appendChild(node: PageNode): void;
  replaceWith(...nodes: (PageNode | string)[]): void;
  getElementsByTagName(name: string): Iterable<PageElement>;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  closest(selector: string): PageElement | null;
}

export interface PageDocument {
  readonly title: string;
  readonly documentElement: PageElement;
  readonly head: PageElement;
  readonly body: PageElement;
  createElement(name: string): PageElement;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  getElementsByTagName(name: string): Iterable<PageElement>;
}

const elementNode = 1;
export const textNode = 3;

export function isElement(node: PageNode): node is PageElement {
  return node.nodeType === elementNode;
}

/** Counts the characters of text that is not in a link or a navigation, without spaces at its ends. */
export function countProse(element: PageNode): number {
  let length = 0;
  for (const child of element.childNodes) {
    if (child.nodeType === textNode) length += child.textContent.trim().length;
    else if (isElement(child) && child.localName !== "a" && !isBoilerplate(child)) length += countProse(child);
  }
  return length;
}

/**
 * Removes the elements that mark themselves as surroundings of the content. Returns the main element, or the body when the main
 * element cannot be trusted.
 */
export function removeBoilerplate(body: PageElement): PageElement {
  for (const element of [...body.querySelectorAll("*")]) if (isBoilerplate(element)) element.remove();
  const main = body.querySelector("main, [role=main]");
  return main !== null && countProse(main) >= mostOfIt * countProse(body) ? main : body;
}

/** A main element with a smaller share of the prose than this is not trusted. */
const mostOfIt = 0.6;

/** Returns true when an element's own tag, role, class or ID marks it as surroundings of the content. */
export function isBoilerplate(element: PageElement): boolean {
  const { localName, className, id } = element;
  if (tags.has(localName) || roles.has(element.getAttribute("role") ?? "")) return true;
  if (localName === "header") return element.closest("article, main, section") === null;
  return boxes.has(localName) && names.test(`${className} ${id}`);
}

const tags = new Set(["nav", "aside", "footer", "form", "script"]);
const roles = new Set(["navigation", "banner", "contentinfo", "complementary", "search", "menu", "toolbar"]);
const boxes = new Set(["div", "section", "ul", "ol", "p"]);
const names =
  /(?:^|[\s_-])(?:sidebar|side-bar|breadcrumbs?|pagination|pager|share|sharing|social|newsletter|subscribe|navbar|nav|menu|topbar|footer|site-header|advert(?:isement)?s?|ads?|promo|related(?:-\w+)?|recommend(?:ed|ations?)?)(?:$|[\s_-])/i;

/** Holds where a page leads: to its next part, and to the contents of its frames. */
export interface NextLinks {
  next: string | undefined;
  frames: { url: string; title: string }[];
}

const mostFrames = 10;

/** Must run before anything is removed from the page. */
export function readNextLinks(document: PageDocument, url: string): NextLinks {
  const base = URL.parse(document.querySelector("base[href]")?.getAttribute("href") ?? "", url)?.href ?? url;
  const resolve = (address: string | null): string | undefined => {
    const there = address === null || address.trim() === "" ? null : URL.parse(address.trim(), base);
    if (there === null || !/^https?:$/.test(there.protocol) || there.href.length > 500) return undefined;
    return removeHash(there.href) === removeHash(url) ? undefined : toPublicAddress(there);
  };
  const frames = [...document.querySelectorAll("iframe, frame")].filter(isShown).flatMap((frame) => {
    const there = resolve(frame.getAttribute("src"));
    return there === undefined ? [] : [{ url: there, title: frame.getAttribute("title") ?? "" }];
  });
  return {
    next: resolve(findNextLink(document)?.getAttribute("href") ?? null),
    frames: frames.filter((frame) => !advertising.test(frame.url)).slice(0, mostFrames),
  };
}

function findNextLink(document: PageDocument): PageElement | undefined {
  const named = document.querySelector("a[rel~=next], link[rel~=next]");
  if (named !== null) return named;
  const pagers = document.querySelectorAll("[class*=pag] a[href], [id*=pag] a[href], nav a[href]");
  return [...pagers].find(({ textContent }) => forward.test(textContent.trim()));
}

const forward = /^(?:next(?: page)?|下一页|下页|后一页|下一頁|次へ|次のページ|suivante?|weiter|siguiente)?\s*[›»→>]?$/i;

function isShown(frame: PageElement): boolean {
  const isTiny = ["width", "height"].some((side) => /^[01](?:px)?$/.test(frame.getAttribute(side) ?? ""));
  if (isTiny || frame.closest("noscript, template, [hidden]") !== null) return false;
  return !/display\s*:\s*none|visibility\s*:\s*hidden/i.test(frame.getAttribute("style") ?? "");
}

const advertising =
  /^https?:\/\/[^/]*(?:doubleclick|googlesyndication|googletagmanager|google-analytics|recaptcha|hcaptcha|adservice|amazon-adsystem|criteo)|\/recaptcha\/|facebook\.com\/plugins/i;

/** Writes powers, indices and fractions as a line of text has them: 10^6, x_1, 1 1/2. Marks of notes and ordinals stay as they are. */
export function writeNotation(content: PageElement): void {
  for (const above of [...content.querySelectorAll("sup")]) writeFraction(above);
  // From the inside outwards: a power may have a power.
  for (const element of [...content.querySelectorAll("sup, sub")].reverse()) writeScript(element);
}

/** Writes a fraction that consists of a sup, a slash and a sub. */
function writeFraction(above: PageElement): void {
  const slash = above.nextSibling;
  const below = slash?.nextSibling ?? null;
  if (slash?.nodeType !== textNode || !/^\s*[/\u2044\u2215]\s*$/.test(slash.textContent)) return;
  if (below === null || !isElement(below) || below.localName !== "sub") return;
  const space = /\d$/.test(getTextBefore(above)) ? " " : "";
  const fraction = `${space}${toBracketed(above.textContent.trim())}/${toBracketed(below.textContent.trim())}`;
  slash.remove();
  below.remove();
  above.replaceWith(fraction);
}

function writeScript(element: PageElement): void {
  const text = element.textContent.trim();
  if (text === "" || isMark(element, text) || getTextBefore(element) === "") {
    element.replaceWith(...element.childNodes);
    return;
  }
  element.replaceWith(element.localName === "sup" ? "^" : "_", toBracketed(text));
}

function isMark(element: PageElement, text: string): boolean {
  if (element.querySelector("a, img") !== null || /^[[【（(〔]|^[*†‡§¶™®©℠]+$/u.test(text)) return true;
  return element.localName === "sup" && /^(?:st|nd|rd|th|e|er|re|ème|[ºª°]|tm|sm)$/i.test(text);
}

/** Returns the text directly before an element on its line. */
function getTextBefore(element: PageElement): string {
  let place: PageElement = element;
  while (place.previousSibling === null && place.parentElement !== null && inline.has(place.localName))
    place = place.parentElement;
  const before: PageNode | null = place.previousSibling;
  return before === null || (isElement(before) && before.localName === "br") ? "" : before.textContent.trimEnd();
}

const inline = new Set("sup sub span i em b strong var font small u mark".split(" "));

/** Adds brackets unless the text is a single number or word. */
export function toBracketed(text: string): string {
  return /^[+\-−–±]?[\p{L}\p{N}.,%′'°∞]+$/u.test(text) || /^\([^()]*\)$/.test(text) ? text : `(${text})`;
}
