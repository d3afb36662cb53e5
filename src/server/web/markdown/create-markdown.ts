import type { MarkedToken, Token } from "marked";
import { say } from "../../../kit/locale.ts";
import { createSanitizer, sanitize } from "../../../kit/text/sanitize.ts";
import { closeOpen } from "../../../render/markdown/close-open.ts";
import { toKnownToken } from "../../../render/markdown/lexer.ts";
import { createElement, setText } from "../dom.ts";
import type { ColouredPiece } from "../parts/part-shapes.ts";
import { hideOpenFormula, isMathToken, isNoteToken } from "./formulas-and-notes.ts";
import {
  createCopyButton,
  createOwnNodes,
  isTooDeep,
  type MarkdownContext,
  renderInline,
  toDeeperContext,
  words,
} from "./inline.ts";
import { type Fence, fenceWindow, findFence, lexBlocks, readAhead, readCode } from "./read-ahead.ts";

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
  let cancel = (): void => {};
  // What is drawn again in the next frame is not coloured.
  const { parts } = writing;
  const openWriting =
    parts === undefined ? writing : { ...writing, parts: { ...parts, useCode: () => {}, addLineCopy: () => {} } };

  function startAnew(): void {
    before = "";
    clean = createSanitizer();
    rest = "";
    code = undefined;
    openNodes = [];
    whole.replaceChildren();
  }

  /** Moves the next blocks that can no longer change out of the rest. Returns how many; 0 when there are none. */
  function settle(isWhole: boolean): number {
    if (rest === "") return 0;
    if (code !== undefined) return settleCode(code.fence, code.block, isWhole);
    // To look at all of a long text for each of its blocks would take time that grows with its square.
    const isLong = rest.length > fenceWindow;
    const found = findFence(isLong ? rest.slice(0, fenceWindow) : rest, isWhole && !isLong);
    if (found?.at === 0) {
      const block = createCodeBlock(found.fence.language, writing);
      code = { fence: found.fence, block };
      whole.append(block.element);
      rest = rest.slice(found.length);
      return 1;
    }
    const prose = rest.slice(0, found?.at);
    const { tokens, length, carried = "" } = readAhead(prose, isWhole || found !== undefined);
    whole.append(...renderBlocks(tokens, writing));
    rest = carried + rest.slice(length);
    return length > 0 ? Math.max(1, tokens.length) : 0;
  }

  function settleCode(fence: Fence, block: CodeBlock, isWhole: boolean): number {
    const { lines, last, length, isClosed } = readCode(rest, fence, isWhole);
    if (lines !== "") block.add(lines);
    block.setLast(last);
    rest = rest.slice(length);
    if (isClosed || isWhole) {
      block.finish();
      code = undefined;
    }
    return Number(isClosed);
  }

  function showOpen(): void {
    const nodes =
      code === undefined && rest !== "" ? renderBlocks(lexBlocks(closeOpen(hideOpenFormula(rest))), openWriting) : [];
    whole.append(...nodes);
    openNodes = nodes;
  }

  /** Writes what has come. A page that has more to do than this lets others work in between. */
  function write(): void {
    cancel();
    for (const node of openNodes) node.parentNode?.removeChild(node);
    openNodes = [];
    const isTimeUp = parts?.startSlice();
    for (let blocks = settle(wasWhole); blocks > 0; blocks = settle(wasWhole)) {
      if (isTimeUp?.(blocks) !== true) continue;
      cancel = parts?.writeLater(write) ?? cancel;
      return;
    }
    showOpen();
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
      write();
    },
  };
}

/** Renders blocks as elements, and as one paragraph of plain text where they are nested too deeply. */
function renderBlocks(tokens: readonly Token[], writing: MarkdownContext): Node[] {
  if (isTooDeep(writing)) return [createElement("p", {}, sanitize(tokens.map(({ raw }) => raw).join("")))];
  return tokens.flatMap((token) =>
    isMathToken(token) || isNoteToken(token)
      ? createOwnNodes(token, writing)
      : createBlockNodes(toKnownToken(token), writing),
  );
}

function createBlockNodes(token: MarkedToken, writing: MarkdownContext): Node[] {
  switch (token.type) {
    case "space":
      return [];
    case "heading":
      return [createHeading(token, writing)];
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

function createHeading({ depth, tokens }: Extract<MarkedToken, { type: "heading" }>, writing: MarkdownContext): Node {
  const name = headings[depth - 1] ?? "h6";
  // The first two levels are one element, since the page has the levels above.
  return createElement(name, depth === 1 ? { "data-depth": "1" } : {}, ...renderInline(tokens, writing));
}

function createCode({ text, lang }: Extract<MarkedToken, { type: "code" }>, writing: MarkdownContext): Node {
  const block = createCodeBlock(sanitize(lang ?? ""), writing);
  block.add(sanitize(text));
  block.finish();
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
  const createCell = ({ tokens, align, header: isHead }: (typeof header)[number]): HTMLElement => {
    const attributes = { ...(align ? { "data-align": align } : {}), ...(isHead ? { scope: "col" } : {}) };
    return createElement(isHead ? "th" : "td", attributes, ...renderInline(tokens, writing));
  };
  const head = createElement("thead", {}, createElement("tr", {}, ...header.map(createCell)));
  const body = createElement("tbody", {}, ...rows.map((row) => createElement("tr", {}, ...row.map(createCell))));
  const label = say(writing.locale, words.table);
  return createElement(
    "div",
    { class: "table", tabindex: "0", role: "group", "aria-label": label },
    createElement("table", {}, head, body),
  );
}

function createPiece({ text: piece, style }: ColouredPiece): Node {
  return style === undefined
    ? document.createTextNode(piece)
    : createElement("span", { class: `code-${style}` }, piece);
}

interface CodeBlock {
  readonly element: HTMLElement;
  /** Adds text that stays. */
  add(text: string): void;
  /** Replaces the line that is being written. */
  setLast(text: string): void;
  /** Adds what code has that is whole: its lines can be copied, and it gets its colours as soon as what colours it is there. */
  finish(): void;
}

/** Shows code that may grow without rewriting what is already there. It scrolls, also by keyboard. */
function createCodeBlock(language: string, { locale, parts }: MarkdownContext): CodeBlock {
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
  const block = createElement("div", { class: "code" }, bar, text);
  return {
    element: block,
    add: (more) => last.before(more),
    setLast: (line) => setText(last, line),
    finish() {
      parts?.addLineCopy({ block, text, code }, locale);
      if (name === "") return;
      parts?.useCode(async (part) => {
        const pieces = await part.highlightText(language, code.textContent ?? "");
        if (pieces !== undefined) code.replaceChildren(...pieces.map(createPiece));
      });
    },
  };
}
