import type { Source } from "./tools/tool.ts";

/** Models read the source under this number and cite it as `[n]`. */
export interface NumberedSource {
  n: number;
  source: Source;
}

/** Renders one block for each source. */
export function renderSources(sources: readonly NumberedSource[]): string {
  return sources
    .map(({ n, source: { title, url, snippet } }) => `[${n}] ${title}\n${url}\n${snippet}`.trimEnd())
    .join("\n\n");
}

export function renderPage({ n, source: { title, url } }: NumberedSource, text: string): string {
  return `[${n}] ${title}\n${url}\n\n${text}`;
}

/** Renders a text that names its file itself. */
export function renderFile({ n }: NumberedSource, text: string): string {
  return `[${n}] ${text}`;
}

/** Renders a text that names the files from which it comes. */
export function renderFiles(sources: readonly NumberedSource[], text: string): string {
  return `${text}\n${sources.map(({ n, source: { title } }) => `[${n}] ${title}`).join(", ")}`;
}

/** Numbers the sources from 1 and renders them. */
export function renderNumberedSources(sources: readonly Source[]): string {
  return renderSources(sources.map((source, index) => ({ n: index + 1, source })));
}
