/**
 * Makes look-alike letters visible: in a word that mixes Latin with Cyrillic or Greek letters, those stand with their code points
 * behind it, as in `сurl(U+0441)`. Backslash escapes, of JSON or of `printable`, are no letters. Whoever agrees to a call must see
 * what it is about (https://www.unicode.org/reports/tr39/, mixed-script detection).
 */
export function showLookAlikes(text: string): string {
  return text.replace(wordsAndEscapes, (word) => {
    if (word.startsWith("\\") || !latin.test(word)) return word;
    const foreign = [...new Set(word.match(others))];
    return foreign.length === 0 ? word : `${word}(${foreign.map(codePoint).join(" ")})`;
  });
}

const wordsAndEscapes = /\\(?:u\{[0-9a-f]+\}|u[0-9a-f]{4}|[^u])|[\p{L}\p{M}]+/giu;
const latin = /\p{Script=Latin}/u;
const others = /[\p{Script=Cyrillic}\p{Script=Greek}]/gu;

function codePoint(letter: string): string {
  return `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
