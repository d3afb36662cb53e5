/** Holds the search terms of a text: Latin words as stems, and Chinese text as runs of characters. */
export interface Words {
  stems: string[];
  runs: string[];
}

/** Reads words in the order of the text; what is joined in names (`getUserName`, `web_search`, `IPAddress`) is taken apart. */
export type ReadWords = (text: string) => Words;

/** Remembers the stems of the words that it has read: the same come again and again. */
export function createWordReader(): ReadWords {
  const known = new Map<string, string>();
  function stemWord(word: string): string {
    const before = known.get(word);
    if (before !== undefined) return before;
    const made = toStem(word.toLowerCase());
    known.set(word, made);
    return made;
  }
  return (text) => {
    const words: Words = { stems: [], runs: [] };
    for (const piece of text.match(pieces) ?? []) {
      if (isHan(piece)) words.runs.push(piece);
      else words.stems.push(stemWord(piece));
    }
    return words;
  };
}

// "URLs" is one word; in "IPAddress" the last capital belongs to the word that begins there.
const pieces =
  /[A-Z]?[a-z\u00df-\u024f]+|[A-Z]+s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]|\d+|[\u3400-\u9fff\uf900-\ufaff]+|[\u00c0-\u00de\u0370-\u1fff\u3040-\u30ff\uac00-\ud7af]+/g;

/** Returns true when the text begins with a Chinese character. */
export function isHan(text: string): boolean {
  const code = text.charCodeAt(0);
  return (code >= 0x3400 && code <= 0x9fff) || (code >= 0xf900 && code <= 0xfaff);
}

/** Returns the pairs of neighbouring characters. A single character stands for itself. */
export function toPairs(run: string): string[] {
  if (run.length < 2) return [run];
  return Array.from({ length: run.length - 1 }, (_, index) => run.slice(index, index + 2));
}

/**
 * Returns an English word without its endings, in lower case, so that "creates", "created" and "creating" are equal. The stem
 * need not be a word, because both sides of a comparison are cut in the same way.
 */
export function toStem(word: string): string {
  if (word.length < 4 || word === "news") return word;
  const singular = removePlural(word);
  const ending = endings.find((each) => singular.endsWith(each) && singular.length - each.length >= 3);
  const bare = ending === undefined ? singular : removeDouble(singular.slice(0, -ending.length));
  return bare.length > 3 && bare.endsWith("e") ? bare.slice(0, -1) : bare;
}

const endings = ["ing", "ed", "ion"];

function removePlural(word: string): string {
  if (!word.endsWith("s") || word.endsWith("ss") || word.endsWith("us") || word.endsWith("is")) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  const isLong = ["sses", "shes", "ches", "xes"].some((each) => word.endsWith(each));
  return word.slice(0, isLong ? -2 : -1);
}

/** Removes the doubled final consonant that an ending leaves, so that "mapping" becomes "map". */
function removeDouble(word: string): string {
  const last = word.at(-1) ?? "";
  return word.length > 3 && word.at(-2) === last && "bdfgmnprt".includes(last) ? word.slice(0, -1) : word;
}
