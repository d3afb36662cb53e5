import { stripVTControlCharacters } from "node:util";

/**
 * Returns true when nothing of the text can be seen: white space, control and formatting characters, terminal sequences, fillers and
 * the empty Braille pattern.
 */
export function isBlank(text: string): boolean {
  return unseen.test(text.includes("\u001b") ? stripVTControlCharacters(text) : text);
}

const unseen = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;
