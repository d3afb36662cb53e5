import { takeStart } from "../../../kit/text/truncate.ts";

/** Whether some of a text may be one character together: marks, flags, skin colours, jamo. */
export function canJoin(text: string): boolean {
  return joining.test(text);
}

/**
 * The characters of a text that may join, in order, in linear time. One of more code points than anybody writes is several,
 * each as if the text began there.
 */
export function* splitJoinedCharacters(text: string): Generator<string> {
  let segmenter: Intl.Segmenter | undefined;

  function segmentsOf(part: string): string[] {
    // It takes 40 ms to load and is slow: most texts do without.
    segmenter ??= new Intl.Segmenter();
    return Array.from(segmenter.segment(part), ({ segment }) => segment);
  }

  for (let start = 0; start < text.length; ) {
    const part = takeStart(text.slice(start, start + partUnits + 1), partUnits);
    const found = pictures.test(part) ? (part.match(picture) ?? []) : segmentsOf(part);
    for (const character of settled(found, start + part.length === text.length)) {
      start += character.length;
      yield character;
    }
  }
}

/** Whether a character is as long as one can be, so that it may be a piece of what joins on without an end. */
export function isFull(character: string): boolean {
  return character.length >= mostPoints && Array.from(character).length >= mostPoints;
}

/** Up to the first that is too long, which is cut; the last may go on behind its part. */
function settled(found: readonly string[], isEnd: boolean): readonly string[] {
  const full = found.findIndex(isFull);
  if (full < 0) return isEnd ? found : found.slice(0, -1);
  return [
    ...found.slice(0, full),
    Array.from(found[full] ?? "")
      .slice(0, mostPoints)
      .join(""),
  ];
}

/** Code points of one character at most; the longest pictures in use have ten. */
const mostPoints = 32;
/** UTF-16 units that are looked at together; more than one character has. */
const partUnits = 128;

const joins = String.raw`\p{M}\p{Cf}\p{Emoji_Modifier}\p{Regional_Indicator}\r\u0d4e\u0e33\u0eb3\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff\uff9e\uff9f`;
const joining = new RegExp(`[${joins}]`, "u");

/** A picture, also one of several that are joined, or what joins with nothing: what is found among simple units mostly. */
const one = String.raw`\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*`;
const picture = new RegExp(String.raw`${one}(?:\u200d${one})*|[^\p{Extended_Pictographic}${joins}]`, "gu");
const pictures = new RegExp(`^(?:${picture.source})+$`, "u");
