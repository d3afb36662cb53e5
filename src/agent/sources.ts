import type { Source } from "../core/tool.ts";

/** Sources under the numbers by which the models cite them, through the whole conversation. */
export interface SourceList {
  /** The source's number; a page fetched again keeps the one it has. */
  number(source: Source): number;
  get(number: number): Source | undefined;
  readonly size: number;
}

export function createSourceList(): SourceList {
  const sources: Source[] = [];
  const numbers = new Map<string, number>();
  return {
    number(source) {
      const known = numbers.get(source.url);
      if (known !== undefined) return known;
      sources.push(source);
      numbers.set(source.url, sources.length);
      return sources.length;
    },
    get: (number) => sources[number - 1],
    get size() {
      return sources.length;
    },
  };
}
