import type { MarkedToken, Token } from "marked";
import { say } from "../../../kit/locale.ts";
import { printable } from "../../../kit/text/sanitize.ts";
import { element } from "../dom.ts";
import { createCodeBlock } from "./code-block.ts";
import { deeper, inlineNodes, isTooDeep, type Writing } from "./inline.ts";
import { isKnown } from "./lex.ts";
import { words } from "./words.ts";

/** Blocks as elements. */
export function blockNodes(tokens: readonly Token[], writing: Writing): Node[] {
  if (isTooDeep(writing)) return [element("p", {}, printable(tokens.map(({ raw }) => raw).join("")))];
  return tokens.flatMap((token) => (isKnown(token) ? nodesOf(token, writing) : []));
}

function nodesOf(token: MarkedToken, writing: Writing): Node[] {
  switch (token.type) {
    case "space":
      return [];
    case "heading":
      return [element(headings[token.depth - 1] ?? "h6", {}, ...inlineNodes(token.tokens, writing))];
    case "paragraph":
      return [element("p", {}, ...inlineNodes(token.tokens, writing))];
    case "code":
      return [codeNode(token, writing)];
    case "blockquote":
      return [element("blockquote", {}, ...blockNodes(token.tokens, deeper(writing)))];
    case "hr":
      return [element("hr")];
    case "list":
      return [listNode(token, writing)];
    case "table":
      return [tableNode(token, writing)];
    case "html":
      return [element("p", { class: "raw" }, printable(token.raw.trimEnd()))];
    default:
      return inlineNodes([token], writing);
  }
}

// Under the heading of the answer, which is the page's; most answers begin with the second level.
const headings = ["h3", "h3", "h4", "h5", "h6", "h6"] as const;

function codeNode({ text, lang }: Extract<MarkedToken, { type: "code" }>, { locale }: Writing): Node {
  const block = createCodeBlock(printable(lang ?? ""), locale);
  block.add(printable(text));
  return block.element;
}

function listNode({ ordered, start, items }: Extract<MarkedToken, { type: "list" }>, writing: Writing): Node {
  const entries = items.map((item) =>
    element("li", item.task ? { class: "task" } : {}, ...blockNodes(item.tokens, deeper(writing))),
  );
  if (!ordered) return element("ul", {}, ...entries);
  return element("ol", start === "" || start === 1 ? {} : { start: String(start) }, ...entries);
}

/** A wide one scrolls, by the keyboard too. */
function tableNode({ header, rows }: Extract<MarkedToken, { type: "table" }>, writing: Writing): Node {
  const cellOf = ({ tokens, align, header: isHead }: (typeof header)[number]): HTMLElement => {
    const attributes = { ...(align ? { "data-align": align } : {}), ...(isHead ? { scope: "col" } : {}) };
    return element(isHead ? "th" : "td", attributes, ...inlineNodes(tokens, writing));
  };
  const head = element("thead", {}, element("tr", {}, ...header.map(cellOf)));
  const body = element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map(cellOf))));
  const label = say(writing.locale, words.table);
  return element(
    "div",
    { class: "table", tabindex: "0", role: "group", "aria-label": label },
    element("table", {}, head, body),
  );
}
