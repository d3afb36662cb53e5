import { mostKeys, mostValues } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";

/** Objects and lists in one another: what is deeper would overflow the stack of whoever walks through it. */
export const deepestJson = 100;

/** Says why a text was not parsed. */
export type JsonFault = "syntax" | "depth" | "keys" | "values" | "key-twice";

export const jsonFaults: Readonly<Record<JsonFault, Text>> = {
  syntax: { zh: "请求正文不是 JSON", en: "the body is not JSON" },
  depth: { zh: `JSON 嵌套超过 ${deepestJson} 层`, en: `the JSON is nested more than ${deepestJson} levels deep` },
  keys: {
    zh: `JSON 中有一个对象超过 ${mostKeys} 个键`,
    en: `an object in the JSON has more than ${mostKeys} keys`,
  },
  values: { zh: `JSON 超过 ${mostValues} 个值`, en: `the JSON has more than ${mostValues} values` },
  "key-twice": { zh: "JSON 中有重复的键", en: "the JSON has a duplicate key" },
};

/** Parses JSON that a stranger has written; its shape is judged before anything is built from it. */
export function readJson(text: string): { value: unknown } | { fault: JsonFault } {
  const fault = findFault(text);
  if (fault !== undefined) return { fault };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { fault: "syntax" };
  }
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const openBracket = 0x5b;
const closeBrace = 0x7d;
const closeBracket = 0x5d;

/** Of two equal keys, two parsers may use different ones; then what one has checked is not what the other runs. */
function findFault(text: string): JsonFault | undefined {
  /** Holds the keys of each open object, and null for each open list. */
  const open: (Set<string> | null)[] = [];
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const mark = text.charCodeAt(at);
    if (mark === quote) {
      const end = findStringEnd(text, at);
      const keys = open.at(-1);
      if (keys && isFollowedByColon(text, end)) {
        if (!isNew(text.slice(at, end), keys)) return "key-twice";
        if (keys.size > mostKeys) return "keys";
      }
      at = end - 1;
    } else if (mark === openBrace || mark === openBracket) {
      if (open.push(mark === openBrace ? new Set() : null) > deepestJson) return "depth";
    } else if (mark === closeBrace || mark === closeBracket) open.pop();
    else if (mark === comma && ++values > mostValues) return "values";
  }
  return undefined;
}

/** Returns the index after the closing quote, or the end of the text. */
function findStringEnd(text: string, start: number): number {
  let end = start + 1;
  for (;;) {
    const closing = text.indexOf('"', end);
    if (closing < 0) return text.length;
    let escapes = 0;
    while (text.charCodeAt(closing - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return closing + 1;
    end = closing + 1;
  }
}

function isFollowedByColon(text: string, start: number): boolean {
  let at = start;
  while (text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === colon;
}

function isNew(key: string, keys: Set<string>): boolean {
  const before = keys.size;
  return keys.add(key.includes("\\") ? decodeEscapes(key) : key).size > before;
}

function decodeEscapes(key: string): string {
  try {
    return JSON.stringify(JSON.parse(key));
  } catch {
    return key;
  }
}
