import type { Item } from "./block.ts";

/**
 * Counts the indentation of a line whose leading tabs are expanded. Blocks begin as in
 * https://spec.commonmark.org/0.31.2/#leaf-blocks.
 */

export function countIndent(line: string): number {
  return line.length - line.trimStart().length;
}

/** Replaces tabs in front of the text and between markers by spaces up to the next multiple of four. */
export function expandTabs(line: string): string {
  if (!line.includes("\t")) return line;
  const [lead = ""] = /^(?:[ \t>*+-]|\d{1,9}[.)])*/.exec(line) ?? [];
  return replaceTabs(lead) + line.slice(lead.length);
}

/** Replaces every tab by spaces up to the next multiple of four. */
export function replaceTabs(text: string): string {
  if (!text.includes("\t")) return text;
  let out = "";
  for (const part of text.split(/(\t)/)) out += part === "\t" ? " ".repeat(4 - (out.length % 4)) : part;
  return out;
}

export function isRule(line: string): boolean {
  return /^ {0,3}([-*_])(?: *\1){2,} *$/.test(line);
}

/**
 * Matches the line under the text of a heading. A single character does not count, since it is more often the beginning of
 * something else.
 */
export function isUnderline(line: string): boolean {
  return /^ {0,3}(?:={2,}|-{2,}) *$/.test(line);
}

export function readHeading(line: string): string | undefined {
  const [, text] = /^ {0,3}#{1,6}(?: +(.*))?$/.exec(line.trimEnd()) ?? [];
  if (text !== undefined) return text.replace(/(?:^| +)#+$/, "");
  return /^ {0,3}#{1,6}$/.test(line.trimEnd()) ? "" : undefined;
}

export function readFence(line: string): { fence: string; indent: number; info: string } | undefined {
  const [, lead, fence, info] = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)$/.exec(line) ?? [];
  if (lead === undefined || fence === undefined) return undefined;
  return { fence, indent: lead.length, info: (info ?? "").trim() };
}

export function isClosingFence(line: string, fence: string): boolean {
  const text = line.trimEnd();
  const closing = text.trimStart();
  return (
    text.length - closing.length < 4 &&
    closing.length >= fence.length &&
    closing === fence.charAt(0).repeat(closing.length)
  );
}

/** Detects HTML that may contain empty lines and returns the pattern that ends it. Other HTML is treated as a paragraph. */
export function readHtml(line: string): RegExp | undefined {
  if (!/^ {0,3}</.test(line)) return undefined;
  return htmlBlocks.find(([begin]) => begin.test(line))?.[1];
}

const htmlBlocks: readonly (readonly [RegExp, RegExp])[] = [
  [/^ *<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^ *<!--/, /-->/],
  [/^ *<\?/, /\?>/],
  [/^ *<!\[CDATA\[/, /\]\]>/],
  [/^ *<![a-z]/i, />/],
];

/** Reads `[label]: address "title"`; a footnote is no definition. */
export function readDefinition(line: string): { label: string; address: string } | undefined {
  const [, label, address] =
    /^ {0,3}\[([^\]^][^\]]{0,200})\]: *<?([^\s<>]+)>?(?: +(?:"[^"]*"|'[^']*'))? *$/.exec(line) ?? [];
  return label === undefined || address === undefined ? undefined : { label, address };
}

/** Reads the marker of an item and the text behind it; `previous` is the item before it in the same list. */
export function readItem(line: string, previous: Item | undefined): { item: Item; rest: string } | undefined {
  const [whole, lead = "", bullet = "", digits, sign] = /^( {0,3})([-*+]|(\d{1,9})([.)]))(?: |$)/.exec(line) ?? [];
  if (whole === undefined) return undefined;
  const behind = line.slice(lead.length + bullet.length);
  const gap = countIndent(behind);
  const isEmpty = gap === behind.length;
  const space = isEmpty || gap > 4 ? 1 : gap;
  const indent = lead.length + bullet.length + space;
  const rest = isEmpty ? "" : behind.slice(space);
  if (digits === undefined) return { item: { kind: "item", marker: "-", indent, sign: bullet }, rest };
  const after = previous?.sign === sign ? (previous?.number ?? -1) + 1 : 0;
  const number = Math.max(Number(digits), after);
  return { item: { kind: "item", marker: `${number}${sign}`, indent, number, sign: sign ?? "." }, rest };
}
