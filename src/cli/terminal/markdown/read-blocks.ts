import type { Container, Item, Leaf, Piece } from "./block.ts";
import {
  countIndent,
  expandTabs,
  isClosingFence,
  isRule,
  isUnderline,
  readDefinition,
  readFence,
  readHeading,
  readHtml,
  readItem,
} from "./block-starts.ts";
import { appendText, closeLeaf, type Draft, growParagraph, growTable, startTable } from "./open-leaf.ts";

/** Holds what is open at the end of the lines read so far. */
export interface Blocks {
  readonly path: readonly Container[];
  readonly leaf: Leaf | undefined;
  /** The last line was empty. */
  readonly blank: boolean;
}

export const noBlocks: Blocks = { path: [], leaf: undefined, blank: false };

/** Limits the nesting; deeper marks are text. */
const deepest = 12;

/**
 * Reads a line, or a part of one that is very long, and tells what is finished by it. Changes nothing: from what was open
 * before, another line can be read as well.
 */
export function readLine(before: Blocks, line: string, part: Part): { blocks: Blocks; pieces: readonly Piece[] } {
  const draft: Draft = { ...before, pieces: [] };
  if (part.joins) joinLine(draft, line, part);
  else takeLine(draft, expandTabs(line), part);
  const { pieces, ...blocks } = draft;
  return { blocks, pieces };
}

/** Closes all that is open. */
export function closeBlocks(before: Blocks): readonly Piece[] {
  const draft: Draft = { ...before, pieces: [] };
  closeLeaf(draft);
  return draft.pieces;
}

function joinLine(draft: Draft, text: string, part: Part): void {
  const { leaf } = draft;
  if (leaf?.kind === "fence" || leaf?.kind === "html") {
    appendVerbatim(draft, leaf, text, part);
    return;
  }
  if (leaf?.kind === "paragraph") {
    growParagraph(draft, leaf, leaf.source + text);
    return;
  }
  closeLeaf(draft);
  growParagraph(draft, { kind: "paragraph", spaced: false, source: "", begun: false }, text);
}

function takeLine(draft: Draft, line: string, part: Part): void {
  const { matched, rest } = matchContainers(draft.path, line);
  const { leaf } = draft;
  const isWhole = matched === draft.path.length;
  if (isWhole && (leaf?.kind === "fence" || leaf?.kind === "html")) {
    appendVerbatim(draft, leaf, rest, part);
    return;
  }
  if (rest.trim() === "") {
    takeBlank(draft, matched);
    return;
  }
  if (isWhole && leaf?.kind === "paragraph" && leaf.source !== "" && isUnderline(rest)) {
    draft.leaf = undefined;
    appendText(draft, leaf, "heading", leaf.source);
    return;
  }
  const opened = openContainers(draft, matched, rest);
  if (opened.path.length > matched) {
    closeLeaf(draft);
    draft.path = opened.path;
    startLeaf(draft, opened.rest, part);
    return;
  }
  if (leaf?.kind === "paragraph" && (isWhole || leaf.begun || leaf.source !== "") && !canInterrupt(rest)) {
    continueParagraph(draft, leaf, rest, isWhole);
    return;
  }
  if (isWhole && leaf?.kind === "table" && rest.includes("|")) {
    growTable(draft, leaf, rest);
    return;
  }
  if (isWhole && leaf?.kind === "indented" && countIndent(rest) >= 4) {
    appendIndented(draft, leaf, rest);
    return;
  }
  closeLeaf(draft);
  draft.path = opened.path;
  startLeaf(draft, rest, part);
}

/** Returns how many of the containers continue in the line, and the text behind their marks. */
function matchContainers(path: readonly Container[], line: string): { matched: number; rest: string } {
  let rest = line;
  for (const [index, container] of path.entries()) {
    const left = container.kind === "quote" ? stripBar(rest) : stripIndent(rest, container);
    if (left === undefined) return { matched: index, rest };
    rest = left;
  }
  return { matched: path.length, rest };
}

function stripBar(line: string): string | undefined {
  const [bar] = /^ {0,3}> ?/.exec(line) ?? [];
  return bar === undefined ? undefined : line.slice(bar.length);
}

function stripIndent(line: string, { indent }: Item): string | undefined {
  if (line.trim() === "") return "";
  return countIndent(line) >= indent ? line.slice(indent) : undefined;
}

