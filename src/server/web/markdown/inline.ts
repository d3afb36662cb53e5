import type { MarkedToken, Token } from "marked";
import { type Locale, say } from "../../../kit/locale.ts";
import { sanitize, sanitizeLine } from "../../../kit/text/sanitize.ts";
import { createElement } from "../dom.ts";
import type { OpenLink } from "../link.ts";
import { readEntities } from "./entities.ts";
import { isKnown } from "./lex.ts";
import { findHiddenHost, parseLinkAddress } from "./link-address.ts";
import { words } from "./words.ts";

export interface MarkdownContext {
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

export function toDeeperContext(writing: MarkdownContext): MarkdownContext {
  return { ...writing, depth: (writing.depth ?? 0) + 1 };
}

export function isTooDeep({ depth = 0 }: MarkdownContext): boolean {
  return depth > deepest;
}

/** Running text as nodes. Nothing in it loads anything; what is no mark of Markdown's is text, HTML too. */
export function renderInline(tokens: readonly Token[], writing: MarkdownContext): Node[] {
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

function textNodes(text: string, { citation }: MarkdownContext): Node[] {
  return text.split(/(\[\d{1,4}\])/).flatMap((part, index) => {
    if (part === "") return [];
    return [index % 2 === 1 ? citation(Number(part.slice(1, -1))) : document.createTextNode(sanitize(part))];
  });
}

function nodesOf(token: Token, writing: MarkdownContext): Node[] {
  if (!isKnown(token)) return [];
  switch (token.type) {
    case "strong":
    case "em":
    case "del":
      return [createElement(token.type, {}, ...renderInline(token.tokens, toDeeperContext(writing)))];
    case "text":
      return renderInline(token.tokens ?? [], toDeeperContext(writing));
    case "codespan":
      return [createElement("code", {}, sanitize(token.text))];
    case "br":
    case "html":
      return [createElement("br")];
    case "link":
      return linkNodes(token, writing);
    case "image":
      return [imageNode(token, writing)];
    case "checkbox":
      return [checkbox(token.checked, writing.locale), document.createTextNode(" ")];
    default:
      return [document.createTextNode(sanitize(token.raw))];
  }
}

type LinkToken = Extract<MarkedToken, { type: "link" }>;

function linkNodes({ href, text, tokens }: LinkToken, writing: MarkdownContext): Node[] {
  const url = parseLinkAddress(href);
  const inner = renderInline(tokens, {
    ...toDeeperContext(writing),
    citation: (n) => document.createTextNode(`[${n}]`),
  });
  const shown = inner.length > 0 ? inner : [document.createTextNode(sanitizeLine(href))];
  if (url === undefined) return [...shown, ...placeNodes(sanitizeLine(href))];
  const rel = "noopener noreferrer nofollow";
  const link = createElement("a", { href: url.href, target: "_blank", rel, title: sanitizeLine(url.href) }, ...shown);
  const { openLink } = writing;
  if (openLink !== undefined)
    link.addEventListener("click", (event) => {
      event.preventDefault();
      void openLink(url.href);
    });
  const place = findHiddenHost(readEntities(inner.length > 0 ? text : href), url);
  return [link, ...(place === undefined ? [] : placeNodes(sanitizeLine(place)))];
}

function placeNodes(place: string): Node[] {
  return [document.createTextNode(" "), createElement("span", { class: "place" }, `(${place})`)];
}

/** To load one would tell its server what the answer's writer chose to put into the address. */
function imageNode({ href, text }: Extract<MarkedToken, { type: "image" }>, { locale }: MarkdownContext): Node {
  const caption = sanitizeLine(readEntities(text));
  const title = [say(locale, words.image), caption].filter(Boolean).join(" ");
  return createElement("span", { class: "image" }, `🖼 ${title} `, createElement("code", {}, sanitizeLine(href)));
}

function checkbox(isChecked: boolean, locale: Locale): HTMLElement {
  const label = say(locale, isChecked ? words.done : words.open);
  return createElement("span", { class: "check", role: "img", "aria-label": label }, isChecked ? "☑" : "☐");
}

function isBreak(html: string): boolean {
  return /^<br *\/?>$/i.test(html);
}
