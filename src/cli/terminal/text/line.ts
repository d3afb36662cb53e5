/** How a piece of text looks; a theme says by which colours. */
export type Style =
  | "dim"
  | "strong"
  | "emphasis"
  | "strike"
  | "underline"
  | "inverse"
  | "heading"
  | "accent"
  | "good"
  | "bad"
  | "warn"
  | "link"
  | "code"
  | "quote"
  | "keyword"
  | "string"
  | "number"
  | "comment"
  | "type"
  | "name";

/** Text in one look. Whatever it holds, what reaches the terminal is printable. */
export interface Span {
  readonly text: string;
  readonly styles?: readonly Style[] | undefined;
  /** Where it leads, on terminals that show links; an address that a link may not lead to is left out. */
  readonly href?: string | undefined;
}

/** One line of the screen, without its end. */
export type Line = readonly Span[];

/** A line of one look. */
export function createLine(text: string, ...styles: Style[]): Line {
  return [{ text, styles }];
}

export function toPlainText(line: Line): string {
  return line.map(({ text }) => text).join("");
}
