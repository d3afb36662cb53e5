import { isRecord } from "../kit/json.ts";
import { toSafeJson } from "../kit/text/sanitize.ts";
import { takeStart } from "../kit/text/truncate.ts";

/** Limits one resource, in UTF-16 units. This is more than a host's model reads at once. */
export const longestJson = 500_000;

/** Limits the length of a text and the entries of a list or object. */
interface Size {
  text: number;
  entries: number;
}

/** These sizes are tried in order until the JSON fits. */
const sizes: readonly Size[] = [
  { text: 10_000, entries: 2000 },
  { text: 2000, entries: 2000 },
  { text: 400, entries: 1000 },
  { text: 100, entries: 200 },
  { text: 60, entries: 30 },
  { text: 60, entries: 6 },
];

/** Limits the levels that are shown of a value that is too big. */
const deepest = 8;

/** Counts what was skipped: characters of texts, and entries of lists and objects. */
interface LeftOut {
  characters: number;
  entries: number;
  /** Is the address of the whole, if it has one. */
  whole: string | undefined;
}

/**
 * Renders an object as JSON of at most `max` UTF-16 units. In a larger object, texts are cut at their end and lists in their
 * middle, and `left_out` says how much is missing: `characters` of texts and `entries` of lists, and where the `whole` is.
 */
export function toBoundedJson(value: object, max = longestJson, whole?: string): string {
  const json = toJsonWithin(value, max);
  if (json !== undefined) return json;
  for (const size of sizes) {
    const leftOut: LeftOut = { characters: 0, entries: 0, whole };
    const shorter = shorten(value, { size, leftOut, levels: deepest });
    const text = toJsonWithin({ left_out: leftOut, ...(isRecord(shorter) ? shorter : {}) }, max);
    if (text !== undefined) return text;
  }
  return JSON.stringify({ left_out: { characters: JSON.stringify(value).length, entries: 0, whole } });
}

function toJsonWithin(value: object, max: number): string | undefined {
  // Making it printable takes far longer than this, and makes it no shorter.
  if (JSON.stringify(value).length > max) return undefined;
  const text = toSafeJson(value);
  return text.length <= max ? text : undefined;
}

interface ShorteningState {
  size: Size;
  leftOut: LeftOut;
  levels: number;
}

function shorten(value: unknown, { size, leftOut, levels }: ShorteningState): unknown {
  if (typeof value === "string") {
    const kept = takeStart(value, size.text);
    leftOut.characters += value.length - kept.length;
    return kept.length < value.length ? `${kept}…` : value;
  }
  if (typeof value !== "object" || value === null) return value;
  const inner: ShorteningState = { size, leftOut, levels: levels - 1 };
  if (Array.isArray(value)) return takeEnds(value, inner).map((entry) => shorten(entry, inner));
  const entries = takeEnds(Object.entries(value), inner);
  return Object.fromEntries(entries.map(([key, entry]) => [takeStart(key, size.text), shorten(entry, inner)]));
}

/** Returns the first and the last entries, as many as the size allows. */
function takeEnds<T>(list: readonly T[], { size, leftOut, levels }: ShorteningState): readonly T[] {
  const most = levels < 0 ? 0 : size.entries;
  if (list.length <= most) return list;
  leftOut.entries += list.length - most;
  return [...list.slice(0, most / 2), ...list.slice(list.length - most / 2)];
}

/** Is what any value weighs beside its text, in UTF-16 units. Small values are frequent. */
const overhead = 32;

/** Values below this depth are not counted. */
const deepestWeighed = 100;

/** Estimates how much memory a JSON value takes, in UTF-16 units of text. The estimate is cheap enough to run for each event. */
export function weighJson(value: unknown, levels = deepestWeighed): number {
  if (typeof value === "string") return overhead + value.length;
  if (typeof value !== "object" || value === null || levels === 0) return 0;
  let sum = overhead;
  for (const key in value) sum += weighJson(Reflect.get(value, key), levels - 1);
  return sum;
}
