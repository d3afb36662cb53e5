import type { Leaf } from "./block.ts";
import {
  countIndent,
  isClosingFence,
  isRule,
  readDefinition,
  readFence,
  readHeading,
  readHtml,
} from "./block-starts.ts";
import { appendText, closeLeaf, type Draft, growParagraph } from "./open-leaf.ts";

/** A line, or a part of one that is very long. */
export interface Part {
  /** It goes on with the line that the part before began. */
  readonly joins: boolean;
  /** The line goes on. */
  readonly continues: boolean;
}

export function startLeaf(draft: Draft, line: string, part: Part): void {
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

export function appendIndented(draft: Draft, leaf: Extract<Leaf, { kind: "indented" }>, line: string): void {
  const texts = [...Array.from({ length: leaf.blanks }, () => ""), line.slice(4)];
  for (const [index, text] of texts.entries()) {
    const at = { path: draft.path, first: !leaf.begun && index === 0, spaced: leaf.spaced };
    draft.pieces.push({ kind: "code", ...at, info: "", text, joins: false, continues: false });
  }
  draft.leaf = { ...leaf, begun: true, blanks: 0 };
  draft.blank = false;
}

export function appendVerbatim(
  draft: Draft,
  leaf: Extract<Leaf, { kind: "fence" | "html" }>,
  text: string,
  part: Part,
): void {
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
