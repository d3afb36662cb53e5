import type { Source } from "../../core/tools/tool.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";

/** Returns a result without the lines that mark it as text from outside. */
export function removeFence(content: string): string {
  const [, , inner] = /^\s*<<<result (\S+)\n([\s\S]*?)\n?result \1>>>/.exec(content) ?? [];
  if (inner !== undefined) return inner.trim();
  return content
    .replace(/^\s*<<<.*(?:\n|$)/, "")
    .replace(/(?:^|\n).*>>>\s*$/, "")
    .trim();
}

/** Returns the JSON value of a result, or undefined when it is plain text. */
export function parseResult(result: string): unknown {
  if (!/^\s*[[{]/.test(result)) return undefined;
  try {
    return JSON.parse(result);
  } catch {
    return undefined;
  }
}

/** Returns a result in a code block, cut to `most` characters, so that it is shown and never interpreted. */
export function quoteBlock(result: string, most = 1500): string {
  return `\`\`\`\n${cut(result, most).replaceAll("```", "'''")}\n\`\`\``;
}

/** Renders a result of one short line as a sentence, and any other as a block. */
export function renderResult(result: string): string {
  return result.includes("\n") || result.length > 300 || /[[{`]/.test(result)
    ? quoteBlock(result)
    : sanitizeLine(result);
}

/** Renders text as inline code on one line. */
export function quoteLine(text: string, most = 200): string {
  return `\`${toOneLine(text, most).replaceAll("`", "'")}\``;
}

export function toOneLine(text: string, most: number): string {
  return sanitizeLine(cut(text.trim(), most));
}

function cut(text: string, most: number): string {
  // The replacement keeps a surrogate pair from being split.
  return text.length > most ? `${text.slice(0, most).replace(/[\ud800-\udbff]$/, "")}…` : text;
}

export interface NumberedSource extends Source {
  n: number;
}

/** Reads the pages from a result of `[n] title`, address and snippet lines. */
export function findSources(result: string): NumberedSource[] {
  return result.split(/\n\s*\n(?=\[\d+\] )/).flatMap((block) => {
    const [, n, title = "", rest = ""] = /^\s*\[(\d{1,4})\] (.*)\n?([\s\S]*)$/.exec(block) ?? [];
    if (n === undefined) return [];
    const [url = "", ...snippet] = rest.split("\n");
    if (!/^https?:\/\//.test(url.trim())) return [];
    return [{ n: Number(n), title: title.trim(), url: url.trim(), snippet: snippet.join(" ").trim() }];
  });
}
