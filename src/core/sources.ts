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

/** Holds a text that was read of a source. */
export interface SourceReading {
  n: number;
  text: string;
  /** Is true where more was read of the source than the text shows. */
  isPart?: boolean;
}

/** Reads back the text of which `renderPage` or `renderFile` has made this one. */
export function readText(rendered: string, kind: "page" | "file"): string {
  return rendered.slice(kind === "page" ? rendered.indexOf("\n\n") + 1 : rendered.indexOf("] ") + 1).trimStart();
}

/** Returns true where `renderSources` has rendered the whole source into this text. */
export function hasWholeSource(rendered: string, source: NumberedSource): boolean {
  return `${rendered}\n\n`.includes(`${renderSources([source])}\n\n`);
}

/** Numbers the sources from 1 and renders them. */
export function renderNumberedSources(sources: readonly Source[]): string {
  return renderSources(sources.map((source, index) => ({ n: index + 1, source })));
}
