/** Names how a piece of text looks; a theme maps it to colours. */
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

/** Represents text with one set of styles. Whatever it contains, only printable characters reach the terminal. */
export interface Span {
  readonly text: string;
  readonly styles?: readonly Style[] | undefined;
  /** Holds the target of a link, on terminals that show links; an address that a link may not lead to is left out. */
  readonly href?: string | undefined;
}

/** Represents one line of the screen, without its line end. */
export type Line = readonly Span[];

export function createLine(text: string, ...styles: Style[]): Line {
  return [{ text, styles }];
}

/** Returns a line without its styles. A text is returned as it is. */
export function toPlainText(line: string | Line): string {
  return typeof line === "string" ? line : line.map(({ text }) => text).join("");
}
