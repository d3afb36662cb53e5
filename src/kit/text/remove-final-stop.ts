/** Removes the full stop at the end of a sentence that is quoted within another one. */
export function removeFinalStop(sentence: string): string {
  return sentence.replace(/[.。]$/u, "");
}
