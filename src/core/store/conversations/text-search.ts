/** Limits a text that is searched for, in characters. */
export const longestSearch = 200;

/** Says where a text stands that was searched for. */
export interface TextMatch {
  field: "title" | "question" | "answer";
  /** Is the number of the turn, and undefined for the title. */
  turn?: number | undefined;
  /** Holds the place with some words around it, on one line. */
  excerpt: string;
  /** Is the place within the excerpt, in UTF-16 units. */
  start: number;
  end: number;
}

export interface SearchedTurn {
  n: number;
  question: string;
  answer: string;
}

/** Finds conversations by words of their titles, questions and answers. Capital letters make no difference. */
export interface TextSearch {
  /** Is a pattern of SQL's LIKE which every match has, and undefined where LIKE would miss some. */
  readonly like: string | undefined;
  matchTitle(title: string): TextMatch | undefined;
  matchTurn(turn: SearchedTurn): TextMatch | undefined;
}

/**
 * Searches for all words of a text, in a title or in one turn. A word is found within others, so that languages that write no
 * spaces are searched like all others. Returns undefined where there is no word.
 */
export function createTextSearch(text: string): TextSearch | undefined {
  const words = [...new Set(fold(text).split(/\s+/u).filter(Boolean))].sort((a, b) => b.length - a.length);
  const [longest] = words;
  if (longest === undefined) return undefined;
  const isIn = (folded: readonly string[]): boolean =>
    words.every((word) => folded.some((each) => each.includes(word)));
  const find = (field: TextMatch["field"], shown: string, folded: string, turn?: number): TextMatch | undefined => {
    const at = words
      .map((word) => ({ start: folded.indexOf(word), length: word.length }))
      .find(({ start }) => start >= 0);
    return at && { field, turn, ...cutExcerpt(shown, at.start, at.start + at.length) };
  };
  return {
    like: hasCase(longest.replace(/[\0-\x7f]/g, "")) ? undefined : `%${longest.replace(/[\\%_]/g, "\\$&")}%`,
    matchTitle(title) {
      const folded = fold(title);
      return isIn([folded]) ? find("title", title, folded) : undefined;
    },
    matchTurn({ n, question, answer }) {
      const folded = [fold(question), fold(answer)] as const;
      if (!isIn(folded)) return undefined;
      return find("question", question, folded[0], n) ?? find("answer", answer, folded[1], n);
    },
  };
}

/** Writes small letters, each in the place of its capital one: a letter whose small one is longer stays. */
function fold(text: string): string {
  const folded = text.toLowerCase();
  if (folded.length === text.length) return folded;
  return text.replace(/[^\0-\x7f]|[A-Z]+/g, (letters) => {
    const small = letters.toLowerCase();
    return small.length === letters.length ? small : letters;
  });
}

function hasCase(text: string): boolean {
  return text.toUpperCase() !== text.toLowerCase();
}

/** Limits the words before and after a place, in UTF-16 units. */
const before = 40;
const after = 80;

function cutExcerpt(text: string, from: number, to: number): Pick<TextMatch, "excerpt" | "start" | "end"> {
  const first = moveOutOfCharacter(text, Math.max(0, from - before));
  const last = moveOutOfCharacter(text, Math.min(text.length, to + after));
  const [head, tail] = [first > 0 ? "…" : "", last < text.length ? "…" : ""];
  const excerpt = `${head}${text.slice(first, last).replace(/\s/g, " ")}${tail}`;
  const start = head.length + from - first;
  return { excerpt, start, end: start + to - from };
}

/** Moves a cut out of the middle of a character. */
function moveOutOfCharacter(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(at)) && at > 0 ? at - 1 : at;
}
