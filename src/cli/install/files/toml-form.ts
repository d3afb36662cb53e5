import { isDeepStrictEqual } from "node:util";
import { parse, TomlError } from "smol-toml";
import { isRecord } from "../../../kit/json.ts";
import { detectLineEnd } from "../../../kit/text/line-end.ts";
import { type Entry, type FileFormat, FormatError, findLineEnd } from "./file-format.ts";

/** Edits TOML as text: only the lines of one table and its subtables change. */
export const tomlForm: FileFormat = {
  parse(text) {
    try {
      return parse(text, { integersAsBigInt: "asNeeded" });
    } catch (thrown) {
      throw thrown instanceof TomlError ? new FormatError(thrown, { cause: thrown }) : thrown;
    }
  },
  edit(text, { key, name, there, entry }) {
    const table = [key, name];
    if (entry === undefined) return removeTable(text, table);
    if (!isRecord(there)) return appendTable(text, table, entry);
    if (Object.keys(there).some((field) => !(field in entry)))
      return appendTable(removeTable(text, table), table, entry);
    const changed = Object.entries(entry).filter(([field, value]) => !isDeepStrictEqual(there[field], value));
    return changed.reduce((now, [field, value]) => setField(now, [...table, field], there[field], value), text);
  },
  hindrance(text, { key }) {
    const inBraces = readStatements(text).find(({ kind, path }) => kind === "pair" && isDeepStrictEqual(path, [key]));
    if (inBraces === undefined) return undefined;
    return {
      zh: `${key} 是内联表，未做修改：请改写成 [${key}.NAME] 这样的表，或手动修改`,
      en: `${key} is an inline table; the file was not changed: write tables such as [${key}.NAME], or edit it by hand`,
    };
  },
};

/** A field that has a table of its own keeps it; only the values that differ are set there. */
function setField(text: string, path: readonly string[], there: unknown, value: unknown): string {
  const hasTable = readStatements(text).some((each) => isHead(each, path));
  if (!isRecord(value) || !isRecord(there) || !hasTable) return set(text, path, value);
  const changed = Object.entries(value).filter(([key, item]) => !isDeepStrictEqual(there[key], item));
  return changed.reduce((now, [key, item]) => set(now, [...path, key], item), text);
}

function set(text: string, path: readonly string[], value: unknown): string {
  const statements = readStatements(text);
  const pair = statements.find((each) => each.kind === "pair" && isDeepStrictEqual(each.path, path));
  if (pair !== undefined) return text.slice(0, pair.value) + renderValue(value) + text.slice(pair.end);
  const table = path.slice(0, -1);
  const head = statements.find((each) => isHead(each, table));
  // A table that is written as dotted keys has no head.
  const before = head ?? statements.findLast((each) => isDeepStrictEqual(each.path.slice(0, table.length), table));
  if (before === undefined) throw new Error(`There is no table for ${path.join(".")}.`);
  const inTable = head === undefined ? countOuterKeys(text, before) : table.length;
  const eol = detectLineEnd(text);
  const at = findLineEnd(text, before.end);
  const start = text.slice(0, at);
  const line = `${path.slice(inTable).map(renderKey).join(".")} = ${renderValue(value)}`;
  return `${start}${start.endsWith("\n") ? "" : eol}${line}${eol}${text.slice(at)}`;
}

/** Counts the keys of a pair's path that its table's header holds. */
function countOuterKeys(text: string, { path, start, value }: Statement): number {
  return path.length - parseKeys(text.slice(start, value).replace(/=\s*$/, "")).length;
}

function isHead({ kind, path }: Statement, table: readonly string[]): boolean {
  return kind === "table" && isDeepStrictEqual(path, table);
}

function appendTable(text: string, table: readonly string[], entry: Entry): string {
  const eol = detectLineEnd(text);
  const gap = text === "" || /\n\r?\n$/.test(text) ? "" : text.endsWith("\n") ? eol : eol + eol;
  const fields = Object.entries(entry);
  const own = fields.filter(([, value]) => !isRecord(value));
  const below = fields.flatMap(([field, value]) => (isRecord(value) ? [{ field, value }] : []));
  const tables = [
    renderTable(table, own),
    ...below.map(({ field, value }) => renderTable([...table, field], Object.entries(value))),
  ];
  return text + gap + tables.map((lines) => `${lines.join(eol)}${eol}`).join(eol);
}

