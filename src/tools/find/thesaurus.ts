import { concepts } from "./concepts.ts";
import { toStem } from "./stem.ts";
import { isHan } from "./words.ts";

export interface Thesaurus {
  /** The longest known Chinese word with which a run goes on from there. */
  knownAt(run: string, from: number): string | undefined;
  /** Other forms for a stem or a Chinese word; none for one that is not known. */
  formsOf(word: string): readonly string[];
}

export function createThesaurus(): Thesaurus {
  const others = new Map<string, Set<string>>();
  const byFirst = new Map<string, string[]>();
  for (const { zh, en } of concepts) {
    const forms = [...zh, ...en.map(toStem)];
    for (const form of forms) {
      const known = others.get(form) ?? new Set();
      for (const other of forms) if (other !== form) known.add(other);
      others.set(form, known);
      if (!isHan(form)) continue;
      byFirst.set(form.charAt(0), [...(byFirst.get(form.charAt(0)) ?? []), form]);
    }
  }
  for (const words of byFirst.values()) words.sort((a, b) => b.length - a.length);
  return {
    knownAt: (run, from) => byFirst.get(run.charAt(from))?.find((word) => run.startsWith(word, from)),
    formsOf: (word) => [...(others.get(word) ?? [])],
  };
}
