import type { CallReview, ReviewedChange, ReviewPart } from "../../core/questions/call-review.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { type ChangedLine, matchLines } from "../../kit/text/match-lines.ts";
import { sanitize, sanitizeLine, showBlanks } from "../../kit/text/sanitize.ts";
import { shortenText, showArguments, showJoiners, showLookAlikes } from "./show-arguments.ts";

/** Holds one line of a review. The gutter marks it as not ours, and says what becomes of it. */
export interface ReviewLine {
  role: "heading" | "added" | "removed" | "same" | "text" | "command" | "note";
  gutter: string;
  text: string;
}

/** Limits what is shown of the parts together, unless a person asks for all of it. */
const mostLines = 200;
const mostUnits = 20_000;
/** Counts the lines that each of several long parts keeps. */
const leastLines = 20;
/** Counts the unchanged lines beside a change. */
const around = 3;

export interface ReviewOptions {
  locale: Locale;
  /** Is true where lines are heard, so that words stand in place of signs. */
  isSpoken?: boolean | undefined;
  /** Is true where nothing may be left out, however long it is. */
  isUnlimited?: boolean | undefined;
}

export interface RenderedReview {
  lines: (string | ReviewLine)[];
  /** Is true when nothing is left out. */
  isWhole: boolean;
}

/** Renders what a person reads before agreeing to a call. Hidden characters are shown, and none of it can drive the terminal. */
export function renderReview({ values, parts }: CallReview, options: ReviewOptions): RenderedReview {
  const shown = showArguments(values, options.locale, options.isUnlimited);
  const json = Object.keys(values).length === 0 && parts.length > 0 ? [] : [showLookAlikes(shown.text)];
  const blocks = parts.map((part) => renderPart(part, options));
  const all = blocks.flat();
  const isShort =
    options.isUnlimited === true ||
    (all.length <= mostLines && all.reduce((sum, { text }) => sum + text.length, 0) <= mostUnits);
  const kept = isShort ? all : blocks.flatMap((block) => cutBlock(block, blocks.length, options));
  return { lines: [...json, ...kept], isWhole: shown.isWhole && isShort };
}

function cutBlock(block: readonly ReviewLine[], count: number, { locale, isSpoken }: ReviewOptions): ReviewLine[] {
  const most = Math.max(leastLines, Math.floor(mostLines / count));
  const longest = Math.floor(mostUnits / most);
  const cut = block.map((line) => ({ ...line, text: shortenText(line.text, locale, longest) }));
  if (cut.length <= most) return cut;
  const head = Math.floor(most * 0.75);
  const left = cut.length - most;
  const note = say(locale, { zh: `另有 ${left} 行未显示`, en: `${left} more lines not shown` });
  return [...cut.slice(0, head), toGap(note, isSpoken), ...cut.slice(cut.length - (most - head))];
}

function renderPart(part: ReviewPart, options: ReviewOptions): ReviewLine[] {
  const { locale, isSpoken = false } = options;
  if (part.kind === "change") return renderChange(part, options);
  const name = sanitizeLine(part.name);
  if (part.kind === "command") {
    const title = say(locale, { zh: `要执行的命令（${name}）：`, en: `The command to run (${name}):` });
    const lines = splitLines(part.line).map((text, index): ReviewLine => {
      const sign = index === 0 && !isSpoken ? "$ " : "  ";
      return { role: "command", gutter: isSpoken ? "│ " : `│ ${sign}`, text: toVisible(text, locale) };
    });
    return [toHeading(title), ...lines];
  }
  const lines = splitLines(part.text);
  const title = `${name} · ${say(locale, describeLines(lines.length))}`;
  return [
    toHeading(title),
    ...lines.map((text): ReviewLine => ({ role: "text", gutter: "│ ", text: toVisible(text, locale) })),
  ];
}