function renderTable(table: readonly string[], pairs: readonly [string, unknown][]): string[] {
  return [
    `[${table.map(renderKey).join(".")}]`,
    ...pairs.map(([key, value]) => `${renderKey(key)} = ${renderValue(value)}`),
  ];
}

/** Removes the statements of the table and of its subtables; comments before the next table stay. */
function removeTable(text: string, table: readonly string[]): string {
  const isWithin = ({ path }: Statement): boolean => isDeepStrictEqual(path.slice(0, table.length), table);
  return readStatements(text)
    .filter(isWithin)
    .reduceRight((now, { start, end }) => {
      const before = now.slice(0, now.lastIndexOf("\n", start) + 1);
      const rest = now.slice(findLineEnd(now, end));
      // Of the blank lines before and behind, those before stay.
      return /^$|(?:^|\n)\r?\n$/.test(before) ? before + rest.replace(/^\r?\n/, "") : before + rest;
    }, text)
    .replace(/(\n)(?:\r?\n)+$/, "$1");
}

function renderKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
}

function renderValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(renderValue).join(", ")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, item]) => `${renderKey(key)} = ${renderValue(item)}`);
  return `{ ${pairs.join(", ")} }`;
}

/** Represents a table header or a key/value pair, with its position in the text. */
interface Statement {
  kind: "table" | "pair";
  /** Starts at the root; for a pair, its table's path precedes its own key. */
  path: readonly string[];
  /** Is the index of the first character. */
  start: number;
  /** Is the index of the value's first character; for a table header, the same as `start`. */
  value: number;
  /** Is the index after the last character, excluding a comment behind it. */
  end: number;
}

const blank = /(?:\s|#[^\n]*)*/y;
const textValue = /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y;

/**
 * Returns the statements of a TOML text in order. The text must have been parsed before: the result for invalid TOML is
 * unspecified.
 */
function readStatements(text: string): Statement[] {
  const found: Statement[] = [];
  let table: readonly string[] = [];
  for (let at = findAfter(blank, text, 0); at < text.length; ) {
    const start = at;
    if (text[at] === "[") {
      at = findEnd(text, at, "\n#");
      const head = trimRange(text, start, at);
      table = parseKeys(text.slice(start, head).replace(/^\[\[?|\]\]?$/g, ""));
      found.push({ kind: "table", path: table, start, value: start, end: head });
    } else {
      const equals = findEnd(text, at, "=\n");
      const path = [...table, ...parseKeys(text.slice(start, equals))];
      const value = equals + 1 + (/^[ \t]*/.exec(text.slice(equals + 1))?.[0].length ?? 0);
      at = findEnd(text, value, "\n#");
      found.push({ kind: "pair", path, start, value, end: trimRange(text, value, at) });
    }
    at = findAfter(blank, text, at);
  }
  return found;
}

/** Returns the parts of a dotted key. The parser itself reads them, since it knows all kinds of quotes. */
function parseKeys(written: string): string[] {
  const path: string[] = [];
  for (let node: unknown = parse(`${written} = 0`); isRecord(node); ) {
    const [key = ""] = Object.keys(node);
    path.push(key);
    node = node[key];
  }
  return path;
}

/** Returns the index of the first of these characters outside strings and brackets, or else the end of the text. */
function findEnd(text: string, from: number, characters: string): number {
  let depth = 0;
  for (let at = from; at < text.length; ) {
    const character = text[at] ?? "";
    if (depth === 0 && characters.includes(character)) return at;
    if (character === "[" || character === "{") depth += 1;
    if (character === "]" || character === "}") depth -= 1;
    const isText = character === '"' || character === "'";
    at = isText ? Math.max(at + 1, findAfter(textValue, text, at)) : character === "#" ? findComment(text, at) : at + 1;
  }
  return text.length;
}

function findComment(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function findAfter(pattern: RegExp, text: string, at: number): number {
  const sticky = new RegExp(pattern);
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : at;
}

function trimRange(text: string, start: number, end: number): number {
  return start + text.slice(start, end).trimEnd().length;
}
