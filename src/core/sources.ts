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

/** Reads back what one of the functions above has rendered: which text is from which of the sources. */
export function readSources(text: string, get: (n: number) => Source | undefined): SourceReading[] {
  const readings: SourceReading[] = [];
  for (const [index, block] of text.split("\n\n").entries()) {
    const [head = "", digits, title, url] = /^\[(\d{1,3})\] (.*)(?:\n(.*))?/.exec(block) ?? [];
    const source = digits === undefined ? undefined : get(Number(digits));
    const last = readings.at(-1);
    if (source && source.url === url) readings.push({ n: Number(digits), text: `${title}${block.slice(head.length)}` });
    else if (source?.url.startsWith("file:") && index === 0) readings.push({ n: Number(digits), text: block });
    else if (last) last.text += `\n\n${block}`;
    else if (index === 0) return readFiles(text, get);
  }
  return readings;
}

/** Reads the last line of `renderFiles`. What is from which of its sources, the text does not say. */
function readFiles(text: string, get: (n: number) => Source | undefined): SourceReading[] {
  const line = text.slice(text.lastIndexOf("\n") + 1);
  const numbers = line.startsWith("[") ? [...line.matchAll(/(?:^|, )\[(\d{1,3})\] /g)].map(([, n]) => Number(n)) : [];
  return numbers.filter((n) => get(n) !== undefined).map((n) => ({ n, text: "", isPart: true }));
}

/** Numbers the sources from 1 and renders them. */
export function renderNumberedSources(sources: readonly Source[]): string {
  return renderSources(sources.map((source, index) => ({ n: index + 1, source })));
}
