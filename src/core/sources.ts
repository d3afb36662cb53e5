import type { Source } from "./tool.ts";

/** One block a source, numbered from `first` on: what a model reads and cites as `[n]`. */
export function numberedSources(sources: readonly Source[], first = 1): string {
  return sources
    .map((source, index) => `[${first + index}] ${source.title}\n${source.url}\n${source.snippet}`.trimEnd())
    .join("\n\n");
}
