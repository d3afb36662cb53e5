import { StringStream } from "@codemirror/streamparser";
import type { Mode } from "./languages.ts";

/** Names what a piece of code is. Each interface has its own colour for it. */
export type CodeStyle =
  | "keyword"
  | "string"
  | "number"
  | "comment"
  | "type"
  | "name"
  | "good"
  | "bad"
  | "heading"
  | "warn";

/** Represents a piece of a line of code. */
export interface CodePiece {
  readonly text: string;
  readonly styles?: readonly CodeStyle[];
}

/** Longer lines, in characters, are not coloured. */
const longestColoured = 2000;

/** Colours a line of code, and returns the state with which its next line begins; the state passed in is not changed. */
export function highlight(mode: Mode, before: unknown, line: string): { spans: CodePiece[]; state: unknown } {
  if (line.length > longestColoured) return { spans: [{ text: line }], state: before };
  const state = copyState(mode, before);
  try {
    return { spans: readTokens(mode, state, line), state };
  } catch {
    // A mode that fails over odd code costs its colours, not the code.
    return { spans: [{ text: line }], state: before };
  }
}

export function createState(mode: Mode): unknown {
  return mode.startState?.(2) ?? {};
}

function readTokens(mode: Mode, state: unknown, line: string): CodePiece[] {
  const spans: CodePiece[] = [];
  const stream = new StringStream(line, 4, 2);
  if (line === "") mode.blankLine?.(state, 2);
  let idle = 0;
  while (!stream.eol()) {
    stream.start = stream.pos;
    const style = toStyle(mode.token(stream, state));
    if (stream.pos > stream.start) {
      spans.push({ text: stream.current(), styles: style === undefined ? [] : [style] });
      idle = 0;
    } else if (++idle > mostIdle) {
      return [...spans, { text: line.slice(stream.pos) }];
    }
  }
  return spans;
}

/** Limits consecutive tokens without text, which a mode uses only to change its state. */
const mostIdle = 10;

function copyState(mode: Mode, state: unknown): unknown {
  if (mode.copyState) return mode.copyState(state);
  if (typeof state !== "object" || state === null) return state;
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => [name, Array.isArray(value) ? value.slice() : value]),
  );
}

function toStyle(token: string | null): CodeStyle | undefined {
  if (token === null) return undefined;
  const whole = styles.get(token);
  if (whole || !/[ .]/.test(token)) return whole;
  for (const name of token.split(/[ .]/)) {
    const style = styles.get(name);
    if (style) return style;
  }
  return undefined;
}

const styles: ReadonlyMap<string, CodeStyle> = new Map<string, CodeStyle>([
  ["keyword", "keyword"],
  ["controlKeyword", "keyword"],
  ["definitionKeyword", "keyword"],
  ["modifier", "keyword"],
  ["self", "keyword"],
  ["operatorKeyword", "keyword"],
  ["string", "string"],
  ["string-2", "string"],
  ["character", "string"],
  ["regexp", "string"],
  ["attributeValue", "string"],
  ["number", "number"],
  ["atom", "number"],
  ["bool", "number"],
  ["null", "number"],
  ["comment", "comment"],
  ["lineComment", "comment"],
  ["blockComment", "comment"],
  ["meta", "comment"],
  ["typeName", "type"],
  ["type", "type"],
  ["className", "type"],
  ["namespace", "type"],
  ["tag", "type"],
  ["tagName", "type"],
  ["builtin", "name"],
  ["standard", "name"],
  ["def", "name"],
  ["definition", "name"],
  ["propertyName", "name"],
  ["property", "name"],
  ["attributeName", "name"],
  ["attribute", "name"],
  ["labelName", "name"],
  ["inserted", "good"],
  ["deleted", "bad"],
  ["heading", "heading"],
  ["changed", "warn"],
]);
