import type { MarkedToken, Token } from "marked";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { sanitize, sanitizeLine } from "../../../kit/text/sanitize.ts";
import { isBreak, toKnownToken } from "../../../render/markdown/lexer.ts";
import { findHosts, toHost } from "../../../render/markdown/link-hosts.ts";
import { createElement, type OpenLink, setText } from "../dom.ts";
import type { CodePart, MathPart } from "../parts/part-shapes.ts";
import { isMathToken, isNoteToken, type MathToken, type NoteToken } from "./formulas-and-notes.ts";

export interface MarkdownContext {
  readonly locale: Locale;
  /** Opens a page elsewhere; absent where a link does that by itself. */
  readonly openLink: OpenLink | undefined;
  /** Returns the node that replaces `[n]`. */
  citation(n: number): Node;
  /** Colours code and writes formulas; absent where both are shown as they are written. */
  readonly parts?: MarkdownParts | undefined;
  /** Counts how deeply the node is nested in others of its kind. */
  readonly depth?: number | undefined;
}

/** Holds the elements of a block of code: all of it, what scrolls, and its text. */
export interface CodeElements {
  readonly block: HTMLElement;
  readonly text: HTMLElement;
  readonly code: HTMLElement;
}

/** Holds what is loaded when it is first needed. Each calls back at once where it is there already, and never where it cannot be loaded. */
export interface MarkdownParts {
  useCode(use: (part: CodePart) => void): void;
  /** Lets single lines of a block that is whole be copied. */
  addLineCopy(elements: CodeElements, locale: Locale): void;
  useMath(use: (part: MathPart) => void): void;
  /**
   * Begins a piece of a long answer, which may hold the page up for a short time. Returns what counts its blocks and says that it is
   * over.
   */
  startSlice(): (blocks: number) => boolean;
  /** Goes on with the next piece when others had their turn. Returns what calls that off. */
  writeLater(write: () => void): () => void;
  /** Loads an image that the reader wants to see. Returns its data: address; rejects where there is none. */
  loadImage(url: string): Promise<string>;
}

/** Nobody nests deeper. Deeper content is shown as it is written. */
const deepest = 20;

export function toDeeperContext(writing: MarkdownContext): MarkdownContext {
  return { ...writing, depth: (writing.depth ?? 0) + 1 };
}

export function isTooDeep({ depth = 0 }: MarkdownContext): boolean {
  return depth > deepest;
}

/** Renders inline text as nodes that load nothing. Everything that is not Markdown is shown as text, including HTML. */
export function renderInline(tokens: readonly Token[], writing: MarkdownContext): Node[] {
  if (isTooDeep(writing)) return createTextNodes(tokens.map(({ raw }) => raw).join(""), writing);
  const nodes: Node[] = [];
  let text = "";
  for (const token of tokens) {
    if (isMathToken(token) || isNoteToken(token)) {
      nodes.push(...createTextNodes(text, writing), ...createOwnNodes(token, writing));
      text = "";
      continue;
    }
    const known = toKnownToken(token);
    const plain = toPlainText(known);
    if (plain !== undefined) {
      text += plain;
      continue;
    }
    nodes.push(...createTextNodes(text, writing), ...createNodes(known, writing));
    text = "";
  }
  return [...nodes, ...createTextNodes(text, writing)];
}

/** The lexer may split a source number, so adjacent texts are joined. */
function toPlainText(token: MarkedToken): string | undefined {
  if (token.type === "text") return token.tokens === undefined ? readEntities(token.text) : undefined;
  if (token.type === "escape") return token.text;
  return token.type === "html" && !isBreak(token.raw) ? token.raw : undefined;
}

function createTextNodes(text: string, { citation }: MarkdownContext): Node[] {
  return text.split(/(\[\d{1,4}\])/).flatMap((part, index) => {
    if (part === "") return [];
    return [index % 2 === 1 ? citation(Number(part.slice(1, -1))) : document.createTextNode(sanitize(part))];
  });
}

function createNodes(token: MarkedToken, writing: MarkdownContext): Node[] {
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
      return createLinkNodes(token, writing);
    case "image":
      return [createImage(token, writing)];
    case "checkbox":
      return [createCheckbox(token.checked, writing.locale), document.createTextNode(" ")];
    default:
      return [document.createTextNode(sanitize(token.raw))];
  }
}

/** Creates what the lexer of the page knows besides Markdown. */
export function createOwnNodes(token: MathToken | NoteToken, writing: MarkdownContext): Node[] {
  if (token.type === "math") return [createMath(token, writing)];
  if (token.type === "note-number") return [createNoteNumber(token.name)];
  const number = createElement("sup", {}, sanitizeLine(token.name));
  const words = renderInline(token.tokens, toDeeperContext(writing));
  return [createElement("p", { class: "note-text", tabindex: "-1", "data-note": token.name }, number, " ", ...words)];
}

/** A formula is shown as it is written until what writes it is there. */
function createMath({ raw, text, isBlock }: MathToken, { parts }: MarkdownContext): Node {
  const shown = createElement(isBlock ? "div" : "span", { class: "math", "data-block": String(isBlock) });
  shown.append(createElement("code", {}, sanitize(raw.trim())));
  parts?.useMath((part) => {
    const formula = part.render(text, isBlock);
    if (formula !== undefined) shown.replaceChildren(formula);
  });
  return shown;
}

function createNoteNumber(name: string): Node {
  const link = createElement("a", { href: "#" }, sanitizeLine(name));
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const notes = link.closest(".words")?.querySelectorAll<HTMLElement>("[data-note]") ?? [];
    const note = [...notes].find((each) => each.dataset.note === name);
    note?.scrollIntoView({ block: "nearest" });
    note?.focus();
  });
  return createElement("sup", { class: "note-number" }, link);
}

