import { parseHTML } from "linkedom";
import { cleanLine } from "../clean-text.ts";
import { removeHash, toPublicAddress } from "../page-address.ts";
import {
  isElement,
  type NextLinks,
  type PageDocument,
  type PageElement,
  type PageNode,
  readNextLinks,
  textNode,
  toBracketed,
} from "./dom.ts";
import { removeHiddenElements, type Strictness } from "./hidden-elements.ts";

export interface ParsedPage {
  document: PageDocument;
  onward: NextLinks;
}

/** The document that a reader would see: with absolute links, and without what is hidden, run or only decoration. */
export function parsePage(html: string, url: string, care: Strictness): ParsedPage {
  const { document }: { document: PageDocument } = parseHTML(whole(html));
  gather(document);
  const onward = readNextLinks(document, url);
  writeMath(document);
  removeHiddenElements(document, care);
  resolveLinks(document, url);
  describeImages(document);
  return { document, onward };
}

/** linkedom takes the first element for the root, and leaves outside what stands behind the end of body and html. */
function whole(html: string): string {
  const open = html.replace(/<\/(?:body|html)\s*>/gi, "");
  if (/<html[\s>]/i.test(open)) return open;
  return /<body[\s>]/i.test(open) ? `<html>${open}` : `<html><head></head><body>${open}`;
}

/** What stands beside the body, in a page without the tag, belongs to it; a title in it does not. */
function gather({ documentElement, head, body }: PageDocument): void {
  for (const node of [...documentElement.childNodes]) if (node !== head && node !== body) body.appendChild(node);
  for (const title of [...body.getElementsByTagName("title")]) head.appendChild(title);
}

/** The attribute under which a link's address is found: Readability would take long over each that it finds under its own name. */
export const target = "data-target";

/** Links are relative to the page's own base where it names one; what leads nowhere but into the page itself is none. */
function resolveLinks(document: PageDocument, url: string): void {
  const own = document.querySelector("base[href]")?.getAttribute("href") ?? "";
  const base = URL.parse(own, url)?.href ?? url;
  for (const element of [...document.getElementsByTagName("base")]) element.remove();
  for (const link of document.getElementsByTagName("a")) {
    const there = targetOf(link.getAttribute("href")?.trim() ?? "", base, url);
    link.removeAttribute("href");
    if (there !== undefined) link.setAttribute(target, there);
  }
}

function targetOf(href: string, base: string, page: string): string | undefined {
  if (href === "" || href.startsWith("#")) return undefined;
  const there = URL.parse(href, base);
  if (there === null || !/^https?:$/.test(there.protocol)) return undefined;
  return there.hash !== "" && removeHash(there.href) === removeHash(page) ? undefined : toPublicAddress(there);
}

/** People know a picture by its looks, we by its description. */
function describeImages(document: PageDocument): void {
  for (const image of [...document.getElementsByTagName("img")]) {
    const description = cleanLine(image.getAttribute("alt"), 300);
    if (description === "") image.remove();
    else image.replaceWith(description);
  }
}

/** Writes formulas (MathML, https://www.w3.org/TR/mathml-core/) as a line of text; those that KaTeX wrote twice, once. */
export function writeMath(document: PageDocument): void {
  for (const math of [...document.getElementsByTagName("math")]) {
    const katex = math.closest(".katex");
    const formula = lineOf(math).trim();
    if (katex === null) math.replaceWith(formula);
    else if (katex.parentElement !== null) katex.replaceWith(formula);
  }
}

function lineOf(node: PageNode): string {
  if (node.nodeType === textNode) return node.textContent.replace(/\s+/g, " ").trim();
  if (!isElement(node) || unread.has(node.localName)) return "";
  const parts = partsOf(node);
  const [first = "", second = "", third = ""] = parts;
  switch (node.localName) {
    case "mfrac":
      return `${toBracketed(first)}/${toBracketed(second)}`;
    case "msup":
    case "mover":
      return `${toBracketed(first)}^${toBracketed(second)}`;
    case "msub":
    case "munder":
      return `${toBracketed(first)}_${toBracketed(second)}`;
    case "msubsup":
    case "munderover":
      return `${first}_${toBracketed(second)}^${toBracketed(third)}`;
    case "msqrt":
      return `√${toBracketed(joined(parts))}`;
    case "mroot":
      return `${toBracketed(first)}^(1/${toBracketed(second)})`;
    case "mfenced":
      return `(${parts.join(", ")})`;
    case "mtr":
      return parts.join(", ");
    case "mtable":
      return `[${parts.join("; ")}]`;
    case "mtext":
      return node.textContent.replace(/\s+/g, " ");
    default:
      return joined(parts);
  }
}

/** Of the formula's own elements, also those that say nothing have their place. */
function partsOf(element: PageElement): string[] {
  const nodes = [...element.childNodes];
  return (nodes.some(isElement) ? nodes.filter(isElement) : nodes).map(lineOf);
}

/** Two numbers side by side stay two. */
function joined(parts: readonly string[]): string {
  return parts.reduce((line, part) => `${line}${/\d$/.test(line) && /^\d/.test(part) ? " " : ""}${part}`, "");
}

// Nobody sees the source that a formula may carry with it.
const unread = new Set(["annotation", "annotation-xml", "mphantom", "script", "style"]);
