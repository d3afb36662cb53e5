const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const openBracket = 0x5b;
const closeBrace = 0x7d;
const closeBracket = 0x5d;

/** Says what is wrong with the shape of a text that may be JSON. */
export type JsonShapeFault = "depth" | "keys" | "values" | "key-twice";

/** Limits the levels, the keys of one object, and the values in all. */
export interface JsonLimits {
  depth: number;
  keys: number;
  values: number;
}

/**
 * Returns the first fault of the text's shape, with nothing built from it. Of two equal keys, two parsers may use different ones;
 * then what one has checked is not what the other runs.
 */
export function findShapeFault(
  text: string,
  { depth, keys: mostKeys, values: mostValues }: JsonLimits,
): JsonShapeFault | undefined {
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
      if (open.push(mark === openBrace ? new Set() : null) > depth) return "depth";
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
