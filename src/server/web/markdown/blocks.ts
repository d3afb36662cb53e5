import type { MarkedToken, Token } from "marked";
import { say } from "../../../kit/locale.ts";
import { sanitize } from "../../../kit/text/sanitize.ts";
import { createElement } from "../dom.ts";
import { createCodeBlock } from "./code-block.ts";
import { isTooDeep, type MarkdownContext, renderInline, toDeeperContext } from "./inline.ts";
import { isKnown } from "./lex.ts";
import { words } from "./words.ts";

/** Blocks as elements. */
export function renderBlocks(tokens: readonly Token[], writing: MarkdownContext): Node[] {
  if (isTooDeep(writing)) return [createElement("p", {}, sanitize(tokens.map(({ raw }) => raw).join("")))];
  return tokens.flatMap((token) => (isKnown(token) ? nodesOf(token, writing) : []));
}

function nodesOf(token: MarkedToken, writing: MarkdownContext): Node[] {
  switch (token.type) {
    case "space":
      return [];
    case "heading":
      return [createElement(headings[token.depth - 1] ?? "h6", {}, ...renderInline(token.tokens, writing))];
    case "paragraph":
      return [createElement("p", {}, ...renderInline(token.tokens, writing))];
    case "code":
      return [codeNode(token, writing)];
    case "blockquote":
      return [createElement("blockquote", {}, ...renderBlocks(token.tokens, toDeeperContext(writing)))];
    case "hr":
      return [createElement("hr")];
    case "list":
      return [listNode(token, writing)];
    case "table":
      return [tableNode(token, writing)];
    case "html":
      return [createElement("p", { class: "raw" }, sanitize(token.raw.trimEnd()))];
    default:
      return renderInline([token], writing);
  }
}

// Under the heading of the answer, which is the page's; most answers begin with the second level.
const headings = ["h3", "h3", "h4", "h5", "h6", "h6"] as const;

function codeNode({ text, lang }: Extract<MarkedToken, { type: "code" }>, { locale }: MarkdownContext): Node {
  const block = createCodeBlock(sanitize(lang ?? ""), locale);
  block.add(sanitize(text));
  return block.element;
}

function listNode({ ordered, start, items }: Extract<MarkedToken, { type: "list" }>, writing: MarkdownContext): Node {
  const entries = items.map((item) =>
    createElement("li", item.task ? { class: "task" } : {}, ...renderBlocks(item.tokens, toDeeperContext(writing))),
  );
  if (!ordered) return createElement("ul", {}, ...entries);
  return createElement("ol", start === "" || start === 1 ? {} : { start: String(start) }, ...entries);
}

/** A wide one scrolls, by the keyboard too. */
function tableNode({ header, rows }: Extract<MarkedToken, { type: "table" }>, writing: MarkdownContext): Node {
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