function openContainers(draft: Draft, matched: number, line: string): { path: readonly Container[]; rest: string } {
  const path = draft.path.slice(0, matched);
  const isInParagraph = draft.leaf?.kind === "paragraph" && draft.leaf.source !== "" && matched === draft.path.length;
  let rest = line;
  while (path.length < deepest && countIndent(rest) < 4) {
    const quoted = stripBar(rest);
    if (quoted !== undefined) {
      path.push({ kind: "quote" });
      rest = quoted;
      continue;
    }
    const sibling = path.length === matched ? draft.path[matched] : undefined;
    const read = isRule(rest) ? undefined : readItem(rest, sibling?.kind === "item" ? sibling : undefined);
    if (!read) break;
    const mayInterrupt = read.rest !== "" && (read.item.number ?? 1) === 1;
    if (isInParagraph && path.length === matched && !mayInterrupt) break;
    path.push(read.item);
    rest = read.rest;
  }
  return { path, rest };
}

function canInterrupt(line: string): boolean {
  return (
    countIndent(line) < 4 &&
    (isRule(line) || [readHeading, readFence, readHtml].some((read) => read(line) !== undefined))
  );
}

/** Reads the next line of a paragraph, which may lack the marks of the paragraph's containers. */
function continueParagraph(
  draft: Draft,
  leaf: Extract<Leaf, { kind: "paragraph" }>,
  line: string,
  isWhole: boolean,
): void {
  if (isWhole && startTable(draft, leaf, line)) return;
  growParagraph(
    draft,
    leaf,
    leaf.source === "" && !leaf.begun ? line.trimStart() : `${leaf.source}\n${line.trimStart()}`,
  );
}

function takeBlank(draft: Draft, matched: number): void {
  const { leaf } = draft;
  draft.blank = true;
  if (leaf?.kind === "indented" && matched === draft.path.length) draft.leaf = { ...leaf, blanks: leaf.blanks + 1 };
  else closeLeaf(draft);
  draft.path = draft.path.slice(0, matched);
}

/** A part is a line, or a piece of a very long line. */
interface Part {
  /** Is true when it continues the line that the previous part began. */
  readonly joins: boolean;
  /** Is true when the line continues after this part. */
  readonly continues: boolean;
}

function startLeaf(draft: Draft, line: string, part: Part): void {
  const at = { spaced: draft.blank, begun: false };
  draft.blank = false;
  if (countIndent(line) >= 4) {
    appendIndented(draft, { kind: "indented", ...at, blanks: 0 }, line);
    return;
  }
  const heading = readHeading(line);
  if (heading !== undefined) {
    appendText(draft, at, "heading", heading);
    return;
  }
  if (isRule(line)) {
    draft.pieces.push({ kind: "rule", path: draft.path, first: true, spaced: at.spaced });
    return;
  }
  const fence = readFence(line);
  if (fence) {
    draft.leaf = { kind: "fence", ...at, ...fence };
    return;
  }
  const end = readHtml(line);
  if (end) {
    appendVerbatim(draft, { kind: "html", ...at, end }, line, part);
    return;
  }
  const definition = part.continues ? undefined : readDefinition(line);
  if (definition) {
    const source = line.trim();
    draft.pieces.push({ kind: "definition", path: draft.path, first: true, spaced: at.spaced, source, ...definition });
    return;
  }
  growParagraph(draft, { kind: "paragraph", ...at, source: "" }, line.trimStart());
}

function appendIndented(draft: Draft, leaf: Extract<Leaf, { kind: "indented" }>, line: string): void {
  const texts = [...Array.from({ length: leaf.blanks }, () => ""), line.slice(4)];
  for (const [index, text] of texts.entries()) {
    const at = { path: draft.path, first: !leaf.begun && index === 0, spaced: leaf.spaced };
    draft.pieces.push({ kind: "code", ...at, info: "", text, joins: false, continues: false });
  }
  draft.leaf = { ...leaf, begun: true, blanks: 0 };
  draft.blank = false;
}

function appendVerbatim(draft: Draft, leaf: Extract<Leaf, { kind: "fence" | "html" }>, text: string, part: Part): void {
  const at = { path: draft.path, first: !leaf.begun, spaced: leaf.spaced, ...part };
  if (leaf.kind === "html") {
    draft.pieces.push({ kind: "text", look: "verbatim", ...at, source: text });
    draft.leaf = leaf.end.test(text) && !part.continues ? undefined : { ...leaf, begun: true };
    return;
  }
  if (!part.joins && isClosingFence(text, leaf.fence)) {
    closeLeaf(draft);
    return;
  }
  const line = part.joins ? text : text.slice(Math.min(leaf.indent, countIndent(text)));
  draft.pieces.push({ kind: "code", ...at, info: leaf.info, text: line });
  draft.leaf = { ...leaf, begun: true };
}
