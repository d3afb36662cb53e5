import type { NumberedResult, ResultList } from "../../core/store/store.ts";

/** Keeps the results of one conversation for as long as the process lives. */
export interface MemoryResults {
  /** Returns the list as one run sees it. */
  open(): ResultList;
  /** Keeps results, and returns how many UTF-16 units that adds. */
  add(results: readonly NumberedResult[]): number;
}

/** Limits what the results of one conversation take, in UTF-16 units. The oldest go first. */
const mostText = 16_000_000;

export function createMemoryResults(): MemoryResults {
  const texts = new Map<number, string>();
  let last = 0;
  let size = 0;
  return {
    open: () => ({
      hasResults: texts.size > 0,
      async reserve(count) {
        last += count;
        return last - count + 1;
      },
      get: async (n) => texts.get(n),
    }),
    add(results) {
      const before = size;
      for (const { n, text } of results) {
        if (texts.has(n)) continue;
        texts.set(n, text);
        last = Math.max(last, n);
        size += text.length;
      }
      for (const [n, text] of texts) {
        if (size <= mostText) break;
        texts.delete(n);
        size -= text.length;
      }
      return size - before;
    },
  };
}
