import { parseHTML } from "linkedom";
import { cleanLine, removeHash, toPublicAddress } from "../page.ts";
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

/** Parses the document as a reader would see it: with absolute links, and without hidden, executable or decorative elements. */
export function parsePage(html: string, url: string, care: Strictness): ParsedPage {
  const { document }: { document: PageDocument } = parseHTML(completeHtml(html));
  gatherParts(document);
  const onward = readNextLinks(document, url);
  writeMath(document);
  removeHiddenElements(document, care);
  resolveLinks(document, url);
  describeImages(document);
  return { document, onward };
}

/** linkedom takes the first element as the root, and leaves out what follows the end of body and html. */
function completeHtml(html: string): string {
  const open = html.replace(/<\/(?:body|html)\s*>/gi, "");
  if (/<html[\s>]/i.test(open)) return open;
  return /<body[\s>]/i.test(open) ? `<html>${open}` : `<html><head></head><body>${open}`;
}

/** Moves nodes beside the body into it, for pages without a body tag. Titles are moved to the head. */
function gatherParts({ documentElement, head, body }: PageDocument): void {
  for (const node of [...documentElement.childNodes]) if (node !== head && node !== body) body.appendChild(node);
  for (const title of [...body.getElementsByTagName("title")]) head.appendChild(title);
}

/** Links keep their address in this attribute, because Readability takes long over each one in `href`. */
export const target = "data-target";

/** Links are relative to the page's own base where it names one; what leads nowhere but into the page itself is none. */
function resolveLinks(document: PageDocument, url: string): void {
  const own = document.querySelector("base[href]")?.getAttribute("href") ?? "";
  const base = URL.parse(own, url)?.href ?? url;
  for (const element of [...document.getElementsByTagName("base")]) element.remove();
  for (const link of document.getElementsByTagName("a")) {
    const there = toTarget(link.getAttribute("href")?.trim() ?? "", base, url);
    link.removeAttribute("href");
    if (there !== undefined) link.setAttribute(target, there);
  }
}

function toTarget(href: string, base: string, page: string): string | undefined {
  if (href === "" || href.startsWith("#")) return undefined;
  const there = URL.parse(href, base);
  if (there === null || !/^https?:$/.test(there.protocol)) return undefined;
  return there.hash !== "" && removeHash(there.href) === removeHash(page) ? undefined : toPublicAddress(there);
}

/** Replaces images with their descriptions, and removes those that have none. */
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
    const formula = toLine(math).trim();
    if (katex === null) math.replaceWith(formula);
    else if (katex.parentElement !== null) katex.replaceWith(formula);
  }
}

function toLine(node: PageNode): string {
  if (node.nodeType === textNode) return node.textContent.replace(/\s+/g, " ").trim();
  if (!isElement(node) || unread.has(node.localName)) return "";
  const parts = listParts(node);
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
      return `√${toBracketed(joinParts(parts))}`;
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
      return joinParts(parts);
  }
}

/** Every child element of a formula keeps its position, even an empty one. */
function listParts(element: PageElement): string[] {
  const nodes = [...element.childNodes];
  return (nodes.some(isElement) ? nodes.filter(isElement) : nodes).map(toLine);
}

/** Keeps two adjacent numbers apart. */
function joinParts(parts: readonly string[]): string {
  return parts.reduce((line, part) => `${line}${/\d$/.test(line) && /^\d/.test(part) ? " " : ""}${part}`, "");
}

// Nobody sees the source that a formula may carry with it.
const unread = new Set(["annotation", "annotation-xml", "mphantom", "script", "style"]);
