import { isRecord } from "../../kit/json.ts";
import type { RemoteTool } from "../lists/listing.ts";

/** Hidden characters beyond this many in one text are not distinguished. */
const most = 1000;

/**
 * Replaces each character that is invisible or changes text direction by `\u{E0041}` or the like: controls, bidi and zero-width
 * characters, tags, fillers and private-use characters. It replaces more than `sanitize` does, because a model would read these
 * characters (https://www.unicode.org/reports/tr36/; `Default_Ignorable_Code_Point`). The parts of emoji and of joined scripts
 * stay. In a text with too many of them each run becomes `\u{…}`.
 */
export function makeTextVisible(text: string): string {
  const { count, isAll } = findHidden(text);
  if (count === 0) return text;
  if (!isAll) return text.replace(suspects, "\\u{…}");
  return text.replace(suspects, (run: string, offset: number) =>
    isOrdinary(run, text, offset) ? run : Array.from(run, (character) => `\\u{${toCode(character)}}`).join(""),
  );
}

export interface HiddenCharacters {
  count: number;
  /** Lists each kind as `U+200B`, in the order of first appearance. */
  kinds: string[];
  /** Is false when the text has more hidden characters than were counted. */
  isAll: boolean;
}

/** Finds the hidden characters of a text. It stops counting at a limit. */
export function findHidden(text: string): HiddenCharacters {
  if (!unusual.test(text)) return { count: 0, kinds: [], isAll: true };
  const kinds = new Set<string>();
  let count = 0;
  for (const { 0: run, index } of text.matchAll(suspects)) {
    if (isOrdinary(run, text, index)) continue;
    for (const character of run) {
      if (count === most) return { count, kinds: [...kinds], isAll: false };
      count += 1;
      kinds.add(`U+${toCode(character).padStart(4, "0")}`);
    }
  }
  return { count, kinds: [...kinds], isAll: true };
}

/**
 * Returns the tool as a model and a host may see it, or the same object when nothing is hidden. The name stays as it is because
 * the server knows the tool by it.
 */
export function makeToolVisible(tool: RemoteTool): RemoteTool {
  const { name, ...rest } = tool;
  const shownRest = makeTreeVisible(rest);
  return shownRest === rest ? tool : { name, ...shownRest };
}

/** Applies to every text and key in the value. Returns the same object or list when nothing in it changes. */
export function makeTreeVisible<T>(value: T): T;
export function makeTreeVisible(value: unknown): unknown {
  if (typeof value === "string") return makeTextVisible(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => makeTreeVisible(item));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [makeTextVisible(key), makeTreeVisible(inner)] as const);
  const isSame = entries.every(([key, inner]) => Object.hasOwn(value, key) && value[key] === inner);
  // `fromEntries` makes `__proto__` a key like any other.
  return isSame ? value : Object.fromEntries(entries);
}

function isOrdinary(run: string, text: string, offset: number): boolean {
  if (run === "\r") return text[offset + 1] === "\n";
  if (run.length > 2 || !mayJoin.test(run)) return false;
  const before = text.slice(Math.max(0, offset - 2), offset);
  if (emojiPart.test(run) && emoji.test(before)) return true;
  return (run === "\u200c" || run === "\u200d") && joined.test(before);
}

function toCode(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
}

// What most texts are made of, none of it hidden; looking only for something else is quick.
const unusual =
  /[^\n\t\x20-\x7e\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2190-\u21ff\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e]/;

// The braille blank (U+2800) is a symbol by its category, and shows nothing.
const suspects = /(?:(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{DI}\p{NChar}\u2800])+/gu;
const mayJoin = /^(?:\u200c|\u200d|\ufe0e|\ufe0f)/;
const emojiPart = /^(?:[\ufe0e\ufe0f]\u200d?|\u200d)$/;
const emoji = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|[0-9#*])$/u;
const joined = /[\p{Script=Arabic}\p{M}]$/u;

/** A run of blanks this long, or with this many line ends, is not layout. */
const longRun = 100;
const manyLines = 12;

/** Returns the length of the longest run of blanks that is not layout, and 0 when there is none. */
export function measureLongestBlank(text: string): number {
  const lengths = [...text.matchAll(blanks)].map(([run]) => (isPadding(run) ? run.length : 0));
  return Math.max(0, ...lengths);
}

/** Replaces such runs by what `say` returns for their length, so that no text behind them is out of sight. */
export function replacePadding(text: string, say: (length: number) => string): string {
  return text.replace(blanks, (run: string) => (isPadding(run) ? say(run.length) : run));
}

function isPadding(run: string): boolean {
  return run.length >= longRun || run.split("\n").length > manyLines;
}

// The look behind lets a run be read from its start only. Fillers that are no white space are shown as hidden characters.
const blanks = /(?<!\s)\s{12,}/g;
