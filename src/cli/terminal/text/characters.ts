import { joinedCharacters, mayJoin } from "./joined-characters.ts";
import { cellsOfUnit, otherParts } from "./simple-text.ts";

/** Takes a character of a text: where it begins and ends, and its cells where these are known already, else 0. */
export type TakeCharacter = (start: number, end: number, cells: number) => void;

/** Goes through what a person sees as one character each, in order (https://www.unicode.org/reports/tr29/). */
export function eachCharacter(text: string, take: TakeCharacter): void {
  let index = 0;

  function takeSimple(end: number): void {
    for (; index < end; index++) take(index, index + 1, cellsOfUnit(text.charCodeAt(index)));
  }

  for (const { 0: part, index: start } of otherParts(text)) {
    takeSimple(start);
    for (const character of mayJoin(part) ? joinedCharacters(part) : part) {
      index += character.length;
      take(index - character.length, index, 0);
    }
  }
  takeSimple(text.length);
}
