import { countProse, type PageDocument, type PageElement } from "./dom.ts";

/**
 * Sets how much is removed. A `careful` reading also removes what is most likely not content; a `generous` one removes only what
 * is certainly not.
 */
export type Strictness = "careful" | "generous";

type Fate = "out" | "opened" | "kept";

/** Takes out what a reader of the page does not see, where text is hidden for us alone, and what is in the way of reading. */
export function removeHiddenElements(document: PageDocument, care: Strictness): void {
  const fateOf = createJudge(document, care);
  // All are judged before the first is gone: a panel is known by the button before it.
  const all = [...document.querySelectorAll("*")].map((element) => ({ element, fate: fateOf(element) }));
  for (const { element, fate } of all) {
    if (fate === "out") element.remove();
    else if (fate === "opened") for (const name of ["style", "hidden", "aria-hidden"]) element.removeAttribute(name);
    else if (element.localName === "button") unwrapButton(element, document);
  }
}

/** Replaces a button with its text, as a heading or a paragraph. */
function unwrapButton(button: PageElement, document: PageDocument): void {
  if (/^(?:h[1-6]|dt|summary|p|span|li)$/.test(button.parentElement?.localName ?? "")) {
    button.replaceWith(...button.childNodes);
    return;
  }
  const paragraph = document.createElement("p");
  for (const child of [...button.childNodes]) paragraph.appendChild(child);
  button.replaceWith(paragraph);
}

