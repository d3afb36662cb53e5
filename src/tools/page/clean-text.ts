/** Cleans a text for a model by removing invisible characters, needless spaces and empty lines. */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(invisible, "")
    .replace(trailingBlanks, "")
    .replace(/^\u3000+/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** Cleans a text and joins it into one line. Only the first `longest` characters are read. */
export function cleanLine(text: unknown, longest = 2000): string {
  return typeof text === "string" ? cleanText(text.slice(0, longest)).replace(/\s+/g, " ") : "";
}

// From the first of them only: else a long run within a line would be gone through once for each of its blanks.
const trailingBlanks = /(?<![\t \u00a0])[\t \u00a0]+$/gm;

// Controls, soft hyphens, zero-width and bidi marks, and the tag characters in which text is hidden from people
// (https://www.unicode.org/reports/tr36/); the joiners stay, words and emoji are made of them.
const invisible =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;
