import { decodeHTMLStrict } from "entities/decode";
import type { Links, MarkedToken, Token } from "marked";
import { type Locale, say } from "../../../kit/locale.ts";
import { createLexer, isBreak, toKnownToken } from "../../../render/markdown/lexer.ts";
import { findHosts, toHost } from "../../../render/markdown/link-hosts.ts";
import type { Span, Style } from "../text/line.ts";

/** Holds what reading the text of a block depends on. */
export interface InlineContext {
  /** Is true when the terminal shows links, so that their addresses need not be printed. */
  readonly hyperlinks: boolean;
  readonly locale: Locale;
  /** Maps citation numbers to addresses. */
  readonly citations: ReadonlyMap<number, string>;
  /** Holds the links defined so far, by label in lower case. */
  readonly links: Links;
}

interface Look {
  readonly styles: readonly Style[];
  readonly href?: string | undefined;
}

/** Reads the text of a block as styled spans; line ends are newlines in the spans. Only Markdown marks are left out. */
export function readInline(source: string, context: InlineContext, ...styles: Style[]): Span[] {
  if (!mark.test(source)) return toTextSpans(source, context, { styles });
  const lexer = createLexer();
  Object.assign(lexer.tokens.links, context.links);
  return toSpans(lexer.inlineTokens(source), context, { styles });
}

/** A text without any of these characters is plain text. */
const mark = /[\\`*_~[\]<\n@]|:\/\/|www\./i;

function toSpans(tokens: readonly Token[], context: InlineContext, look: Look): Span[] {
  return tokens.flatMap((token) => convertToken(toKnownToken(token), context, look));
}

function convertToken(token: MarkedToken, context: InlineContext, look: Look): Span[] {
  switch (token.type) {
    case "text":
      return token.tokens ? toSpans(token.tokens, context, look) : toTextSpans(token.text, context, look);
    case "escape":
      return [createSpan(token.text, look)];
    case "strong":
      return toSpans(token.tokens, context, withStyle(look, "strong"));
    case "em":
      return toSpans(token.tokens, context, withStyle(look, "emphasis"));
    case "del":
      return toSpans(token.tokens, context, withStyle(look, "strike"));
    case "codespan":
      return [createSpan(token.text, withStyle(look, "code"))];
    case "br":
      return [createSpan("\n", look)];
    case "link":
      return toLinkSpans(token, context, look);
    case "image":
      return toImageSpans(token, context, look);
    case "html":
      return [createSpan(isBreak(token.raw) ? "\n" : token.raw, look)];
    default:
      return [createSpan(token.raw, look)];
  }
}

type LinkToken = Extract<MarkedToken, { type: "link" }>;

function toLinkSpans(token: LinkToken, context: InlineContext, look: Look): Span[] {
  const inner = toSpans(token.tokens, context, { ...withStyle(look, "link"), href: token.href });
  const text = inner.map((part) => part.text).join("");
  // `[1](address)` is how models write a citation.
  const bracketed = /^\^?\d{1,3}$/.test(text)
    ? [createBracket("[", inner), ...inner, createBracket("]", inner)]
    : inner;
  const title = token.title ? [createSpan(` "${readEntities(token.title)}"`, look)] : [];
  if (token.autolink || !isTargetNeeded(text, token.href, context.hyperlinks)) return [...bracketed, ...title];
  return [...bracketed, ...createTargetSpans(token.href, look), ...title];
}

function createBracket(text: string, inner: readonly Span[]): Span {
  return { ...inner[0], text };
}

function createTargetSpans(href: string, look: Look): Span[] {
  return [createSpan(" (", look), createSpan(href, { ...withStyle(look, "dim"), href }), createSpan(")", look)];
}

type ImageToken = Extract<MarkedToken, { type: "image" }>;

function toImageSpans({ text, href, title }: ImageToken, { locale }: InlineContext, look: Look): Span[] {
  const name = say(locale, { zh: "图片", en: "image" });
  const caption = title ? ` "${readEntities(title)}"` : "";
  return [
    createSpan(`[${name}: ${readEntities(text)}${caption}] `, look),
    createSpan(href, { ...withStyle(look, "link"), href }),
  ];
}

/** The numbers of known citations are links. */
function toTextSpans(text: string, { citations }: InlineContext, look: Look): Span[] {
  const lines = readEntities(text).replace(/ +\n */g, "\n");
  if (lines === "") return [];
  if (citations.size === 0 || look.href !== undefined) return [createSpan(lines, look)];
  return lines.split(/(\[\d{1,3}\])/).flatMap((part) => {
    const address = /^\[\d+\]$/.test(part) ? citations.get(Number(part.slice(1, -1))) : undefined;
    if (part === "") return [];
    return [
      address === undefined ? createSpan(part, look) : createSpan(part, { ...withStyle(look, "link"), href: address }),
    ];
  });
}

/** Reads a line of the list of references, which is not Markdown: `[n] title address`. Returns undefined for any other line. */
export function readReference(source: string, citations: InlineContext["citations"]): Span[] | undefined {
  const [, mark = "", number, text = ""] = /^(\[(\d{1,3})\]) (.*)$/.exec(source) ?? [];
  const address = number === undefined ? undefined : citations.get(Number(number));
  if (address === undefined || !text.endsWith(address)) return undefined;
  const link: Look = { styles: ["link"], href: address };
  return [
    createSpan(mark, link),
    createSpan(` ${text.slice(0, -address.length)}`, { styles: [] }),
    createSpan(address, link),
  ];
}

function createSpan(text: string, { styles, href }: Look): Span {
  return { text, styles, href };
}

function withStyle(look: Look, style: Style): Look {
  return { ...look, styles: [...look.styles, style] };
}

/** Returns spans with newlines in them as lines. */
export function splitLines(spans: readonly Span[]): Span[][] {
  const lines: Span[][] = [[]];
  for (const part of spans) {
    for (const [index, text] of part.text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (text !== "") lines.at(-1)?.push({ ...part, text });
    }
  }
  return lines;
}

/**
 * Decides whether the address is shown behind the text of a link: when it cannot be opened from the terminal, and when the text
 * names another host, so that no link misleads.
 */
export function isTargetNeeded(text: string, href: string, hyperlinks: boolean): boolean {
  if (isSame(text, href)) return false;
  const url = URL.parse(href);
  if (!hyperlinks || url === null || !isLinkable(url)) return true;
  return findHosts(text).some((host) => host !== toHost(url));
}

function isSame(text: string, href: string): boolean {
  return [text, `mailto:${text}`, `http://${text}`, `https://${text}`, `${text}/`].includes(href);
}

function isLinkable({ protocol, username, password }: URL): boolean {
  return /^https?:$/.test(protocol) && !username && !password;
}

/** Decodes the character references of HTML that end in a semicolon, as CommonMark wants it. */
function readEntities(text: string): string {
  return text.includes("&") ? decodeHTMLStrict(text) : text;
}
