import { createHyperlink } from "../text/hyperlink.ts";
import type { Line, Span } from "../text/line.ts";
import { toDisplayedText } from "../text/width.ts";
import type { Theme } from "./theme.ts";

export interface PaintOptions {
  readonly theme: Theme;
  readonly hyperlinks: boolean;
}

/**
 * Paints a line, without its end, for the terminal. All output goes through this function, so that no content of a line can
 * control the terminal.
 */
export function paintLine(line: Line, options: PaintOptions): string {
  return line.map((span) => paintSpan(span, options)).join("");
}

function paintSpan({ text, styles, href }: Span, { theme, hyperlinks }: PaintOptions): string {
  const clean = toDisplayedText(text);
  if (clean === "") return "";
  const look = styles?.length ? theme(styles) : "";
  const painted = look === "" ? clean : `\u001b[${look}m${clean}\u001b[0m`;
  return href !== undefined && hyperlinks ? createHyperlink(href, painted) : painted;
}
