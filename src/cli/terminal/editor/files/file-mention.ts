/** A file that is named in a text: `@path`. */
export interface FileMention {
  /** The index of its `@`. */
  readonly from: number;
  /** As it was typed, `\ ` standing for a space. */
  readonly typed: string;
}

/** The mention that ends where the text ends; undefined where none does. */
export function findMentionAtEnd(textBefore: string): FileMention | undefined {
  const start = Math.max(0, textBefore.length - longest);
  const found = /(?<![\w.+\-@/\\])@((?:\\.|[^\s\\@]|(?<=[\w.+\-/])@)*)$/.exec(textBefore.slice(start));
  return found ? { from: start + found.index, typed: found[1] ?? "" } : undefined;
}

/** Every mention of a text, in order, up to a space or the next one; the `@` of an address (`a@b.com`) and that behind a backslash are none. */
export function findMentions(text: string): FileMention[] {
  const found = text.matchAll(/(?<![\w.+\-@/\\])@((?:\\.|[^\s\\@]|(?<=[\w.+\-/])@){1,1000})/g);
  return Array.from(found, ({ index, 1: typed = "" }) => ({ from: index, typed }));
}

/** The path as a file system knows it: without the backslashes before spaces. */
export function toPath(typed: string): string {
  return typed.replace(/\\(.)/g, "$1");
}

/** The other way round. */
export function toMention(path: string): string {
  return path.replace(/[\s\\]/g, "\\$&");
}

const longest = 1_000;
