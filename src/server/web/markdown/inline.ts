import type { MarkedToken, Token } from "marked";
import { type Locale, say } from "../../../kit/locale.ts";
import { printable, printableLine } from "../../../kit/text/sanitize.ts";
import { element } from "../dom.ts";
import type { OpenLink } from "../link.ts";
import { readEntities } from "./entities.ts";
import { isKnown } from "./lex.ts";
import { linkAddress, placeToName } from "./link-address.ts";
import { words } from "./words.ts";

export interface Writing {
  readonly locale: Locale;
  /** Opens a page elsewhere; absent where a link does that by itself. */
  readonly openLink: OpenLink | undefined;
  /** What stands in the place of `[n]`. */
  citation(n: number): Node;
  /** How deep it stands in others of its kind. */
  readonly depth?: number | undefined;
}

/** Deeper than anybody writes; what goes on is shown as it is written. */
const deepest = 20;

export function deeper(writing: Writing): Writing {
  return { ...writing, depth: (writing.depth ?? 0) + 1 };
}

export function isTooDeep({ depth = 0 }: Writing): boolean {
  return depth > deepest;
}

/** Running text as nodes. Nothing in it loads anything; what is no mark of Markdown's is text, HTML too. */
export function inlineNodes(tokens: readonly Token[], writing: Writing): Node[] {
  if (isTooDeep(writing)) return textNodes(tokens.map(({ raw }) => raw).join(""), writing);
  const nodes: Node[] = [];
  let text = "";
  for (const token of tokens) {
    const plain = plainTextOf(token);
    if (plain !== undefined) {
      text += plain;
      continue;
    }
    nodes.push(...textNodes(text, writing), ...nodesOf(token, writing));
    text = "";
  }
  return [...nodes, ...textNodes(text, writing)];
}

/** A number of a source may be cut in two by the lexer, so texts side by side are one. */
function plainTextOf(token: Token): string | undefined {
  if (!isKnown(token)) return token.raw;
  if (token.type === "text") return token.tokens === undefined ? readEntities(token.text) : undefined;
  if (token.type === "escape") return token.text;
  return token.type === "html" && !isBreak(token.raw) ? token.raw : undefined;
}

function textNodes(text: string, { citation }: Writing): Node[] {
  return text.split(/(\[\d{1,4}\])/).flatMap((part, index) => {
    if (part === "") return [];
    return [index % 2 === 1 ? citation(Number(part.slice(1, -1))) : document.createTextNode(printable(part))];
  });
}

function nodesOf(token: Token, writing: Writing): Node[] {
  if (!isKnown(token)) return [];
  switch (token.type) {
    case "strong":
    case "em":
    case "del":
      return [element(token.type, {}, ...inlineNodes(token.tokens, deeper(writing)))];
    case "text":
      return inlineNodes(token.tokens ?? [], deeper(writing));
    case "codespan":
      return [element("code", {}, printable(token.text))];
    case "br":
    case "html":
      return [element("br")];
    case "link":
      return linkNodes(token, writing);
    case "image":
      return [imageNode(token, writing)];
    case "checkbox":
      return [checkbox(token.checked, writing.locale), document.createTextNode(" ")];
    default:
      return [document.createTextNode(printable(token.raw))];
  }
}

type LinkToken = Extract<MarkedToken, { type: "link" }>;

function linkNodes({ href, text, tokens }: LinkToken, writing: Writing): Node[] {
  const url = linkAddress(href);
  const inner = inlineNodes(tokens, { ...deeper(writing), citation: (n) => document.createTextNode(`[${n}]`) });
  const shown = inner.length > 0 ? inner : [document.createTextNode(printableLine(href))];
  if (url === undefined) return [...shown, ...placeNodes(printableLine(href))];
  const rel = "noopener noreferrer nofollow";
  const link = element("a", { href: url.href, target: "_blank", rel, title: printableLine(url.href) }, ...shown);
  const { openLink } = writing;
  if (openLink !== undefined)
    link.addEventListener("click", (event) => {
      event.preventDefault();
      void openLink(url.href);
    });
  const place = placeToName(readEntities(inner.length > 0 ? text : href), url);
  return [link, ...(place === undefined ? [] : placeNodes(printableLine(place)))];
}

function placeNodes(place: string): Node[] {
  return [document.createTextNode(" "), element("span", { class: "place" }, `(${place})`)];
}

/** To load one would tell its server what the answer's writer chose to put into the address. */
function imageNode({ href, text }: Extract<MarkedToken, { type: "image" }>, { locale }: Writing): Node {
  const caption = printableLine(readEntities(text));
  const title = [say(locale, words.image), caption].filter(Boolean).join(" ");
  return element("span", { class: "image" }, `🖼 ${title} `, element("code", {}, printableLine(href)));
}

function checkbox(isChecked: boolean, locale: Locale): HTMLElement {
  const label = say(locale, isChecked ? words.done : words.open);
  return element("span", { class: "check", role: "img", "aria-label": label }, isChecked ? "☑" : "☐");
}

function isBreak(html: string): boolean {
  return /^<br *\/?>$/i.test(html);
}
