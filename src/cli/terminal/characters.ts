import { cellsOfUnit, otherParts } from "./units.ts";

/** Takes a character of a text: where it begins and ends, and its cells where these are known already, else 0. */
export type TakeCharacter = (start: number, end: number, cells: number) => void;

/** Goes through what a person sees as one character each, in order (https://www.unicode.org/reports/tr29/). */
export function eachCharacter(text: string, take: TakeCharacter): void {
  let segmenter: Intl.Segmenter | undefined;
  let index = 0;

  function takeSimple(end: number): void {
    for (; index < end; index++) take(index, index + 1, cellsOfUnit(text.charCodeAt(index)));
  }

  function takeOthers(characters: Iterable<string>): void {
    for (const character of characters) {
      const start = index;
      index += character.length;
      take(start, index, 0);
    }
  }

  for (const { 0: part, index: start } of otherParts(text)) {
    takeSimple(start);
    if (!mayJoin(part)) takeOthers(part);
    else if (pictures.test(part)) takeOthers(part.match(picture) ?? []);
    else {
      // It takes 40 ms to load and is slow: most texts do without.
      segmenter ??= new Intl.Segmenter();
      takeOthers(Array.from(segmenter.segment(part), ({ segment }) => segment));
    }
  }
  takeSimple(text.length);
}

/** Whether some of it may be one character together: marks, flags, skin colours, jamo. */
export function mayJoin(text: string): boolean {
  return joining.test(text);
}

const joins = String.raw`\p{M}\p{Cf}\p{Emoji_Modifier}\p{Regional_Indicator}\r\u0d4e\u0e33\u0eb3\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff\uff9e\uff9f`;
const joining = new RegExp(`[${joins}]`, "u");

/** A picture, also one of several that are joined, or what joins with nothing: what is found among simple units mostly. */
const one = String.raw`\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*`;
const picture = new RegExp(String.raw`${one}(?:\u200d${one})*|[^\p{Extended_Pictographic}${joins}]`, "gu");
const pictures = new RegExp(`^(?:${picture.source})+$`, "u");
