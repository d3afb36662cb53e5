const inQuotes =
  /"[^"\n]*"|“[^“”]*”|‘[^‘’]*’|「[^「」]*」|『[^『』]*』|`[^`\n]*`|(?<![A-Za-z0-9])'[^'\n]*'(?![A-Za-z0-9])/.source;

/**
 * Matches an address. Chinese characters are part of it only after a slash, so that "https://example.com的内容" ends where it
 * should.
 */
export const address =
  /https?:\/\/(?:[\w.~:/?#@!$&*+,;=%|-]|(?<=[/\p{Script=Han}])(?![的并和然再])\p{Script=Han})+(?<=[\w/#=&%~+\p{Script=Han}-])/iu;

/** Matches quoted text, lists, brackets and addresses. Each is one unit and never contains a command. */
export const wholes = new RegExp(
  [address.source, inQuotes, /\[[^[\]]*\]|【[^【】]*】|\([^()]*\)|（[^（）]*）/.source].join("|"),
  "giu",
);

/** Matches quoted text and titles. */
export const quotes = new RegExp(`${inQuotes}|《[^《》]*》`, "g");

export interface ProtectedText {
  /** Holds the text with one private-use character in place of each protected stretch. */
  text: string;
  /** Puts the stretches back. */
  restore(text: string): string;
}

/** Hides what matches, so that patterns see words only. */
export function protectMatches(text: string, pattern: RegExp): ProtectedText {
  const hidden: string[] = [];
  const shown = text.replace(pattern, (stretch) => {
    if (hidden.length >= most) return stretch;
    hidden.push(stretch);
    return String.fromCharCode(first + hidden.length - 1);
  });
  return {
    text: shown,
    restore: (part) => part.replace(placeholder, (mark) => hidden[mark.charCodeAt(0) - first] ?? mark),
  };
}

// A private-use character; no prompt holds one on purpose.
const first = 0xe000;
const most = 1000;
const placeholder = /[\ue000-\ue3e7]/g;

export function removeQuotes(text: string): string {
  const trimmed = text.trim();
  const inner =
    /^(?:"([^"]*)"|'(.*)'|“([^“”]*)”|‘([^‘’]*)’|「([^「」]*)」|『([^『』]*)』|《([^《》]*)》|`([^`]*)`)$/s.exec(
      trimmed,
    );
  return inner?.slice(1).find((group) => group !== undefined) ?? trimmed;
}

/** Removes punctuation and courtesy phrases from the end of the text. */
export function removeTail(text: string): string {
  return text.replace(tail, "").trim();
}

const tail = /(?:[\s。．.！!？?，,；;：:]|(?<=[\s，,。])(?:please|thanks|thank you|谢谢|好吗)|[吗呢吧])+$/i;

/** Replaces the match by one space. */
export function removeMatch(text: string, match: RegExpExecArray): string {
  return `${text.slice(0, match.index).trimEnd()} ${text.slice(match.index + match[0].length).trimStart()}`.trim();
}
