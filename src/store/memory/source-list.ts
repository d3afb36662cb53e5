import type { SourceList } from "../../core/store/store.ts";
import type { Source } from "../../core/tools/tool.ts";

/** Creates a list of sources that lives as long as the process. */
export function createMemorySourceList(): SourceList {
  const sources: Source[] = [];
  const numbers = new Map<string, number>();
  function numberSource(source: Source): number {
    const known = numbers.get(source.url);
    if (known !== undefined) return known;
    sources.push(source);
    numbers.set(source.url, sources.length);
    return sources.length;
  }
  return {
    number: async (found) => found.map(numberSource),
    get: (wanted) => sources[wanted - 1],
    all: () => sources.map((source, index) => ({ n: index + 1, source })),
    get size() {
      return sources.length;
    },
  };
}
