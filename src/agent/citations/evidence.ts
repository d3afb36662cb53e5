import type { SourceReading } from "../../core/sources.ts";

/**
 * Keeps what the models read of each source in a conversation, so that a citation can be compared with it. A number is corrected
 * only on evidence that is hard to come by accidentally: the clause names figures, another source holds them all, and the cited one
 * holds no figure of the sentence, as far back as the citation before.
 */
export interface Evidence {
  /** Adds what the models read of a source. A source of which more was read is never found to lack a figure. */
  add(reading: SourceReading): void;
  /** Takes what earlier turns have read, which is listed once it is needed. */
  learn(earlier: EarlierReadings): void;
  /**
   * Is true for a source that this run or an earlier turn has read: a conversation also holds those of turns that it has left. Until it
   * is known what earlier turns have read, it is true for each.
   */
  hasRead(number: number): boolean;
  /** Returns the source that the end of a text, before this number, is about: another one where figures show it, else the same. */
  findSource(number: number, text: string): number;
}

/** Lists what the turns before a question have read. */
export interface EarlierReadings {
  /** Lists the numbers of all sources, also of those whose text is gone. */
  listNumbers(): ReadonlySet<number>;
  /** Lists the texts, to compare figures with. */
  listReadings(): readonly SourceReading[];
}

/** Limits the text that is kept of one source, in characters. */
const longestText = 200_000;

export function createEvidence(): Evidence {
  const texts = new Map<number, string>();
  const figures = new Map<number, ReadonlySet<string>>();
  /** Lists the sources of which only a part is known. */
  const parts = new Set<number>();
  let earlier: EarlierReadings | undefined;
  let earlierNumbers: ReadonlySet<number> | undefined;
  /** Is true once the texts of earlier turns are known. */
  let hasLearnt = false;

  function add({ n, text, isPart }: SourceReading): void {
    const joined = `${texts.get(n) ?? ""}\n${text}`;
    texts.set(n, joined.slice(-longestText));
    figures.delete(n);
    if (isPart || joined.length > longestText) parts.add(n);
  }

  function learnEarlier(): void {
    if (earlier === undefined || hasLearnt) return;
    hasLearnt = true;
    // Of a text that is too long its end is kept, which is what this run has read.
    const own = [...texts].map(([n, text]) => ({ n, text }));
    texts.clear();
    [...earlier.listReadings(), ...own].forEach(add);
  }

  function hasRead(number: number): boolean {
    if (earlier === undefined || texts.has(number)) return true;
    earlierNumbers ??= earlier.listNumbers();
    return earlierNumbers.has(number);
  }

  function getFigures(number: number): ReadonlySet<string> {
    const known = figures.get(number) ?? new Set(listFigures(texts.get(number) ?? ""));
    figures.set(number, known);
    return known;
  }

  /** Returns how many of the clause's words a source has, to choose between sources that have its figures. */
  function countWords(number: number, clause: string): number {
    const words = new Set(listWords(texts.get(number) ?? ""));
    return listWords(clause).filter((word) => words.has(word)).length;
  }

  return {
    add,
    learn(readings) {
      earlier = readings;
    },
    hasRead,
    findSource(number, text) {
      const clause = getLastClause(text);
      const named = listFigures(clause);
      if (named.length === 0) return number;
      learnEarlier();
      if (hasRead(number) && (!texts.has(number) || parts.has(number))) return number;
      if (listFigures(getLastSentence(text)).some((figure) => getFigures(number).has(figure))) return number;
      const others = [...texts.keys()].filter((other) => named.every((figure) => getFigures(other).has(figure)));
      const ranked = others.map((other) => ({ other, words: countWords(other, clause) }));
      const [best] = ranked.sort((a, b) => b.words - a.words);
      return best?.other ?? number;
    },
  };
}

/**
 * Lists the dates like 2026-12-04 and the numbers of at least three characters, without marks between thousands. Shorter numbers and
 * years say too little to tell sources apart.
 */
function listFigures(text: string): string[] {
  const found = [...text.matchAll(figure)].map(([written]) => written.replaceAll(",", ""));
  return [...new Set(found.filter((one) => one.length > 2 && !/^(?:19|20)\d\d$/.test(one)))];
}

const figure = /\d{4}-\d{2}-\d{2}|(?<![\d.])(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*)/g;

/** Lists the words that can tell sources apart: three letters or more, and pairs of Chinese characters. */
function listWords(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z][a-z0-9_-]{2,}/g) ?? [];
  const pairs = [...text.matchAll(/(?=([\u4e00-\u9fff]{2}))/g)].map(([, pair = ""]) => pair);
  return [...new Set([...words, ...pairs])];
}

/** Returns the clause that a text ends with, or what stands in it after the citation before. */
export function getLastClause(text: string): string {
  return getEnd(text, /[。！？，；：\n]|[.!?,;:](?=\s)|\]/gu);
}

/** Returns the sentence that a text ends with, over its commas, or what stands in it after the citation before. */
export function getLastSentence(text: string): string {
  return getEnd(text, /[。！？；：\n]|[.!?;:](?=\s)|\]/gu);
}

function getEnd(text: string, boundaries: RegExp): string {
  const end = text.replace(/[\s.。!！?？;；,，:：]+$/u, "");
  const begin = Math.max(...[...end.matchAll(boundaries)].map(({ index }) => index + 1), 0);
  return end.slice(begin);
}
