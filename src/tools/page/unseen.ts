import type { PageDocument, PageElement } from "./dom.ts";

/** Takes out what a reader of the page does not see, where text is hidden for us alone, and what is in the way of reading. */
export function removeUnseen(document: PageDocument): void {
  for (const element of [...document.querySelectorAll("*")]) {
    if (isUnseen(element)) element.remove();
    // A question that opens its answer.
    else if (element.localName === "button") element.replaceWith(...element.childNodes);
  }
}

function isUnseen(element: PageElement): boolean {
  const { localName } = element;
  if (neverRead.has(localName)) return true;
  if (localName === "button") return !/^(?:h[1-6]|dt|summary)$/.test(element.parentElement?.localName ?? "");
  if (localName === "script") return element.getAttribute("type") !== "application/ld+json";
  if (localName === "html" || localName === "body" || localName === "head") return false;
  return isHidden(element) || isInTheWay(element);
}

const neverRead = new Set(
  "style noscript template iframe frame object embed svg canvas audio video input select textarea dialog map".split(
    " ",
  ),
);

function isHidden(element: PageElement): boolean {
  if (element.hasAttribute("hidden") || element.getAttribute("aria-hidden") === "true") return true;
  const style = element.getAttribute("style");
  return style !== null && hidesText(style.replace(/\s+/g, "").toLowerCase());
}

/** `style` in lower case without spaces. */
function hidesText(style: string): boolean {
  if (hidingStyle.test(style)) return true;
  // What moves in as the page is scrolled begins like this too.
  if (/(?:^|;)opacity:0?\.?0+(?:;|!|$)/.test(style)) return !/transition|animation|transform|will-change/.test(style);
  if (/(?:^|;)position:(?:absolute|fixed)/.test(style)) return farAway.test(style) || /(?:^|;)clip:rect\(/.test(style);
  return (
    /(?:^|;)(?:max-)?(?:height|width):[01](?:px)?(?:;|!|$)/.test(style) &&
    /(?:^|;)overflow(?:-[xy])?:(?:hidden|clip)/.test(style)
  );
}

const hidingStyle =
  /(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|font-size:(?:0|0?\.\d+|1)(?:px|pt|em|rem|%)?(?:;|!|$)|text-indent:-\d{3,}|clip-path:inset\((?:50|100)%|color:transparent|transform:scale\(0)/;
const farAway = /(?:^|;)(?:left|right|top|bottom|margin-left|margin-top):-\d{3,}/;

/** Cookie questions, marks for editing, footnote marks that look like citations, links that a heading has to itself. */
function isInTheWay(element: PageElement): boolean {
  const { localName, className, id } = element;
  if (/^(?:dialog|alertdialog)$/.test(element.getAttribute("role") ?? "")) return true;
  if (typeof className !== "string" || (className === "" && id === "")) return false;
  const names = `${className} ${id}`;
  if (localName === "sup" && /\breference\b|footnote/.test(names)) return true;
  if (localName === "a" && /\b(?:headerlink|heading-anchor|header-anchor|hash-link|anchorjs-link)\b/.test(names))
    return true;
  if (standsBelow.test(names)) return true;
  return (
    asksConsent.test(names) || /\b(?:mw-editsection|navbox|noprint|linenos|lineno|line-numbers-rows)\b/.test(names)
  );
}

const asksConsent =
  /(?:cookies?|gdpr|consent|privacy)[-_]?(?:banner|bar|notice|consent|popup|pop-up|modal|overlay|dialog|message|wall|prompt|law)|onetrust|cookiebot|didomi|usercentrics|\bcc-window\b/i;

const standsBelow = /(?:^|\s)(?:(?:site|page|global)?[-_]?footer|breadcrumbs?|pagination)(?:\s|$)/i;
