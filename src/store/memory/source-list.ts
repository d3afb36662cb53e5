import type { SourceList } from "../../core/store/conversations/conversation.ts";
import type { Source } from "../../core/tools/tool.ts";
import type { Mutable } from "../../kit/mutable.ts";

export interface MemorySourceListOptions {
  /** Is the highest number that is taken already. The first source gets the next one. */
  after?: number | undefined;
  /** Lists the sources to begin with. */
  sources?: readonly Source[] | undefined;
}

/** Creates a list of sources that lives as long as the process. */
export function createMemorySourceList({ after = 0, sources: known = [] }: MemorySourceListOptions = {}): SourceList {
  const sources: Source[] = [];
  const numbers = new Map<string, number>();
  function numberSource(source: Source): number {
    const known = numbers.get(source.url);
    if (known !== undefined) return known;
    const number = after + sources.push(source);
    numbers.set(source.url, number);
    list.size = sources.length;
    return number;
  }
  const list: Mutable<SourceList> = {
    size: 0,
    number: async (found) => found.map(numberSource),
    get: (wanted) => sources[wanted - after - 1],
    all: () => sources.map((source, index) => ({ n: after + index + 1, source })),
  };
  known.forEach(numberSource);
  return list;
}
