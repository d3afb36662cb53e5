import type { Tool } from "../../core/tools/tool.ts";
import type { FoundTool, ToolIndex } from "../../core/tools/tool-index.ts";
import { type Form, type Meaning, readQuery } from "./read-query.ts";
import { createThesaurus } from "./thesaurus.ts";
import { countWords, toOwnName } from "./tool-words.ts";
import { createWordReader } from "./words.ts";

/** Where a term stands: tools by their place in the list, ascending, and how much each is about it. */
interface Postings {
  tools: number[];
  weights: number[];
}

/** How soon more of the same says no more (BM25's k1). */
const saturation = 1.2;

/**
 * An index over tools, without a model and without a network: their terms weighted by the field in which they stand and
 * by how rare they are (BM25F), a query's words widened by a small thesaurus of Chinese and English.
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
  const names = tools.map((tool) => [plain(tool.name), plain(toOwnName(tool))]);
  const rarest = rarity(1);

  function rarity(count: number): number {
    return Math.log(1 + (tools.length - count + 0.5) / (count + 0.5));
  }

  /** What each tool gets for one form: for a word of several terms, what its weakest term is worth. */
  function scoresOf({ terms, nearness }: Form): Map<number, number> {
    let scores: Map<number, number> | undefined;
    for (const term of terms) {
      const found = postings.get(term) ?? { tools: [], weights: [] };
      const worth = (nearness * rarity(found.tools.length)) / rarest;
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

  /** A tool that speaks of a thing in several words has still said one thing. */
  function bestOf({ weight, forms }: Meaning): Map<number, number> {
    const best = new Map<number, number>();
    for (const form of forms) {
      for (const [tool, score] of scoresOf(form)) best.set(tool, Math.max(best.get(tool) ?? 0, weight * score));
    }
    return best;
  }

  return {
    find(words, limit) {
      const totals = new Map<number, number>();
      for (const meaning of readQuery(words, thesaurus, createWordReader())) {
        for (const [tool, score] of bestOf(meaning)) totals.set(tool, (totals.get(tool) ?? 0) + score);
      }
      const scores = new Map([...totals].map(([tool, total]) => [tool, total / (1 + total)]));
      const asked = plain(words);
      for (const [tool, own] of names.entries()) if (own.includes(asked)) scores.set(tool, 1);
      return [...scores]
        .sort(([a, first], [b, second]) => second - first || a - b)
        .slice(0, limit)
        .flatMap(([at, score]): FoundTool[] => {
          const tool = tools[at];
          return tool ? [{ tool, score }] : [];
        });
    },
  };
}

/** A name without what people write differently. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]+/g, "");
}
