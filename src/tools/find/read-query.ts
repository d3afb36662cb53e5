import type { Thesaurus } from "./thesaurus.ts";
import { isHan, type ReadWords, toPairs } from "./words.ts";

/** One thing that a query is about, in every form in which a tool may speak of it. */
export interface Meaning {
  /** How much it says: a single character says little. */
  weight: number;
  forms: readonly Form[];
}

export interface Form {
  /** The terms that together are the form: one word, or the pairs of a Chinese one. */
  terms: readonly string[];
  /** 1 for the query's own word, less for another that means much the same. */
  nearness: number;
}

/** Characters; who asks with more says the most important things first. */
const longestQuery = 600;
const mostMeanings = 60;
const other = 0.75;

/** What a query is about, in the order of its words; no meaning twice. */
export function readQuery(query: string, thesaurus: Thesaurus, read: ReadWords): Meaning[] {
  const { stems, runs } = read(query.slice(0, longestQuery));
  const meanings = new Map<string, Meaning>();
  function add(word: string, weight: number): void {
    if (meanings.size >= mostMeanings || meanings.has(word)) return;
    const others = thesaurus.formsOf(word).filter((form) => !isHan(form) || form.length > 1);
    const forms = [formOf(word, 1), ...others.map((form) => formOf(form, other))];
    meanings.set(word, { weight, forms });
  }
  for (const stem of stems) if (!isEmpty(stem)) add(stem, 1);
  for (const run of runs) readRun(run, thesaurus, add);
  return [...meanings.values()];
}

function formOf(word: string, nearness: number): Form {
  return { terms: isHan(word) ? toPairs(word) : [word], nearness };
}

/** Chinese has no spaces: known words are taken out, and what is left between them is read in pairs. */
function readRun(run: string, thesaurus: Thesaurus, add: (word: string, weight: number) => void): void {
  let rest = "";
  const flush = (): void => {
    if (rest.length > 1) for (const pair of toPairs(rest)) add(pair, 1);
    else if (rest !== "" && !particles.includes(rest)) add(rest, 0.3);
    rest = "";
  };
  for (let at = 0; at < run.length; ) {
    const known = thesaurus.knownAt(run, at);
    if (known === undefined) {
      rest += run.charAt(at);
      at += 1;
      continue;
    }
    flush();
    add(known, known.length > 1 ? 1 : 0.6);
    at += known.length;
  }
  flush();
}

/** Characters that stand in every question. */
const particles = "的了吗呢吧啊是在有我你他她它们这那个和与或对把被给请帮要想会能可以到从用为很不也都就去来上下里";

function isEmpty(stem: string): boolean {
  return stem.length < 2 || emptyWords.has(stem);
}

/** Words that stand in every question, by their stems. */
const emptyWords: ReadonlySet<string> = new Set(
  (
    "an the of to in on at for from by with and or is are be was do does did it its this that these those there what " +
    "which who how when why can could would should will may please me my we our you your he she they them his her if as " +
    "not no so about into than then use us tool tools want need help let some any all more most very just also have has had " +
    "give tell show know like one am im ll ve re per via"
  ).split(" "),
);
