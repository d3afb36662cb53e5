import type { FoundTool, Tool, ToolIndex } from "../../core/tools/tool.ts";
import { isRecord } from "../../kit/json.ts";
import { createThesaurus, type Thesaurus } from "./thesaurus.ts";
import { createWordReader, isHan, type ReadWords, toPairs } from "./words.ts";

/** Lists where a term occurs: tools by their index, in ascending order, and the term's weight in each. */
interface Postings {
  tools: number[];
  weights: number[];
}

/** Sets how quickly repeated terms stop adding to the score (BM25's k1). */
const saturation = 1.2;

/**
 * Creates an index of tools that needs no model and no network. Terms are weighted by their field and their rarity (BM25F). The
 * words of a query are expanded by a small thesaurus of Chinese and English.
 */
export function createToolIndex(tools: readonly Tool[]): ToolIndex {
  const thesaurus = createThesaurus();
  const read = createWordReader();
  const postings = new Map<string, Postings>();
  for (const [index, tool] of tools.entries()) {
    countWords(tool, read, (term, weight) => {
      const known = postings.get(term);
      if (known === undefined) {
        postings.set(term, { tools: [index], weights: [weight] });
        return;
      }
      const last = known.tools.length - 1;
      if (known.tools[last] === index) known.weights[last] = (known.weights[last] ?? 0) + weight;
      else {
        known.tools.push(index);
        known.weights.push(weight);
      }
    });
  }
  const names = tools.map((tool) => [toPlainName(tool.name), toPlainName(toOwnName(tool))]);
  const rarest = weighRarity(1);

  function weighRarity(count: number): number {
    return Math.log(1 + (tools.length - count + 0.5) / (count + 0.5));
  }

  /** Returns each tool's score for one form. A form of several terms scores as its weakest term. */
  function getScores({ terms, nearness }: Form): Map<number, number> {
    let scores: Map<number, number> | undefined;
    for (const term of terms) {
      const found = postings.get(term) ?? { tools: [], weights: [] };
      const worth = (nearness * weighRarity(found.tools.length)) / rarest;
      const before = scores;
      scores = new Map();
      for (const [place, tool] of found.tools.entries()) {
        const weight = found.weights[place] ?? 0;
        const score = (worth * weight) / (saturation + weight);
        if (before === undefined) scores.set(tool, score);
        else if (before.has(tool)) scores.set(tool, Math.min(score, before.get(tool) ?? 0));
      }
    }
    return scores ?? new Map();
  }

  /** A tool that has several forms of one meaning gets the score of the best of them. */
  function getBestScores({ weight, forms }: Meaning): Map<number, number> {
    const best = new Map<number, number>();
    for (const form of forms) {
      for (const [tool, score] of getScores(form)) best.set(tool, Math.max(best.get(tool) ?? 0, weight * score));
    }
    return best;
  }

  return {
    find(words, limit) {
      const totals = new Map<number, number>();
      const covered = new Map<number, number>();
      const meanings = readQuery(words, thesaurus, createWordReader());
      for (const meaning of meanings) {
        for (const [tool, score] of getBestScores(meaning)) {
          totals.set(tool, (totals.get(tool) ?? 0) + score);
          covered.set(tool, (covered.get(tool) ?? 0) + meaning.weight);
        }
      }
      const whole = meanings.reduce((sum, { weight }) => sum + weight, 0);
      const scores = new Map([...totals].map(([tool, total]) => [tool, total / (1 + total)]));
      const asked = toPlainName(words);
      for (const [tool, own] of names.entries()) if (own.includes(asked)) scores.set(tool, 1);
      return [...scores]
        .sort(([a, first], [b, second]) => second - first || a - b)
        .slice(0, limit)
        .flatMap(([at, score]): FoundTool[] => {
          const tool = tools[at];
          return tool ? [{ tool, score, coverage: score === 1 ? 1 : (covered.get(at) ?? 0) / whole }] : [];
        });
    },
  };
}

/** Normalises differences in how people write a name. */
function toPlainName(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]+/g, "");
}

/** Returns the tool's name on its server, without the server's prefix. */
function toOwnName({ name, source }: Pick<Tool, "name" | "source">): string {
  const prefix = `${source}__`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name.slice(name.indexOf("__") + 1);
}

/**
 * Limits a description, and each of the joined texts of the parameters, in characters. The rest is repetition or does not
 * describe the tool.
 */
