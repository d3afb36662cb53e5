import type { MarkedToken, Token } from "marked";
import { type Locale, say } from "../../../kit/locale.ts";
import { createSanitizer, sanitize } from "../../../kit/text/sanitize.ts";
import { closeOpen } from "../../../render/markdown/close-open.ts";
import { toKnownToken } from "../../../render/markdown/lexer.ts";
import { createElement, setText } from "../dom.ts";
import { createCopyButton, isTooDeep, type MarkdownContext, renderInline, toDeeperContext, words } from "./inline.ts";
import { lexBlocks } from "./lex.ts";

export interface Markdown {
  readonly element: HTMLElement;
  /** Shows a text. What only grows is written once, but for its open end; `isWhole` says that it grows no more. */
  show(text: string, isWhole: boolean): void;
}

/** Renders Markdown as elements that load nothing and run nothing. It is cheap enough to render in each frame of a stream. */
export function createMarkdown(whole: HTMLElement, writing: MarkdownContext): Markdown {
  let before = "";
  let wasWhole = false;
  let clean = createSanitizer();
  /** Holds the text that has been received but may still change meaning. */
  let rest = "";
  /** Is the code block that the text is in. */
  let code: { fence: Fence; block: CodeBlock } | undefined;
  let openNodes: readonly Node[] = [];

  function startAnew(): void {
    before = "";
    clean = createSanitizer();
    rest = "";
    code = undefined;
    openNodes = [];
    whole.replaceChildren();
  }

  /** Moves the next block that can no longer change out of the rest; returns false when there is none. */
  function settle(isWhole: boolean): boolean {
    if (rest === "") return false;
    if (code !== undefined) return settleCode(code.fence, code.block, isWhole);
    const found = findFence(rest, isWhole);
    if (found?.at === 0) {
      const block = createCodeBlock(found.fence.language, writing.locale);
      code = { fence: found.fence, block };
      whole.append(block.element);
      rest = rest.slice(found.length);
      return true;
    }
    const prose = rest.slice(0, found?.at);
    const { tokens, length, carried = "" } = readAhead(prose, isWhole || found !== undefined);
    whole.append(...renderBlocks(tokens, writing));
    rest = carried + rest.slice(length);
    return length > 0;
  }

  function settleCode(fence: Fence, block: CodeBlock, isWhole: boolean): boolean {
    const { lines, last, length, isClosed } = readCode(rest, fence, isWhole);
    if (lines !== "") block.add(lines);
    block.setLast(last);
    rest = rest.slice(length);
    if (isClosed || isWhole) code = undefined;
    return isClosed;
  }

  function showOpen(): void {
    const nodes = code === undefined && rest !== "" ? renderBlocks(lexBlocks(closeOpen(rest)), writing) : [];
    whole.append(...nodes);
    openNodes = nodes;
  }

  return {
    element: whole,
    show(text, isWhole) {
      if (text === before && isWhole === wasWhole) return;
      if (wasWhole || !text.startsWith(before)) startAnew();
      rest += clean.push(text.slice(before.length));
      if (isWhole) rest += clean.end();
      before = text;
      wasWhole = isWhole;
      for (const node of openNodes) node.parentNode?.removeChild(node);
      openNodes = [];
      while (settle(isWhole));
      showOpen();
    },
  };
}

/** Represents the fence that opens and closes a code block. */
interface Fence {
  readonly sign: string;
  readonly language: string;
}

/**
 * Finds the first fence at the start of a line. Indented ones belong to a list or a quotation. The fence's line must be
 * complete, because without a line break it may continue.
 */
export function findFence(text: string, isWhole: boolean): { at: number; length: number; fence: Fence } | undefined {
  const found = /^(`{3,}(?=[^`\n]*(?:\n|$(?![\s\S])))|~{3,})([^\n]*)(\n|$(?![\s\S]))/m.exec(text);
  if (found === null) return undefined;
  const [whole, sign = "", language = "", end] = found;
  if (end === "" && !isWhole) return undefined;
  return { at: found.index, length: whole.length, fence: { sign, language: language.trim() } };
}

/** Splits the code in a text into complete lines and the line being written, and tells how much of the text was read. */
export interface Code {
  readonly lines: string;
  readonly last: string;
  readonly length: number;
  readonly isClosed: boolean;
}

/** Reads on in a block of code. `isWhole`: nothing comes behind the text. */
export function readCode(text: string, { sign }: Fence, isWhole: boolean): Code {
  const end = new RegExp(`^ {0,3}${sign}${sign.charAt(0)}*[ \\t]*(?:\\n|$(?![\\s\\S]))`, "m").exec(text);
  // Marks at the very end may go on, and be code after all.
  if (end !== null && (isWhole || end[0].endsWith("\n")))
    return { lines: text.slice(0, end.index), last: "", length: end.index + end[0].length, isClosed: true };
  if (isWhole) return { lines: text, last: "", length: text.length, isClosed: false };
  const length = text.lastIndexOf("\n") + 1;
  const last = text.slice(length);
  const isMark = new RegExp(`^ {0,3}\\${sign.charAt(0)}*[ \\t]*$`).test(last);
  return { lines: text.slice(0, length), last: isMark ? "" : last, length, isClosed: false };
}

/** Holds the complete blocks at the start of a text and the length that they take. */
export interface Ahead {
  readonly tokens: readonly Token[];
  readonly length: number;
  /** Is prefixed to the rest: it is the header of a table that was cut in two. */
  readonly carried?: string | undefined;
}

/**
 * Limits how much is read at once, in UTF-16 units. The lexer's time for hostile text grows quadratically, and the open end of
 * an answer is read again for each frame. A longer block is cut in two.
 */
