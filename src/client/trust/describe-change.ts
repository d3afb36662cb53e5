import { isRecord } from "../../kit/json.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { type ChangedLine, matchLines } from "../../kit/text/match-lines.ts";
import type { RemoteTool } from "../lists/listing.ts";
import { makeTextVisible, replacePadding } from "./hidden-characters.ts";
import type { WaitingTool } from "./pins.ts";

/** This many empty lines in a row are shown as a number. */
const manyEmpty = 8;

/**
 * Returns the lines that a person reads before approving a tool: `+` before what would be approved, `-` before what was, blanks
 * before what stays. They hold the whole description and every difference in title, annotations and schemas, or everything for a
 * new tool. Nothing is cut: hidden characters are shown, and a long run of blanks is replaced by its length.
 */
export function describeChange({ tool, pinned }: WaitingTool, locale: Locale): string[] {
  const heading: ChangedLine = { sign: pinned ? " " : "+", text: say(locale, { zh: "描述：", en: "description:" }) };
  const description = matchLines(pinned?.description.split("\n") ?? [], tool.description.split("\n")).map(
    ({ sign, text }) => ({
      sign,
      text: `  ${printText(text, sign !== " " && pinned !== undefined, locale)}`,
    }),
  );
  const lines = [heading, ...removeEmptyRuns(description, locale), ...listChangedLeaves(pinned, tool, locale)];
  return lines.map(({ sign, text }) => `${sign} ${text}`.trimEnd());
}

/** Shows the invisible characters of a line, and which blanks it has when two lines are compared. */
function printText(text: string, isCompared: boolean, locale: Locale): string {
  const shown = makeTextVisible(replacePadding(text, (length) => say(locale, describeBlanks(length))));
  if (!isCompared) return shown;
  const end = shown.trimEnd().length;
  const escapeBlanks = (part: string): string =>
    part.replace(/\s/g, (blank) => `\\u{${blank.charCodeAt(0).toString(16)}}`);
  return shown.slice(0, end).replace(/[^\S ]/g, escapeBlanks) + escapeBlanks(shown.slice(end));
}

function removeEmptyRuns(lines: readonly ChangedLine[], locale: Locale): ChangedLine[] {
  const kept: ChangedLine[] = [];
  let run: ChangedLine[] = [];
  const endRun = (): void => {
    const [first] = run;
    if (first && run.length > manyEmpty)
      kept.push({ sign: first.sign, text: `  ${say(locale, describeEmptyLines(run.length))}` });
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

/** The raw values are compared and the printable ones are shown, because texts that look the same may differ. */
function listChangedLeaves(pinned: RemoteTool | undefined, tool: RemoteTool, locale: Locale): ChangedLine[] {
  const before = pinned === undefined ? new Map<string, unknown>() : collectLeaves(pinned);
  const after = collectLeaves(tool);
  const lines: ChangedLine[] = [];
  const add = (sign: ChangedLine["sign"], path: string, value: unknown): void => {
    lines.push({ sign, text: `${makeTextVisible(path)}: ${toJsonLine(value, locale)}` });
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
  if (same > 0) lines.push({ sign: " ", text: say(locale, describeUnchanged(same)) });
  return lines;
}

/** Lists everything except the description, by path. */
function collectLeaves({ name, annotations, inputSchema, outputSchema }: RemoteTool): Map<string, unknown> {
  const parts = Object.entries({ name, annotations, inputSchema, outputSchema });
  return new Map(parts.flatMap(([part, value]) => [...listLeaves(value, part)]));
}

function toJsonLine(value: unknown, locale: Locale): string {
  const showPadding = (text: string): string => replacePadding(text, (length) => say(locale, describeBlanks(length)));
  return makeTextVisible(JSON.stringify(value, (_, inner) => (typeof inner === "string" ? showPadding(inner) : inner)));
}

function describeBlanks(length: number) {
  return { zh: `⟨${length} 个空白字符⟩`, en: `⟨${length} blank characters⟩` };
}

function describeEmptyLines(count: number) {
  return { zh: `⟨${count} 个空行⟩`, en: `⟨${count} empty lines⟩` };
}

function describeUnchanged(count: number) {
  return {
    zh: `（其余 ${count} 项未变）`,
    en: count === 1 ? "(1 more item is the same)" : `(${count} more items are the same)`,
  };
}

/**
 * Flattens a JSON value into its leaves, each under its path (`inputSchema.properties.to.type`). A list of plain values is one
 * leaf. Two values are the same exactly when their leaves are.
 */
export function listLeaves(value: unknown, path: string): Map<string, unknown> {
  const leaves = new Map<string, unknown>();
  collect(value, path, leaves);
  return leaves;
}

function collect(value: unknown, path: string, leaves: Map<string, unknown>): void {
  const inner = listParts(value);
  if (inner.length === 0) {
    if (value !== undefined) leaves.set(path, value);
    return;
  }
  for (const [step, part] of inner) collect(part, path + step, leaves);
}

function listParts(value: unknown): [string, unknown][] {
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item !== "object" || item === null)) return [];
    return value.map((item, index) => [`[${index}]`, item]);
  }
  return isRecord(value) ? Object.entries(value).map(([key, part]) => [toStep(key), part]) : [];
}

function toStep(key: string): string {
  return /^[A-Za-z_$][\w$-]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
