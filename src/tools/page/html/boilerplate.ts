import { isElement, type PageElement, type PageNode, textNode } from "./dom.ts";

/** Characters of text, without spaces at its ends, that is no link and stands in no navigation. */
export function countProse(element: PageNode): number {
  let length = 0;
  for (const child of element.childNodes) {
    if (child.nodeType === textNode) length += child.textContent.trim().length;
    else if (isElement(child) && child.localName !== "a" && !isBoilerplate(child)) length += countProse(child);
  }
  return length;
}

/** What is left of a page when what stands round its content by its own word is taken out. */
export function removeBoilerplate(body: PageElement): PageElement {
  for (const element of [...body.querySelectorAll("*")]) if (isBoilerplate(element)) element.remove();
  const main = body.querySelector("main, [role=main]");
  return main !== null && countProse(main) >= mostOfIt * countProse(body) ? main : body;
}

/** A main element that holds less of the prose than this is not to be trusted. */
const mostOfIt = 0.6;

/** Whether an element stands round the content by its own word. */
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