function createJudge(document: PageDocument, care: Strictness): (element: PageElement) => Fate {
  const styleOf = readStyles(document);
  const { isPanel } = findDisclosures(document.body);
  const isShut = (element: PageElement): boolean =>
    element.hasAttribute("hidden") || element.getAttribute("aria-hidden") === "true" || isClosed(styleOf(element));
  return (element) => {
    const { localName } = element;
    if (localName === "script") return element.getAttribute("type") === "application/ld+json" ? "kept" : "out";
    if (localName === "dialog") return care === "generous" && hasMuchText(element) ? "opened" : "out";
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

/**
 * Returns true for cookie prompts, edit links, footnote marks that look like citations, and links that a heading has to itself.
 */
function isInTheWay(element: PageElement, care: Strictness): boolean {
  const { localName, className, id } = element;
  const isDialog = /^(?:dialog|alertdialog)$/.test(element.getAttribute("role") ?? "");
  if (isDialog) return care === "careful" || !hasMuchText(element);
  if (typeof className !== "string" || (className === "" && id === "")) return false;
  const names = `${className} ${id}`;
  if (localName === "sup" && /\breference\b|footnote/.test(names)) return true;
  if (localName === "a" && /\b(?:headerlink|heading-anchor|header-anchor|hash-link|anchorjs-link)\b/.test(names))
    return true;
  if (/\b(?:mw-editsection|navbox|noprint|linenos|lineno|line-numbers-rows)\b/.test(names)) return true;
  if (asksConsent.test(names)) return !/^(?:main|article)$/.test(localName) && !hasMuchText(element);
  return standsBelow.test(names) && care === "careful";
}

/** Returns true when the element is long or holds main content. A prompt to the reader is short and does not contain the page. */
function hasMuchText(element: PageElement): boolean {
  if (element.querySelector("main, article, h1") !== null) return true;
  return element.textContent.replace(/\s+/g, " ").length > 1500;
}

const asksConsent =
  /(?:cookies?|gdpr|consent|privacy)[-_]?(?:banner|bar|notice|consent|popup|pop-up|modal|overlay|dialog|message|wall|prompt|law)|onetrust|cookiebot|didomi|usercentrics|\bcc-window\b/i;

const standsBelow = /(?:^|\s)(?:(?:site|page|global)?[-_]?footer|breadcrumbs?|pagination)(?:\s|$)/i;

/** Finds out what opens at a click: its text is part of the page though it is hidden at first. */
export function findDisclosures(body: PageElement): { isPanel(element: PageElement): boolean } {
  const controlled = new Set<string>();
  for (const opener of body.querySelectorAll("[aria-controls]"))
    for (const id of (opener.getAttribute("aria-controls") ?? "").split(/\s+/)) controlled.add(id);
  return {
    isPanel(element) {
      const isNamed = element.getAttribute("role") === "tabpanel" || panelNames.test(element.className);
      if (!isNamed && !(element.id !== "" && controlled.has(element.id)) && !isAfterButton(element)) return false;
      return isText(element);
    },
  };
}

const panelNames =
  /(?:^|[\s_-])(?:accordion|collapse|collapsible|expandable|faq|tab[-_]?(?:panel|pane|content))(?:$|[\s_-])/i;

function isAfterButton({ previousElementSibling: before }: PageElement): boolean {
  if (before === null) return false;
  if (isButton(before)) return true;
  const button = before.querySelector("button, [role=button]");
  return button !== null && button.textContent.trim() === before.textContent.trim();
}

/** Returns true when a panel holds text. A list of links is a menu, and a panel that asks for input is a form. */
function isText(panel: PageElement): boolean {
  const length = panel.textContent.trim().length;
  return countProse(panel) * 2 > length && panel.querySelector("input, select, textarea") === null;
}

function isButton(element: PageElement): boolean {
  return element.localName === "button" || element.getAttribute("role") === "button";
}

/**
 * Returns true when a button's text belongs to the page, because it is the heading of what it opens, or says much about what
 * follows it.
 */
export function isTextHeading(button: PageElement, isHidden: (element: PageElement) => boolean): boolean {
  if (/^(?:h[1-6]|dt|summary)$/.test(button.parentElement?.localName ?? "")) return true;
  if (button.getAttribute("role") === "tab") return true;
  const text = button.textContent.trim();
  const next = findBelow(button);
  if (next === null || !/^(?:div|p|section|dd|ul|ol|article)$/.test(next.localName) || !isText(next)) return false;
  if (button.hasAttribute("aria-expanded") || button.hasAttribute("aria-controls")) return true;
  return isHidden(next) || /[?？]$/.test(text) || text.length >= 20 || /\p{Script=Han}{8}/u.test(text);
}

/** Returns the element after a button, or after a wrapper that holds only the button. */
function findBelow(button: PageElement): PageElement | null {
  const { parentElement: parent, nextElementSibling: next } = button;
  const isAlone = next === null && parent?.textContent.trim() === button.textContent.trim();
  return isAlone ? (parent?.nextElementSibling ?? null) : next;
}

/** Limits how many characters of the page's own styles are read, and how many rules. */
const longest = 500_000;
const mostRules = 5000;

/** Limits the rules for one name to as many as a real page has. */
const mostForKey = 40;

interface Rule {
  tag: string;
  id: string;
  classes: readonly string[];
  style: string;
  weight: number;
}

/** Returns the normalised style of an element, from the page's simple rules and its own style attribute. */
export type StyleOf = (element: PageElement) => string;

/** Reads the page's own `<style>`: rules of an element, an id or classes, without what stands round it and for every screen. */
export function readStyles(document: PageDocument): StyleOf {
  const rules = parseRules(collectStyles(document)).filter(({ style }) => telling.test(style));
  const byKey = new Map(Array.from(Map.groupBy(rules, toKey), ([key, all]) => [key, all.slice(-mostForKey)]));
  return (element) => {
    const inline = normalizeStyle(element.getAttribute("style") ?? "");
    const found = byKey.size === 0 ? [] : listKeys(element).flatMap((key) => byKey.get(key) ?? []);
    const matching = found.filter((rule) => isMatch(rule, element)).sort((one, other) => one.weight - other.weight);
    return matching.length === 0 ? inline : joinStylesInForce([...matching.map(({ style }) => style), inline]);
  };
}

/** Lists the properties that hide, or that show again. */
const telling =
  /;(?:display|visibility|content-visibility|opacity|position|left|right|top|bottom|margin|clip|text-indent|font-size|color|filter|transform|translate|height|width|max-|overflow|-webkit-text-fill)/;

function collectStyles(document: PageDocument): string {
  const styles = [...document.getElementsByTagName("style")].filter(
    (style) => !/print|width|height/.test(style.getAttribute("media") ?? "") && style.closest("noscript, svg") === null,
  );
  return styles
    .map(({ textContent }) => textContent)
    .join("\n")
    .slice(0, longest)
    .replace(/\/\*[\s\S]*?(?:\*\/|$)/g, " ");
}

/** Rules within others, as those for small screens or for paper, are left out. */
function parseRules(css: string): Rule[] {
  const rules: Rule[] = [];
  const brace = /[{}]/g;
  let depth = 0;
  let start = 0;
  let selector = "";
  for (let found = brace.exec(css); found !== null && rules.length < mostRules; found = brace.exec(css)) {
    if (found[0] === "{" && depth++ === 0) selector = css.slice(start, found.index);
    if (found[0] === "}" && depth > 0 && --depth === 0 && !selector.includes("@"))
      rules.push(...createRules(selector, css.slice(start + selector.length + 1, found.index)));
    if (depth === 0) start = found.index + 1;
  }
  return rules;
}

const simple = /^([a-z][a-z\d]*|\*)?((?:[.#](?:[\w-]|[^\x00-\x7f]|\\.)+)*)$/i;

function createRules(selectors: string, declarations: string): Rule[] {
  const style = normalizeStyle(declarations);
  return selectors.split(",").flatMap((selector) => {
    const [found, tag = "", names = ""] = simple.exec(selector.trim()) ?? [];
    if (found === undefined || found === "" || found === "*") return [];
    const parts = names.match(/[.#][^.#]+/g) ?? [];
    const ids = parts.filter((part) => part.startsWith("#"));
    const classes = parts.filter((part) => part.startsWith(".")).map((part) => part.slice(1).replaceAll("\\", ""));
    const weight = ids.length * 10_000 + classes.length * 100 + (tag === "" || tag === "*" ? 0 : 1);
    return [{ tag: tag.replace("*", "").toLowerCase(), id: ids[0]?.slice(1) ?? "", classes, style, weight }];
  });
}

function toKey({ tag, id, classes: [first] }: Rule): string {
  if (id !== "") return `#${id}`;
  return first === undefined ? tag : `.${first}`;
}

function listKeys(element: PageElement): string[] {
  return [element.localName, `#${element.id}`, ...listClasses(element).map((name) => `.${name}`)];
}

function listClasses(element: PageElement): string[] {
  return (element.getAttribute("class") ?? "").split(/\s+/).slice(0, 100);
}

function isMatch({ tag, id, classes }: Rule, element: PageElement): boolean {
  if ((tag !== "" && tag !== element.localName) || (id !== "" && id !== element.id)) return false;
  if (classes.length === 0) return true;
  const own = new Set(listClasses(element));
  return classes.every((name) => own.has(name));
}

/** Returns the effective declarations: the last one of each property, unless an earlier one is `!important`. */
function joinStylesInForce(styles: readonly string[]): string {
  const declared = new Map<string, string>();
  for (const declaration of styles.flatMap((style) => style.split(";"))) {
    const [property = "", ...value] = declaration.split(":");
    const held = declared.get(property);
    if (value.length > 0 && (!held?.includes("!important") || declaration.includes("!important")))
      declared.set(property, value.join(":"));
  }
  return `;${Array.from(declared, ([property, value]) => `${property}:${value};`).join("")}`;
}

/**
 * Normalises a style for matching. The result is in lower case, without comments, escapes and spaces, and each declaration ends
 * with a semicolon.
 */
function normalizeStyle(style: string): string {
  const plain = style
    .slice(0, 5000)
    .replace(/\/\*[\s\S]*?(?:\*\/|$)/g, "")
    .replace(/\\([\da-f]{1,6})\s?|\\([^\n])/gi, (_, code: string | undefined, character: string | undefined) =>
      code === undefined ? (character ?? "") : String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)),
    )
    .toLowerCase()
    .replace(/\s+/g, "");
  return plain === "" ? "" : `;${plain};`;
}

/** Returns true when the style collapses a part of the page, such as one that opens at a click. Takes a normalised style. */
function isClosed(style: string): boolean {
  if (/;(?:display:none|visibility:(?:hidden|collapse)|content-visibility:hidden)/.test(style)) return true;
  return /;(?:max-)?height:0(?:px)?[;!]/.test(style) && /;overflow(?:-[xy])?:(?:hidden|clip)/.test(style);
}

/**
 * Returns true when the style makes a part of the page transparent for good. One that fades in at a scroll does not count. Takes
 * a normalised style.
 */
export function isFaded(style: string): boolean {
  if (!/;opacity:(?:0?\.?0+%?)[;!]/.test(style)) return false;
  return !/transition|animation|transform|will-change/.test(style);
}

/** Returns true when the style hides text from every reader. Takes a normalised style. */
export function isDisguised(style: string): boolean {
  if (disguise.test(style) || farAway.test(style)) return true;
  if (/;position:(?:absolute|fixed)/.test(style) && (away.test(style) || /;clip:rect\(/.test(style))) return true;
  return /;(?:max-)?(?:height|width):[01](?:px)?[;!]/.test(style) && /;overflow(?:-[xy])?:(?:hidden|clip)/.test(style);
}

const disguise =
  /;(?:font-size:(?:0|0?\.\d+|1)(?:px|pt|em|rem|%)?[;!]|text-indent:-\d{3,}|clip-path:inset\((?:50|100)%|(?:-webkit-text-fill-)?color:(?:transparent|(?:rgb|hsl)a?\((?:(?:[^,)]*,){3}|[^)]*\/)0?\.?0*%?\)[;!]|#(?:[\da-f]{3}0|[\da-f]{6}00)[;!])|transform:[^;]*scale\(0|filter:[^;]*opacity\(0?\.?0*%?\))/;
const away = /;(?:left|right|top|bottom|inset[a-z-]*):-\d{3,}/;
const farAway =
  /;(?:left|right|top|bottom|margin(?:-left|-top)?|transform:[^;]*translate(?:[xy3]d?)?\([^;]*?|translate):?(?:0(?:px)?,)?-(?:(?:9\d\d|\d{4,})(?:\.\d+)?(?:px)?|\d{2,}(?:\.\d+)?r?em|[2-9]\d{2,}(?:vw|vh|%))[;!,)]/;
