import { isDeepStrictEqual } from "node:util";
import { isCollection, isMap, isNode, isScalar, type Node, type Pair, parseDocument, stringify } from "yaml";
import { isRecord } from "../../../kit/json.ts";
import { detectLineEnd } from "../../../kit/text/line-end.ts";
import { type FileFormat, FormatError, findLineEnd } from "./file-format.ts";

/** Edits YAML as text: only the lines of one entry change, so that comments, quotes and indentation stay as they are. */
export const yamlForm: FileFormat = {
  parse(text) {
    const document = parseDocument(text);
    const [first] = document.errors;
    if (first) {
      const [{ line, col } = { line: 1, col: 1 }] = first.linePos ?? [];
      throw new FormatError({ line, column: col }, { cause: first });
    }
    return document.toJS() ?? {};
  },
  edit(text, { key, name, there, entry }) {
    const path = [key, name];
    if (entry === undefined) return removePair(text, path);
    const isKept = isRecord(there) && Object.keys(there).every((field) => field in entry);
    const old = findPair(text, path)?.value;
    if (!isKept || !isMap(old) || old.flow) return setPair(text, path, entry);
    const changed = Object.entries(entry).filter(([field, value]) => !isDeepStrictEqual(there[field], value));
    return changed.reduce((now, [field, value]) => setPair(now, [...path, field], value), text);
  },
  hindrance(text, { key, name }) {
    const path = [key, name];
    const inBraces = path.findIndex((_, depth) => {
      const value = findPair(text, path.slice(0, depth + 1))?.value;
      return isMap(value) && value.flow;
    });
    if (inBraces < 0) return undefined;
    return {
      zh: `${path[inBraces]} 写在花括号里，未做修改：请改写成缩进的形式，或手动修改`,
      en: `${path[inBraces]} is written in braces; the file was not changed: write it as an indented block, or edit it by hand`,
    };
  },
};

function findPair(text: string, path: readonly string[]): Pair | undefined {
  let node: unknown = parseDocument(text).contents;
  let found: Pair | undefined;
  for (const name of path) {
    found = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === name) : undefined;
    node = found?.value;
  }
  return found;
}

/** Sets what stands at the path: a value on one line is replaced there, a longer one with its lines, a new one is added last. */
function setPair(text: string, path: readonly string[], value: unknown): string {
  const pair = findPair(text, path);
  const key = path.at(-1) ?? "";
  if (pair === undefined) return addPair(text, path.slice(0, -1), { [key]: value });
  const { start, end, indent } = locatePair(text, pair);
  const old = isNode(pair.value) && pair.value.range ? pair.value : undefined;
  const [from, to] = old?.range ?? [0, 0];
  const isOneLine = to > from && (isCollection(old) ? old.flow === true : !text.slice(from, to).includes("\n"));
  const isShort = isScalar(old) ? !isRecord(value) && !Array.isArray(value) : isCollection(old);
  if (isOneLine && isShort) return text.slice(0, from) + renderInLine(value) + text.slice(to);
  return text.slice(0, start) + renderBlock({ [key]: value }, indent, text) + text.slice(end);
}

function addPair(text: string, path: readonly string[], pairs: Record<string, unknown>): string {
  const parent = path.length === 0 ? parseDocument(text).contents : findPair(text, path)?.value;
  const last = isMap(parent) ? parent.items.at(-1) : undefined;
  if (isMap(parent) && last !== undefined) {
    if (parent.flow) throw new Error(`${path.join(".")} is a flow mapping.`);
    const { end, indent } = locatePair(text, last);
    return insertLines(text, end, renderBlock(pairs, indent, text));
  }
  const [key] = path.slice(-1);
  if (key === undefined) return insertLines(text, text.length, renderBlock(pairs, "", text));
  const pair = findPair(text, path);
  if (pair === undefined) return addPair(text, path.slice(0, -1), { [key]: pairs });
  // An empty mapping is written as nothing, as null or as {}.
  const [from, to] = getRange(pair.value);
  const empty = text.slice(0, from).trimEnd() + text.slice(to);
  const at = findLineEnd(empty, getRange(pair.key)[1]);
  return insertLines(empty, at, renderBlock(pairs, `${locatePair(text, pair).indent}  `, text));
}

function removePair(text: string, path: readonly string[]): string {
  const pair = findPair(text, path);
  if (pair === undefined) return text;
  const { start, end } = locatePair(text, pair);
  const rest = text.slice(0, start) + text.slice(end);
  const parent = findPair(text, path.slice(0, -1));
  const siblings = parent?.value;
  if (parent === undefined || !isMap(siblings) || siblings.items.length > 1) return rest;
  // Nothing would be null, which is no mapping.
  const colon = rest.indexOf(":", getRange(parent.key)[1]) + 1;
  return `${rest.slice(0, colon)} {}${rest.slice(colon)}`;
}

interface Lines {
  start: number;
  end: number;
  /** Holds the blanks before the key. */
  indent: string;
}

/** Locates the lines of a pair in a block mapping, with the comments below it that are indented more than its key. */
function locatePair(text: string, pair: Pair): Lines {
  const [keyStart, keyEnd] = getRange(pair.key);
  const start = text.lastIndexOf("\n", keyStart - 1) + 1;
  const indent = text.slice(start, keyStart);
  if (indent.trim() !== "") throw new Error(`${text.slice(keyStart, keyEnd)} does not begin its line.`);
  const to = Math.max(keyEnd, isNode(pair.value) ? getRange(pair.value)[1] : 0);
  const end = text[to - 1] === "\n" ? to : findLineEnd(text, to);
  const [below = ""] = new RegExp(`^(?:${indent}[ \\t]+#[^\\n]*(?:\\n|$))*`).exec(text.slice(end)) ?? [];
  return { start, end: end + below.length, indent };
}

function getRange(node: unknown): NonNullable<Node["range"]> {
  if (isNode(node) && node.range) return node.range;
  throw new Error("The node has no position in the text.");
}

function insertLines(text: string, at: number, lines: string): string {
  const before = text.slice(0, at);
  return before + (before === "" || before.endsWith("\n") ? "" : detectLineEnd(text)) + lines + text.slice(at);
}

function renderInLine(value: unknown): string {
  return isRecord(value) || Array.isArray(value) ? JSON.stringify(value) : stringify(value, style).trimEnd();
}

function renderBlock(pairs: Record<string, unknown>, indent: string, text: string): string {
  const lines = stringify(pairs, style).trimEnd().split("\n");
  return lines.map((line) => `${indent}${line}${detectLineEnd(text)}`).join("");
}

const style = { lineWidth: 0, singleQuote: false, blockQuote: false } as const;
