import { canJoin, splitJoinedCharacters } from "./joined-characters.ts";
import { countUnitCells, findComplexParts } from "./simple-text.ts";

/** Takes a character of a text: where it begins and ends, and its cells where these are known already, else 0. */
export type TakeCharacter = (start: number, end: number, cells: number) => void;

/** Goes through what a person sees as one character each, in order (https://www.unicode.org/reports/tr29/). */
export function visitCharacters(text: string, take: TakeCharacter): void {
  let index = 0;

  function takeSimple(end: number): void {
    for (; index < end; index++) take(index, index + 1, countUnitCells(text.charCodeAt(index)));
  }

  for (const { 0: part, index: start } of findComplexParts(text)) {
    takeSimple(start);
    for (const character of canJoin(part) ? splitJoinedCharacters(part) : part) {
      index += character.length;
      take(index - character.length, index, 0);
    }
  }
  takeSimple(text.length);
}
