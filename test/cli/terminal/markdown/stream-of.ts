import { createMarkdownStream, type MarkdownOptions } from "../../../../src/cli/terminal/markdown/markdown-stream.ts";
import { type Line, toPlainText } from "../../../../src/cli/terminal/text/line.ts";
import type { Citation } from "../../../../src/core/run/outcome.ts";

const usual: MarkdownOptions = { columns: () => 60, hyperlinks: true };

/** All lines of a text that comes in these pieces, looked at after each of them. */
export async function linesOf(
  pieces: string | readonly string[],
  options: Partial<MarkdownOptions> = {},
  citations: readonly Citation[] = [],
): Promise<Line[]> {
  const stream = createMarkdownStream({ ...usual, ...options });
  const lines: Line[] = [];
  for (const piece of [pieces].flat()) {
    stream.push(piece, citations);
    lines.push(...stream.take());
    stream.pending(1_000_000);
  }
  return [...lines, ...(await stream.end())];
}

/** The same as one text, without styles. */
export async function shownText(...args: Parameters<typeof linesOf>): Promise<string> {
  return (await linesOf(...args)).map((line) => toPlainText(line).trimEnd()).join("\n");
}

/** The same, with the styles of each span in front of it: `bold` as `{strong bold}`. */
export async function styledText(...args: Parameters<typeof linesOf>): Promise<string> {
  return (await linesOf(...args))
    .map((line) =>
      line
        .map(({ text, styles = [], href }) => {
          const look = href === undefined ? styles : [...styles, href];
          return look.length > 0 ? `{${look.join("+")} ${text}}` : text;
        })
        .join(""),
    )
    .join("\n");
}