const longestText = 500;
const longestParameter = 80;
const mostParameters = 20;
const mostValues = 10;

/**
 * Tells `count` each term of a tool with how much the tool is about it, as often as the term comes: a name says more than a
 * description, and in a long text each word counts less.
 */
export function countWords(tool: Tool, read: ReadWords, count: (term: string, weight: number) => void): void {
  function add(text: string, weight: number): void {
    if (text === "") return;
    const { stems, runs } = read(text);
    const each = weight / (1 + (stems.length + 2 * runs.length) / 80);
    for (const stem of stems) count(stem, each);
    for (const run of runs) {
      for (const character of run) count(character, each);
      if (run.length > 1) for (const pair of toPairs(run)) count(pair, each);
    }
  }
  const { names, descriptions, values } = collectParameters(tool);
  add(toOwnName(tool), 4);
  add(tool.source, 2);
  add(tool.annotations.title ?? "", 2);
  add(tool.description.slice(0, longestText), 1);
  add(names, 0.7);
  add(descriptions.slice(0, longestText), 0.5);
  add(values.slice(0, longestText), 0.3);
}

/** Joins the words of all parameters, by kind. */
function collectParameters({ inputSchema }: Tool): { names: string; descriptions: string; values: string } {
  const properties = isRecord(inputSchema.properties) ? inputSchema.properties : {};
  const names = Object.keys(properties).slice(0, mostParameters);
  let descriptions = "";
  let values = "";
  for (const name of names) {
    const schema = properties[name];
    if (!isRecord(schema)) continue;
    if (typeof schema.description === "string") descriptions += ` ${schema.description.slice(0, longestParameter)}`;
    if (Array.isArray(schema.enum)) values += ` ${schema.enum.slice(0, mostValues).filter(isWord).join(" ")}`;
  }
  return { names: names.join(" "), descriptions, values };
}

function isWord(value: unknown): boolean {
  return typeof value === "string" && value.length < 40;
}

/** Represents one thing that a query is about, with every form in which a tool may mention it. */
interface Meaning {
  /** Is low for a single character, which carries little meaning. */
  weight: number;
  forms: readonly Form[];
}

interface Form {
  /** Holds the terms that together make up the form: one word, or the character pairs of a Chinese word. */
  terms: readonly string[];
  /** Is 1 for the query's own word, and less for a word with a similar meaning. */
  nearness: number;
}

/** Limits the part of a query that is read, in characters. Longer queries state the most important things first. */
const longestQuery = 600;
const mostMeanings = 60;
const other = 0.75;

/** Returns the meanings of a query in the order of its words, without duplicates. */
export function readQuery(query: string, thesaurus: Thesaurus, read: ReadWords): Meaning[] {
  const { stems, runs } = read(query.slice(0, longestQuery));
  const meanings = new Map<string, Meaning>();
  function add(word: string, weight: number): void {
    if (meanings.size >= mostMeanings || meanings.has(word)) return;
    const others = thesaurus.formsOf(word).filter((form) => !isHan(form) || form.length > 1);
    const forms = [toForm(word, 1), ...others.map((form) => toForm(form, other))];
    meanings.set(word, { weight, forms });
  }
  for (const stem of stems) if (!isEmpty(stem)) add(stem, 1);
  for (const run of runs) readRun(run, thesaurus, add);
  return [...meanings.values()];
}

function toForm(word: string, nearness: number): Form {
  return { terms: isHan(word) ? toPairs(word) : [word], nearness };
}

/** Chinese has no spaces: known words are taken out, and what remains between them is read in pairs. */
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

/** These characters occur in every question. */
const particles = "的了吗呢吧啊是在有我你他她它们这那个和与或对把被给请帮要想会能可以到从用为很不也都就去来上下里";

function isEmpty(stem: string): boolean {
  return stem.length < 2 || emptyWords.has(stem);
}

/** Lists the stems of words that occur in every question. */
const emptyWords: ReadonlySet<string> = new Set(
  (
    "an the of to in on at for from by with and or is are be was do does did it its this that these those there what " +
    "which who how when why can could would should will may please me my we our you your he she they them his her if as " +
    "not no so about into than then use us tool tools want need help let some any all more most very just also have has had " +
    "give tell show know like one both am im ll ve re per via"
  ).split(" "),
);
