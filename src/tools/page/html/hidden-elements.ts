import { findDisclosures, isTextHeading } from "./disclosure.ts";
import type { PageDocument, PageElement } from "./dom.ts";
import { isClosed, isDisguised, isFaded } from "./hidden-style.ts";
import { readStyles } from "./page-styles.ts";

/** How much is taken out: in a `careful` reading also what is most likely no content, in a `generous` one only what surely is none. */
export type Strictness = "careful" | "generous";

type Fate = "out" | "opened" | "kept";

/** Takes out what a reader of the page does not see, where text is hidden for us alone, and what is in the way of reading. */
export function removeHiddenElements(document: PageDocument, care: Strictness): void {
  const fateOf = judge(document, care);
  // All are judged before the first is gone: a panel is known by the button before it.
  const all = [...document.querySelectorAll("*")].map((element) => ({ element, fate: fateOf(element) }));
  for (const { element, fate } of all) {
    if (fate === "out") element.remove();
    else if (fate === "opened") for (const name of ["style", "hidden", "aria-hidden"]) element.removeAttribute(name);
    else if (element.localName === "button") unwrap(element, document);
  }
}

/** The words on a button, as a heading or a paragraph of their own. */
function unwrap(button: PageElement, document: PageDocument): void {
  if (/^(?:h[1-6]|dt|summary|p|span|li)$/.test(button.parentElement?.localName ?? "")) {
    button.replaceWith(...button.childNodes);
    return;
  }
  const paragraph = document.createElement("p");
  for (const child of [...button.childNodes]) paragraph.appendChild(child);
  button.replaceWith(paragraph);
}

function judge(document: PageDocument, care: Strictness): (element: PageElement) => Fate {
  const styleOf = readStyles(document);
  const { isPanel } = findDisclosures(document.body);
  const isShut = (element: PageElement): boolean =>
    element.hasAttribute("hidden") || element.getAttribute("aria-hidden") === "true" || isClosed(styleOf(element));
  return (element) => {
    const { localName } = element;
    if (localName === "script") return element.getAttribute("type") === "application/ld+json" ? "kept" : "out";
    if (localName === "dialog") return care === "generous" && holdsMuch(element) ? "opened" : "out";
    if (neverRead.has(localName)) return "out";
    if (localName === "html" || localName === "body" || localName === "head") return "kept";
    if (localName === "button" && !isTextHeading(element, isShut)) return "out";
    const style = styleOf(element);
    if (isDisguised(style)) return "out";
    const isDim = element.getAttribute("aria-hidden") === "true" || isFaded(style);
    if (isDim && care === "generous" && !element.hasAttribute("hidden") && !isClosed(style)) return "opened";
    if (isDim || isShut(element)) return isPanel(element) ? "opened" : "out";
    return isInTheWay(element, care) ? "out" : "kept";
  };
}

const neverRead = new Set(
  "style noscript template iframe frame object embed svg canvas audio video input select textarea map".split(" "),
);

/** Cookie questions, marks for editing, footnote marks that look like citations, links that a heading has to itself. */
function isInTheWay(element: PageElement, care: Strictness): boolean {
  const { localName, className, id } = element;
  const isDialog = /^(?:dialog|alertdialog)$/.test(element.getAttribute("role") ?? "");
  if (isDialog) return care === "careful" || !holdsMuch(element);
  if (typeof className !== "string" || (className === "" && id === "")) return false;
  const names = `${className} ${id}`;
  if (localName === "sup" && /\breference\b|footnote/.test(names)) return true;
  if (localName === "a" && /\b(?:headerlink|heading-anchor|header-anchor|hash-link|anchorjs-link)\b/.test(names))
    return true;
  if (/\b(?:mw-editsection|navbox|noprint|linenos|lineno|line-numbers-rows)\b/.test(names)) return true;
  if (asksConsent.test(names)) return !/^(?:main|article)$/.test(localName) && !holdsMuch(element);
  return standsBelow.test(names) && care === "careful";
}

/** What asks a question is short, and the page does not stand in it. */
function holdsMuch(element: PageElement): boolean {
  if (element.querySelector("main, article, h1") !== null) return true;
  return element.textContent.replace(/\s+/g, " ").length > 1500;
}

const asksConsent =
  /(?:cookies?|gdpr|consent|privacy)[-_]?(?:banner|bar|notice|consent|popup|pop-up|modal|overlay|dialog|message|wall|prompt|law)|onetrust|cookiebot|didomi|usercentrics|\bcc-window\b/i;

const standsBelow = /(?:^|\s)(?:(?:site|page|global)?[-_]?footer|breadcrumbs?|pagination)(?:\s|$)/i;
