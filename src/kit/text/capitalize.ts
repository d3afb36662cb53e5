/** Puts the first letter of a clause in upper case, as at the start of a sentence. */
export function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
