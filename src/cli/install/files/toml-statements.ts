import { parse } from "smol-toml";
import { isRecord } from "../../../kit/json.ts";

/** A table's head or a pair of key and value, where it stands in the text. */
export interface Statement {
  kind: "table" | "pair";
  /** From the root: of a pair with its table's path before its own key. */
  path: readonly string[];
  /** Of its first character. */
  start: number;
  /** Of its value's first character; of a table's head the same as `start`. */
  value: number;
  /** After its last character; a comment behind it is not counted. */
  end: number;
}

const blank = /(?:\s|#[^\n]*)*/y;
const textValue = /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y;

/** The statements of a TOML text, in its order. The text has been parsed: what is no TOML may give anything. */
export function readStatements(text: string): Statement[] {
  const found: Statement[] = [];
  let table: readonly string[] = [];
  for (let at = after(blank, text, 0); at < text.length; ) {
    const start = at;
    if (text[at] === "[") {
      at = endOf(text, at, "\n#");
      const head = trimmed(text, start, at);
      table = keys(text.slice(start, head).replace(/^\[\[?|\]\]?$/g, ""));
      found.push({ kind: "table", path: table, start, value: start, end: head });
    } else {
      const equals = endOf(text, at, "=\n");
      const path = [...table, ...keys(text.slice(start, equals))];
      const value = equals + 1 + (/^[ \t]*/.exec(text.slice(equals + 1))?.[0].length ?? 0);
      at = endOf(text, value, "\n#");
      found.push({ kind: "pair", path, start, value, end: trimmed(text, value, at) });
    }
    at = after(blank, text, at);
  }
  return found;
}

/** The words of a dotted key; read by the parser itself, which knows all quotes. */
function keys(written: string): string[] {
  const path: string[] = [];
  for (let node: unknown = parse(`${written} = 0`); isRecord(node); ) {
    const [key = ""] = Object.keys(node);
    path.push(key);
    node = node[key];
  }
  return path;
}

/** The first of the characters outside of strings and brackets, else the end of the text. */
function endOf(text: string, from: number, characters: string): number {
  let depth = 0;
  for (let at = from; at < text.length; ) {
    const character = text[at] ?? "";
    if (depth === 0 && characters.includes(character)) return at;
    if (character === "[" || character === "{") depth += 1;
    if (character === "]" || character === "}") depth -= 1;
    const isText = character === '"' || character === "'";
    at = isText ? Math.max(at + 1, after(textValue, text, at)) : character === "#" ? comment(text, at) : at + 1;
  }
  return text.length;
}

function comment(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function after(pattern: RegExp, text: string, at: number): number {
  const sticky = new RegExp(pattern);
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : at;
}

function trimmed(text: string, start: number, end: number): number {
  return start + text.slice(start, end).trimEnd().length;
}
