import type { Locale } from "../../../kit/locale.ts";
import type { Fraction } from "../calculator/fraction.ts";

/** Represents a line of the answer: its cells as they are shown, and what they are sorted by. */
export interface Line {
  cells: string[];
  keys: (Fraction | string | undefined)[];
}

export interface SortKey {
  /** Is the place of the key in a line. */
  index: number;
  isDescending: boolean;
}

/** Reads `amount`, `amount desc`, `-amount` and `sum(amount) asc`; `find` finds what a name means, and throws for others. */
export function readSort<T>(text: string, find: (name: string) => T): { found: T; isDescending: boolean } {
  const [, name = text, direction = ""] =
    /^(.+?)(?:\s+(asc|desc|ascending|descending|升序|降序))?\s*$/is.exec(text) ?? [];
  const isDescending = /^desc|降序/i.test(direction);
  if (!name.startsWith("-")) return { found: find(name.trim()), isDescending };
  return { found: find(name.slice(1).trim()), isDescending: true };
}

/** Sorts lines by these keys. Lines without a value come last in either direction, and equal ones keep their order. */
export function sortLines(lines: Line[], order: readonly SortKey[], locale: Locale): Line[] {
  if (order.length === 0) return lines;
  const collator = new Intl.Collator(locale === "zh" ? "zh-CN" : "en", { numeric: true });
  return lines.toSorted((a, b) => {
    for (const { index, isDescending } of order) {
      const [one, other] = [a.keys[index], b.keys[index]];
      if (one === undefined || other === undefined) {
        if (one === other) continue;
        return one === undefined ? 1 : -1;
      }
      const compared = compareKeys(one, other, collator);
      if (compared !== 0) return isDescending ? -compared : compared;
    }
    return 0;
  });
}

/** Numbers come before texts. */
function compareKeys(a: Fraction | string, b: Fraction | string, collator: Intl.Collator): number {
  if (typeof a === "string" && typeof b === "string") return collator.compare(a, b);
  if (typeof a !== "string" && typeof b !== "string") return a.compare(b);
  return typeof a === "string" ? 1 : -1;
}
