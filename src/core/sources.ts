import type { Source } from "./tools/tool.ts";

/** A source under its number: what a model reads and cites as `[n]`. */
export interface NumberedSource {
  n: number;
  source: Source;
}

/** One block a source. */
export function renderSources(sources: readonly NumberedSource[]): string {
  return sources
    .map(({ n, source: { title, url, snippet } }) => `[${n}] ${title}\n${url}\n${snippet}`.trimEnd())
    .join("\n\n");
}

/** What one source says, under its number. */
export function renderPage({ n, source: { title, url } }: NumberedSource, text: string): string {
  return `[${n}] ${title}\n${url}\n\n${text}`;
}

/** The same for sources that are numbered from 1 on. */
export function renderNumberedSources(sources: readonly Source[]): string {
  return renderSources(sources.map((source, index) => ({ n: index + 1, source })));
}
