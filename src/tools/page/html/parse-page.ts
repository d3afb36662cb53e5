import { parseHTML } from "linkedom";
import { cleanLine } from "../clean-text.ts";
import { removeHash, toPublicAddress } from "../page-address.ts";
import type { PageDocument } from "./dom.ts";
import { removeHiddenElements, type Strictness } from "./hidden-elements.ts";
import { writeMath } from "./math.ts";
import { type NextLinks, readNextLinks } from "./next-links.ts";

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
