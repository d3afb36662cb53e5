import type { MarkedOptions, Token, Tokens } from "marked";

/** Represents a formula, as models write them: `\( \)`, `\[ \]`, `$$ $$` or `$ $`. */
export interface MathToken {
  readonly type: "math";
  readonly raw: string;
  /** Holds the formula without its marks. */
  readonly text: string;
  readonly isBlock: boolean;
}

/** Represents a note at the foot, or the number of one in the text. */
export interface NoteToken {
  readonly type: "note" | "note-number";
  readonly raw: string;
  readonly name: string;
  readonly tokens: Token[];
}

export function isMathToken(token: Token): token is Tokens.Generic & MathToken {
  return token.type === "math";
}

export function isNoteToken(token: Token): token is Tokens.Generic & NoteToken {
  return token.type === "note" || token.type === "note-number";
}

/** Lists the marks of formulas, and how long a formula may be, in characters. */
const inlineMath = [
  { pattern: /^\\\(([\s\S]{1,2000}?)\\\)/, isBlock: false },
  { pattern: /^\\\[([\s\S]{1,5000}?)\\\]/, isBlock: true },
  { pattern: /^\$\$([\s\S]{1,5000}?)\$\$/, isBlock: true },
  // A dollar between two sums of money opens nothing: a formula neither begins nor ends with a space, and no digit follows it.
  { pattern: /^\$(?=[^\s$])((?:\\\$|[^$\n]){1,400}?)(?<=[^\s\\])\$(?![\w$])/, isBlock: false },
];

function readMath(source: string): MathToken | undefined {
  for (const { pattern, isBlock } of inlineMath) {
    const [raw, text] = pattern.exec(source) ?? [];
    if (raw !== undefined && text !== undefined && !/\n[ \t]*\n[ \t]*\n/.test(text))
      return { type: "math", raw, text: text.trim(), isBlock };
  }
  return undefined;
}

function readBlockMath(source: string): MathToken | undefined {
  const [raw] = /^ {0,3}(?:\\\[[\s\S]{1,5000}?\\\]|\$\$[\s\S]{1,5000}?\$\$)[ \t]*(?:\n|$(?![\s\S]))/.exec(source) ?? [];
  const found = raw === undefined ? undefined : readMath(raw.trimStart());
  return raw === undefined || found === undefined ? undefined : { ...found, raw };
}

function findMath(source: string): number | undefined {
  const at = source.search(/\\[([]|\$/);
  return at < 0 ? undefined : at;
}

function findNoteNumber(source: string): number | undefined {
  const at = source.indexOf("[^");
  return at < 0 ? undefined : at;
}

/** Extends the lexer of the page: the formulas and the notes of an answer. */
export const formulasAndNotes: NonNullable<MarkedOptions["extensions"]> = {
  renderers: {},
  childTokens: {},
  inline: [
    (source) => readMath(source),
    (source) => {
      const [raw, name] = /^\[\^([^\]\s]{1,40})\]/.exec(source) ?? [];
      return raw === undefined || name === undefined ? undefined : { type: "note-number", raw, name, tokens: [] };
    },
  ],
  startInline: [findMath, findNoteNumber],
  block: [
    (source) => readBlockMath(source),
    function readNote(source) {
      const [raw, name, text = ""] =
        /^ {0,3}\[\^([^\]\s]{1,40})\]:[ \t]*([^\n]*(?:\n(?: {2,}|\t)[^\n]*)*)(?:\n|$(?![\s\S]))/.exec(source) ?? [];
      if (raw === undefined || name === undefined) return undefined;
      const tokens: Token[] = [];
      this.lexer.inline(text.replace(/\n\s+/g, " "), tokens);
      return { type: "note", raw, name, tokens };
    },
  ],
  startBlock: [
    (source) => {
      const at = source.search(/\n {0,3}(?:\\\[|\$\$|\[\^[^\]\s]{1,40}\]:)/);
      return at < 0 ? undefined : at + 1;
    },
  ],
};

/** Leaves out a formula that is still being written, which would be shown as damaged text for a moment. */
export function hideOpenFormula(text: string): string {
  const marks = /\\[()[\]]|\$\$|`+/g;
  let open: { readonly end: string; readonly at: number } | undefined;
  for (const { 0: mark, index } of text.matchAll(marks)) {
    if (open !== undefined) {
      if (mark === open.end) open = undefined;
    } else if (mark.startsWith("`")) open = { end: mark, at: -1 };
    else {
      const end = { "\\(": "\\)", "\\[": "\\]", $$: "$$" }[mark];
      if (end !== undefined) open = { end, at: index };
    }
  }
  return open === undefined || open.at < 0 ? text : text.slice(0, open.at);
}
