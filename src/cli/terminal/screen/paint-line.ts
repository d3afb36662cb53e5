import { createHyperlink } from "../text/hyperlink.ts";
import { type Line, type Span, toDisplayedText } from "../text/width.ts";
import type { Theme } from "./theme.ts";

export interface PaintOptions {
  readonly theme: Theme;
  /** Whether the terminal shows links. */
  readonly hyperlinks: boolean;
}

/** A line as what the terminal is sent, without its end. The only way there: whatever the line holds, nothing in it can drive the terminal. */
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
