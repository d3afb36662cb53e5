// The blocks of code of the documents, each with a tag after its language that says how it is tested: ```json parsed=settings
import { globSync } from "node:fs";
import { readDocument } from "./pages.ts";

/** The documents whose blocks are tagged. */
export const taggedDocuments: readonly string[] = [
  ...["README.md", "README.zh.md", "SECURITY.md", ...globSync("SECURITY.zh.md")],
  ...globSync("docs/**/*.md").map((file) => file.replaceAll("\\", "/")),
].sort();

/** Blocks that another part of the repository runs or writes, by the name after `run=`, and what holds them to it. */
export const runElsewhere: Readonly<Record<string, string>> = {
  /** Written by `npm run docs`, and compared. */
  docs: "test/tools/tool-documents.test.ts",
  reference: "test/documents/reference.test.ts",
  /** Written as `duet install` writes it. */
  install: "test/packaging/hosts-page.test.ts",
  library: "test/library/examples.test.ts",
  interop: "scripts/interop/interop.mjs",
  postgres: "test/store/postgres/postgres-store.test.ts",
};

export interface Tag {
  readonly way: "run" | "parsed" | "untested";
  /** The name after `=`: what is prepared for the run, or what the block claims to be. */
  readonly kind?: string;
  readonly reason?: string;
}

export interface Block {
  readonly file: string;
  /** The line of its opening fence, from 1 on. */
  readonly line: number;
  readonly language: string;
  /** Undefined where there is none, or none that can be read. */
  readonly tag: Tag | undefined;
  readonly text: string;
}

/** A tag after the language: `run`, `run=NAME`, `parsed`, `parsed=NAME`, or `untested: ` and a reason. */
const tagged = /^(?<language>\S+) (?:(?<way>run|parsed)(?:=(?<kind>[\w-]+))?|untested: (?<reason>.*\S.*\S.*))$/;

/** Reads the fenced blocks of a document, those in lists and `<details>` too. */
export function readBlocks(file: string, text: string = readDocument(file)): Block[] {
  const blocks: Block[] = [];
  let open: { line: number; indent: string; fence: string; info: string; lines: string[] } | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const [, indent = "", fence = "", info = ""] = /^([ >]*)(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open === undefined) {
      if (fence !== "") open = { line: index + 1, indent, fence, info: info.trim(), lines: [] };
    } else if (fence.startsWith(open.fence) && info.trim() === "") {
      blocks.push(toBlock(file, open));
      open = undefined;
    } else open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
  }
  if (open) throw new Error(`${file}:${open.line}: the block has no end`);
  return blocks;
}

function toBlock(file: string, { line, info, lines }: { line: number; info: string; lines: string[] }): Block {
  const { language = info, way, kind, reason } = tagged.exec(info)?.groups ?? {};
  const text = lines.map((each) => `${each}\n`).join("");
  if (way === "run" || way === "parsed") return { file, line, language, tag: { way, ...(kind && { kind }) }, text };
  return { file, line, language, tag: reason === undefined ? undefined : { way: "untested", reason }, text };
}

/** Says what is wrong with the tag of a block; undefined where nothing is. */
export function findTagProblem({ file, line, language, tag }: Block): string | undefined {
  const place = `${file}:${line}`;
  if (tag) return undefined;
  const allowed = "```LANGUAGE run, run=NAME, parsed, parsed=NAME or untested: REASON";
  return `${place}: the block${language === "" ? "" : ` \`\`\`${language}`} is not tagged (allowed: ${allowed})`;
}

/** Code that is set off by four spaces has no place for a tag, so there is none. Gives the lines where it begins. */
export function findIndentedCode(file: string, text: string = readDocument(file)): string[] {
  const fenced = text.replaceAll(/^([ >]*)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1\2[ \t]*$/gm, (found) =>
    found.replaceAll(/[^\n]/g, ""),
  );
  const lines = fenced.split("\n");
  let isInList = false;
  return lines.flatMap((line, index) => {
    if (/^ {0,3}(?:[-*+]|\d+[.)]) /.test(line)) isInList = true;
    else if (/^\S/.test(line)) isInList = false;
    const begins = /^(?: {4}|\t)\s*\S/.test(line) && (lines[index - 1] ?? "").trim() === "";
    return begins && !isInList
      ? [`${file}:${index + 1}: code is set off by spaces (allowed: a fenced block with a tag)`]
      : [];
  });
}

/** How many blocks of a page are run, parsed, and neither. */
export interface BlockCount {
  run: number;
  parsed: number;
  untested: number;
}

/** Counts the blocks of each page that has some, those that other parts of the repository run among the run ones. */
export function countBlocks(files: readonly string[] = taggedDocuments): [file: string, count: BlockCount][] {
  return files.flatMap((file) => {
    const count: BlockCount = { run: 0, parsed: 0, untested: 0 };
    const blocks = readBlocks(file);
    for (const { tag } of blocks) if (tag) count[tag.way] += 1;
    return blocks.length === 0 ? [] : [[file, count] satisfies [string, BlockCount]];
  });
}