type LinkToken = Extract<MarkedToken, { type: "link" }>;

function createLinkNodes({ href, text, tokens }: LinkToken, writing: MarkdownContext): Node[] {
  const url = parseLinkAddress(href);
  const inner = renderInline(tokens, {
    ...toDeeperContext(writing),
    citation: (n) => document.createTextNode(`[${n}]`),
  });
  const shown = inner.length > 0 ? inner : [document.createTextNode(sanitizeLine(href))];
  if (url === undefined) return [...shown, ...createPlaceNodes(sanitizeLine(href))];
  const rel = "noopener noreferrer nofollow";
  const link = createElement("a", { href: url.href, target: "_blank", rel, title: sanitizeLine(url.href) }, ...shown);
  const { openLink } = writing;
  if (openLink !== undefined)
    link.addEventListener("click", (event) => {
      event.preventDefault();
      void openLink(url.href);
    });
  const place = findHiddenHost(readEntities(inner.length > 0 ? text : href), url);
  return [link, ...(place === undefined ? [] : createPlaceNodes(sanitizeLine(place)))];
}

function createPlaceNodes(place: string): Node[] {
  return [document.createTextNode(" "), createElement("span", { class: "place" }, `(${place})`)];
}

/**
 * Images are not loaded unless the reader wants it, because a request would send their server whatever the answer's author put
 * into the address. What is written into the answer itself needs no request.
 */
function createImage(
  { href, text }: Extract<MarkedToken, { type: "image" }>,
  { locale, parts }: MarkdownContext,
): Node {
  const caption = sanitizeLine(readEntities(text));
  const isInline = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[\w+/=\s]*$/.test(href);
  if (isInline) return createElement("img", { src: href, alt: caption });
  const title = [say(locale, words.image), caption].filter(Boolean).join(" ");
  const place = href.startsWith("data:") ? `${href.slice(0, 40)}…` : href;
  const shown = createElement(
    "span",
    { class: "image" },
    `🖼 ${title} `,
    createElement("code", {}, sanitizeLine(place)),
  );
  const url = URL.parse(href);
  if (parts === undefined || (url?.protocol !== "https:" && url?.protocol !== "http:")) return shown;
  const button = createElement("button", { type: "button", class: "show-image" }, say(locale, words.showImage));
  button.addEventListener("click", () => {
    button.disabled = true;
    parts.loadImage(url.href).then(
      (address) => shown.replaceWith(createElement("img", { src: address, alt: caption })),
      () => setText(button, say(locale, words.noImage)),
    );
  });
  shown.append(" ", button);
  return shown;
}

function createCheckbox(isChecked: boolean, locale: Locale): HTMLElement {
  const label = say(locale, isChecked ? words.done : words.open);
  return createElement("span", { class: "check", role: "img", "aria-label": label }, isChecked ? "☑" : "☐");
}

/** Decodes the character references that are common in prose; others stay as they are written. */
function readEntities(text: string): string {
  return text.replace(/&(\w+);/g, (whole, name) => named.get(name) ?? whole);
}

// Those by number are read by the lexer.
const named: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", "\u00a0"],
  ["hellip", "…"],
  ["mdash", "—"],
  ["ndash", "–"],
  ["middot", "·"],
  ["times", "×"],
  ["deg", "°"],
  ["rarr", "→"],
  ["larr", "←"],
]);

/** Parses an address that an answer may link to: a web page or a mail address. */
export function parseLinkAddress(href: string): URL | undefined {
  const url = URL.parse(href);
  return url !== null && ["https:", "http:", "mailto:"].includes(url.protocol) ? url : undefined;
}

/**
 * Returns the host to show after a link whose text looks like a different address, so that the reader is not misled.
 * Returns undefined when the text does not suggest another host.
 */
export function findHiddenHost(text: string, url: URL): string | undefined {
  if (url.protocol === "mailto:") return text.includes(url.pathname) ? undefined : url.pathname;
  const host = toHost(url);
  const isPlain = url.username === "" && url.password === "";
  if (isPlain && findHosts(text).every((each) => each === host)) return undefined;
  return url.host;
}

/** Copies a text. None where the browser has no clipboard for this page, as on one that came without encryption. */
export function createCopyButton(textOf: () => string, locale: Locale): HTMLElement[] {
  if (typeof navigator === "undefined" || navigator.clipboard === undefined) return [];
  const button = createElement("button", { type: "button", class: "copy" }, say(locale, words.copy));
  const setLabel = (text: keyof typeof words): void => setText(button, say(locale, words[text]));
  button.addEventListener("click", () => {
    navigator.clipboard.writeText(textOf()).then(
      () => setLabel("copied"),
      () => setLabel("notCopied"),
    );
  });
  button.addEventListener("blur", () => setLabel("copy"));
  return [button];
}

/** Holds the texts that are shown beside an answer's own. */
export const words = {
  copy: { zh: "复制", en: "Copy" },
  copied: { zh: "已复制", en: "Copied" },
  notCopied: { zh: "未能复制", en: "Not copied" },
  code: { zh: "代码", en: "Code" },
  table: { zh: "表格", en: "Table" },
  image: { zh: "图片（未加载）", en: "Image (not loaded)" },
  showImage: { zh: "显示图片", en: "Show the image" },
  noImage: { zh: "未能加载", en: "Not loaded" },
  done: { zh: "已完成", en: "done" },
  open: { zh: "未完成", en: "not done" },
} as const satisfies Record<string, Text>;
