import type { NumberedSource } from "../sources.ts";
import type { Source } from "../tools/tool.ts";

/** Sources under the numbers by which the models cite them, through the whole conversation. */
export interface SourceList {
  /** Their numbers, in the order given; a page fetched again keeps the one it has. */
  number(sources: readonly Source[]): Promise<number[]>;
  get(number: number): Source | undefined;
  /** By number. */
  all(): NumberedSource[];
  readonly size: number;
}