function renderChange(change: ReviewedChange, options: ReviewOptions): ReviewLine[] {
  const { locale, isSpoken = false } = options;
  const [before, after] = dropCommonReturns(change.before, change.after);
  const changed = matchLines(before === undefined ? [] : splitLines(before), splitLines(after));
  return [
    toHeading(describeChange(change, changed, locale)),
    ...(change.problem ? [toNote(say(locale, problems[change.problem]))] : []),
    ...foldSame(changed, locale).map((line): ReviewLine => {
      if (typeof line === "string") return toGap(line, isSpoken);
      const role = roles[line.sign];
      const gutter = isSpoken ? say(locale, spoken[role]) : `│${line.sign} `;
      return { role, gutter, text: toVisible(line.text, locale) };
    }),
  ];
}

function describeChange(
  { name, file, before }: ReviewedChange,
  changed: readonly ChangedLine[],
  locale: Locale,
): string {
  const count = (sign: ChangedLine["sign"]): number => changed.filter((line) => line.sign === sign).length;
  const [added, removed] = [count("+"), count("-")];
  const place = file === undefined ? "" : ` → ${sanitizeLine(file)}`;
  const isNew = before === undefined ? say(locale, { zh: "（新文件）", en: " (new file)" }) : "";
  const same = say(locale, { zh: "没有变化", en: "no change" });
  return `${sanitizeLine(name)}${place}${isNew} · ${added + removed === 0 ? same : `+${added} −${removed}`}`;
}

/** Leaves out unchanged lines that are not beside a change; a text says how many. */
function foldSame(changed: readonly ChangedLine[], locale: Locale): (ChangedLine | string)[] {
  const isNear = (index: number): boolean =>
    changed.slice(Math.max(0, index - around), index + around + 1).some(({ sign }) => sign !== " ");
  const folded: (ChangedLine | string)[] = [];
  for (let index = 0; index < changed.length; ) {
    let end = index;
    while (end < changed.length && !isNear(end)) end += 1;
    const line = changed[index];
    if (end - index > 1) folded.push(say(locale, describeSame(end - index)));
    else if (line) folded.push(line);
    index = Math.max(end, index + 1);
  }
  return folded;
}

/** Where each line of both texts ends with a carriage return, it says nothing about the change. */
function dropCommonReturns(before: string | undefined, after: string): [string | undefined, string] {
  const has = (text: string): boolean => text.includes("\r\n") && !/(?<!\r)\n/.test(text);
  if (!has(after) || (before !== undefined && !has(before))) return [before, after];
  return [before?.replaceAll("\r\n", "\n"), after.replaceAll("\r\n", "\n")];
}

function splitLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** Shows one line of a text: a tab as blanks, and all else that could not be seen as what it is. */
function toVisible(text: string, locale: Locale): string {
  const visible = sanitize(text.replaceAll("\t", "    "));
  return showLookAlikes(showBlanks(visible.length > mostJoined ? visible : showJoiners(visible), locale));
}

/** Limits the line in which joiners are looked for: the tables of emoji are slow to look up. */
const mostJoined = 10_000;

function toHeading(text: string): ReviewLine {
  return { role: "heading", gutter: "", text };
}

/** Marks what is left out. A screen reader hears the words alone. */
function toGap(text: string, isSpoken = false): ReviewLine {
  return toNote(isSpoken ? text : `… ${text} …`);
}

function toNote(text: string): ReviewLine {
  return { role: "note", gutter: "", text: `  ${text}` };
}

const roles = { "+": "added", "-": "removed", " ": "same" } as const;

const spoken: Record<"added" | "removed" | "same", Text> = {
  added: { zh: "新增：", en: "added: " },
  removed: { zh: "删除：", en: "removed: " },
  same: { zh: "不变：", en: "same: " },
};

const problems: Record<"missing" | "repeated", Text> = {
  missing: { zh: "文件里现在没有要替换的文本", en: "the file does not contain the text to replace" },
  repeated: { zh: "要替换的文本在文件里出现多次", en: "the file contains the text to replace several times" },
};

function describeLines(count: number): Text {
  return { zh: `${count} 行`, en: count === 1 ? "1 line" : `${count} lines` };
}

function describeSame(count: number): Text {
  return { zh: `${count} 行不变`, en: `${count} unchanged lines` };
}
