import { type Locale, say } from "../../kit/locale.ts";
import type { RemoteTool } from "../lists/listing.ts";
import { makeTextVisible } from "./hidden-characters.ts";
import { listLeaves } from "./json-leaves.ts";
import { type Line, matchLines } from "./match-lines.ts";
import { replacePadding } from "./padding.ts";
import type { WaitingTool } from "./pins.ts";

/** So many empty lines in a row are told by their number. */
const manyEmpty = 8;

/**
 * What a person reads before approving a tool: `+` before what would be approved, `-` before what was, blanks before what
 * stays. It is the whole description and all that is different of title, flags and schemas; of a new tool everything.
 * Nothing is cut: hidden characters are shown, and of a long run of blanks its length is said.
 */
export function describeChange({ tool, pinned }: WaitingTool, locale: Locale): string[] {
  const heading: Line = { sign: pinned ? " " : "+", text: say(locale, { zh: "描述：", en: "description:" }) };
  const description = matchLines(pinned?.description, tool.description).map(({ sign, text }) => ({
    sign,
    text: `  ${printed(text, sign !== " " && pinned !== undefined, locale)}`,
  }));
  const lines = [heading, ...withoutEmptyRuns(description, locale), ...changedLeaves(pinned, tool, locale)];
  return lines.map(({ sign, text }) => `${sign} ${text}`.trimEnd());
}

/** What cannot be seen in a line; where two lines are to be compared, also which blanks they hold. */
function printed(text: string, isCompared: boolean, locale: Locale): string {
  const shown = makeTextVisible(replacePadding(text, (length) => say(locale, blanks(length))));
  if (!isCompared) return shown;
  const end = shown.trimEnd().length;
  const codes = (part: string): string => part.replace(/\s/g, (blank) => `\\u{${blank.charCodeAt(0).toString(16)}}`);
  return shown.slice(0, end).replace(/[^\S ]/g, codes) + codes(shown.slice(end));
}

function withoutEmptyRuns(lines: readonly Line[], locale: Locale): Line[] {
  const kept: Line[] = [];
  let run: Line[] = [];
  const endRun = (): void => {
    const [first] = run;
    if (first && run.length > manyEmpty)
      kept.push({ sign: first.sign, text: `  ${say(locale, emptyLines(run.length))}` });
    else kept.push(...run);
    run = [];
  };
  for (const line of lines) {
    if (line.text.trim() !== "" || line.sign !== run[0]?.sign) endRun();
    if (line.text.trim() === "") run.push(line);
    else kept.push(line);
  }
  endRun();
  return kept;
}

/** They are compared as they are, and shown as they can be read: what looks the same may differ. */
function changedLeaves(pinned: RemoteTool | undefined, tool: RemoteTool, locale: Locale): Line[] {
  const before = pinned === undefined ? new Map<string, unknown>() : leavesIn(pinned);
  const after = leavesIn(tool);
  const lines: Line[] = [];
  const add = (sign: Line["sign"], path: string, value: unknown): void => {
    lines.push({ sign, text: `${makeTextVisible(path)}: ${jsonLine(value, locale)}` });
  };
  let same = 0;
  for (const [path, old] of before) {
    const isThere = after.has(path);
    if (isThere && JSON.stringify(old) === JSON.stringify(after.get(path))) {
      same += 1;
      continue;
    }
    add("-", path, old);
    if (isThere) add("+", path, after.get(path));
  }
  for (const [path, value] of after) if (!before.has(path)) add("+", path, value);
  if (same > 0) lines.push({ sign: " ", text: say(locale, unchanged(same)) });
  return lines;
}

/** Everything but the description, by path. */
function leavesIn({ name, annotations, inputSchema, outputSchema }: RemoteTool): Map<string, unknown> {
  const parts = Object.entries({ name, annotations, inputSchema, outputSchema });
  return new Map(parts.flatMap(([part, value]) => [...listLeaves(value, part)]));
}

function jsonLine(value: unknown, locale: Locale): string {
  const readable = (text: string): string => replacePadding(text, (length) => say(locale, blanks(length)));
  return makeTextVisible(JSON.stringify(value, (_, inner) => (typeof inner === "string" ? readable(inner) : inner)));
}

function blanks(length: number) {
  return { zh: `⟨${length} 个空白字符⟩`, en: `⟨${length} blank characters⟩` };
}

function emptyLines(count: number) {
  return { zh: `⟨${count} 个空行⟩`, en: `⟨${count} empty lines⟩` };
}

function unchanged(count: number) {
  return {
    zh: `（其余 ${count} 项未变）`,
    en: count === 1 ? "(1 more item is the same)" : `(${count} more items are the same)`,
  };
}