const windowSize = 4000;

/**
 * Returns the blocks that later text cannot change. An incomplete line may still become another block. `isWhole` means that no
 * more text follows.
 */
export function readAhead(text: string, isWhole: boolean): Ahead {
  const isLong = text.length > windowSize;
  const window = text.slice(0, isLong ? findCut(text) : isWhole ? text.length : text.lastIndexOf("\n") + 1);
  if (window === "") return { tokens: [], length: 0 };
  const tokens = lexBlocks(window);
  if (isWhole && !isLong) return { tokens, length: text.length };
  const last = tokens.findLastIndex(({ type }) => type !== "space");
  const finished = tokens.slice(0, Math.max(last, 0));
  const length = finished.reduce((sum, { raw }) => sum + raw.length, 0);
  if (length > 0) return { tokens: finished, length };
  return isLong ? { tokens, length: window.length, carried: findTableHead(tokens[last]) } : { tokens: [], length: 0 };
}

/** Cuts before a line that begins at the margin, else between two lines, else between two words. */
function findCut(text: string): number {
  const window = text.slice(0, windowSize);
  const margin = /^[\s\S]*\n(?=[^\s])/.exec(window)?.[0].length ?? 0;
  const places = [margin, window.lastIndexOf("\n") + 1, window.lastIndexOf(" ") + 1];
  const end = places.find((place) => place > windowSize / 2) ?? windowSize;
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;
}

function findTableHead(token: Token | undefined): string | undefined {
  if (token?.type !== "table") return undefined;
  const head = /^[^\n]*\n[^\n]*\n/.exec(token.raw)?.[0];
  return head !== undefined && head.length < windowSize / 4 ? head : undefined;
}

/** Renders blocks as elements. */
function renderBlocks(tokens: readonly Token[], writing: MarkdownContext): Node[] {
  if (isTooDeep(writing)) return [createElement("p", {}, sanitize(tokens.map(({ raw }) => raw).join("")))];
  return tokens.flatMap((token) => createBlockNodes(toKnownToken(token), writing));
}

function createBlockNodes(token: MarkedToken, writing: MarkdownContext): Node[] {
  switch (token.type) {
    case "space":
      return [];
    case "heading":
      return [createElement(headings[token.depth - 1] ?? "h6", {}, ...renderInline(token.tokens, writing))];
    case "paragraph":
      return [createElement("p", {}, ...renderInline(token.tokens, writing))];
    case "code":
      return [createCode(token, writing)];
    case "blockquote":
      return [createElement("blockquote", {}, ...renderBlocks(token.tokens, toDeeperContext(writing)))];
    case "hr":
      return [createElement("hr")];
    case "list":
      return [createList(token, writing)];
    case "table":
      return [createTable(token, writing)];
    case "html":
      return [createElement("p", { class: "raw" }, sanitize(token.raw.trimEnd()))];
    default:
      return renderInline([token], writing);
  }
}

// Under the heading of the answer, which is the page's; most answers begin with the second level.
const headings = ["h3", "h3", "h4", "h5", "h6", "h6"] as const;

function createCode({ text, lang }: Extract<MarkedToken, { type: "code" }>, { locale }: MarkdownContext): Node {
  const block = createCodeBlock(sanitize(lang ?? ""), locale);
  block.add(sanitize(text));
  return block.element;
}

function createList({ ordered, start, items }: Extract<MarkedToken, { type: "list" }>, writing: MarkdownContext): Node {
  const entries = items.map((item) =>
    createElement("li", item.task ? { class: "task" } : {}, ...renderBlocks(item.tokens, toDeeperContext(writing))),
  );
  if (!ordered) return createElement("ul", {}, ...entries);
  return createElement("ol", start === "" || start === 1 ? {} : { start: String(start) }, ...entries);
}

/** A wide table scrolls, also by keyboard. */
function createTable({ header, rows }: Extract<MarkedToken, { type: "table" }>, writing: MarkdownContext): Node {
  const cellOf = ({ tokens, align, header: isHead }: (typeof header)[number]): HTMLElement => {
    const attributes = { ...(align ? { "data-align": align } : {}), ...(isHead ? { scope: "col" } : {}) };
    return createElement(isHead ? "th" : "td", attributes, ...renderInline(tokens, writing));
  };
  const head = createElement("thead", {}, createElement("tr", {}, ...header.map(cellOf)));
  const body = createElement("tbody", {}, ...rows.map((row) => createElement("tr", {}, ...row.map(cellOf))));
  const label = say(writing.locale, words.table);
  return createElement(
    "div",
    { class: "table", tabindex: "0", role: "group", "aria-label": label },
    createElement("table", {}, head, body),
  );
}

interface CodeBlock {
  readonly element: HTMLElement;
  /** Adds text that stays. */
  add(text: string): void;
  /** Replaces the line that is being written. */
  setLast(text: string): void;
}

/** Shows code that may grow without rewriting what is already there. It scrolls, also by keyboard. */
function createCodeBlock(language: string, locale: Locale): CodeBlock {
  const last = document.createTextNode("");
  const code = createElement("code", {}, last);
  const name = language.split(/\s/, 1)[0] ?? "";
  const title = createElement("span", { class: "code-name" }, name);
  const text = createElement(
    "pre",
    { tabindex: "0", role: "group", "aria-label": name || say(locale, words.code) },
    code,
  );
  const bar = createElement(
    "div",
    { class: "code-bar" },
    title,
    ...createCopyButton(() => code.textContent ?? "", locale),
  );
  return {
    element: createElement("div", { class: "code" }, bar, text),
    add: (more) => last.before(more),
    setLast: (line) => setText(last, line),
  };
}
