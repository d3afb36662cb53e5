import { posix } from "node:path";
import { getOwnValue, type JsonObject, type JsonValue } from "../../kit/json.ts";
import { isMatch } from "../../kit/text/match-pattern.ts";

/** What a rule says of a call's arguments: `rm *` of a value anywhere in them, `path=/etc/*` of one argument. */
export interface ArgumentPattern {
  /** As it was written, without the spaces round it. */
  text: string;
  key: string | undefined;
  value: string;
}

export function readArgumentPattern(written: string): ArgumentPattern {
  const text = written.trim();
  const [, key, value = text] = /^([A-Za-z_][\w-]*)=(.*)$/s.exec(text) ?? [];
  return { text, key, value: value.trim() };
}

/**
 * For rules that allow: every value fits, to the letter, so that nothing slips through beside one that does; and a path or an
 * address that climbs fits where it leads, too.
 */
export function isCoveringArguments({ key, value }: ArgumentPattern, args: JsonObject): boolean {
  const found = [...leaves(key === undefined ? args : (getOwnValue(args, key) ?? null))];
  const fits = (text: string): boolean => isMatch(text, value);
  return found.length > 0 && found.every((text) => fits(text) && (!climbs(text) || fits(destination(text))));
}

/**
 * For rules that forbid or ask: one value fits in one of its readings. Letter case, spaces, full-width and invisible characters make
 * no difference; neither does whether words stand in one text or in a list, how a path or an address is written, or how deep it
 * stands; and `rm *` is also a bare `rm`.
 */
export function isCatchingArguments({ text, key, value }: ArgumentPattern, args: JsonObject): boolean {
  if (someFits([...texts(args)], text)) return true;
  return (
    key !== undefined &&
    someFits(
      [...valuesOf(args, folded(key))].flatMap((named) => [...texts(named)]),
      value,
    )
  );
}

function someFits(found: readonly string[], value: string): boolean {
  const pattern = folded(value);
  const bare = pattern.endsWith(" *") ? pattern.slice(0, -2) : undefined;
  return found.some((text) =>
    readings(text).some((reading) => {
      const plain = folded(reading);
      return plain === bare || isMatch(plain, pattern);
    }),
  );
}

/** The same text as those may read it who get it: as a path, as an address. */
function readings(text: string): string[] {
  const address = URL.parse(text)?.href;
  const path = /[/\\]/.test(text) ? straight(text) : text;
  return [text, ...(path === text ? [] : [path]), ...(address === undefined ? [] : [address])];
}

/** Whether a segment is `..`, also as an address may write it. */
function climbs(text: string): boolean {
  return /(^|[/\\])(\.|%2e){2}([/\\?#]|$)/i.test(text.replace(/[\t\n\r]/g, ""));
}

function destination(text: string): string {
  return (/^https?:/i.test(text) ? URL.parse(text)?.href : undefined) ?? straight(text);
}

/** Without `//`, `.` and `..`. */
function straight(path: string): string {
  return posix.normalize(path.replaceAll("\\", "/"));
}

function folded(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .replace(/\p{Default_Ignorable_Code_Point}+/gu, "")
    .trim()
    .toLowerCase();
}

/** Every value in the arguments as a text. */
function* leaves(value: JsonValue): Generator<string> {
  if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) yield* leaves(inner);
  else if (value !== null) yield String(value);
}

/** The values, those that stand together as one text, and the names of what stands deeper: a header's, a variable's. */
function* texts(value: JsonValue, isInner = false): Generator<string> {
  if (typeof value !== "object" || value === null) {
    yield* leaves(value);
    return;
  }
  yield [...leaves(value)].join(" ");
  if (isInner && !Array.isArray(value)) yield* Object.keys(value);
  for (const inner of Object.values(value)) yield* texts(inner, true);
}

/** What stands under a name, at whatever depth. */
function* valuesOf(value: JsonValue, name: string): Generator<JsonValue> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value) && folded(key) === name) yield inner;
    yield* valuesOf(inner, name);
  }
}
