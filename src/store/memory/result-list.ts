import type { NumberedResult, ResultList } from "../../core/store/conversations/conversation.ts";
import type { Mutable } from "../../kit/mutable.ts";

/** Keeps the results of one conversation for as long as the process lives. */
export interface MemoryResults {
  /** Is the highest number that a result has. */
  readonly last: number;
  /** Returns the list as one run sees it. */
  open(): ResultList;
  /** Returns all that are kept. */
  list(): NumberedResult[];
  /** Keeps results, of which `highest` is the highest number, and returns how many UTF-16 units that adds. */
  add(results: readonly NumberedResult[], highest: number): number;
}

/** Limits what the results of one conversation take, in UTF-16 units. The oldest go first. */
const mostText = 16_000_000;

export function createMemoryResults(): MemoryResults {
  const texts = new Map<number, string>();
  let size = 0;
  const memory: Mutable<MemoryResults> = {
    last: 0,
    open: () => ({ last: memory.last, hasResults: texts.size > 0, get: async (n) => texts.get(n) }),
    list: () => [...texts].map(([n, text]) => ({ n, text })),
    add(results, highest) {
      const before = size;
      memory.last = Math.max(memory.last, highest);
      for (const { n, text } of results) {
        if (texts.has(n)) continue;
        texts.set(n, text);
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
  return memory;
}
