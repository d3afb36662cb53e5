import type { SourceList } from "../../core/store/conversations/conversation.ts";
import type { Source } from "../../core/tools/tool.ts";

/**
 * Takes out of an answer the list of references that its model wrote at the end: a heading such as 参考文献 or "Sources" with
 * nothing but sources under it, or Markdown's definitions (`[1]: https://…`). What turns out to be more than that stays.
 */
export interface ReferenceFilter {
  /** Gives the text so far, without what may be the beginning of such a list. */
  push(text: string): string;
  /** Returns the remaining text, unless it is such a list. */
  finish(): string;
  /** Returns the numbers of the sources in the list that was removed. */
  listed(): readonly number[];
}

export function createReferenceFilter(sources: SourceList): ReferenceFilter {
  /** Is true when the current line has been found to be text. It is then shown as it arrives. */
  let isText = false;
  /** Holds the current line, with the newline before it, until it is known to be text. */
  let line = "";
  /** Holds the lines above that are not shown yet: empty lines, rules, and the list so far. */
  let above = "";
  let inList = false;
  /** Lists the numbers found so far; 0 is an entry that is not a source. */
  let entries: number[] = [];
  let listed: readonly number[] = [];

  function push(text: string): string {
    if (sources.size === 0) {
      isText = !text.endsWith("\n");
      return text;
    }
    let shown = "";
    for (let start = 0; start < text.length; ) {
      const newline = text.indexOf("\n", start);
      const end = newline < 0 ? text.length : newline;
      const part = text.slice(start, end);
      if (isText) shown += part;
      else shown += grow(part);
      if (newline >= 0) shown += close("\n");
      start = end + 1;
    }
    return shown;
  }

  /** Adds to the current line. Returns everything that was held as soon as it can only be text. */
  function grow(part: string): string {
    line += part;
    const visible = line.trim();
    const mayBelong = [
      canBecomeHeading,
      canBecomeInlineList,
      canBecomeRule,
      inList ? canBecomeEntry : canBecomeDefinition,
    ];
    return mayBelong.some((may) => may(visible)) ? "" : releaseHeld();
  }

  /** Ends the current line; `next` begins the one below. */
  function close(next: string): string {
    const shown = isText ? "" : settle(line.trim());
    isText = false;
    line = next;
    return shown;
  }

  function settle(whole: string): string {
    if (whole === "" || isRule(whole)) return keep();
    if (isHeading(whole)) {
      const shown = inList ? drop() : "";
      inList = true;
      return shown + keep();
    }
    const inline = readInlineList(whole, sources);
    if (inline) {
      inList = true;
      entries.push(...inline);
      return keep();
    }
    const entry = inList || isDefinition(whole) ? readEntry(whole, sources, entries.length > 0) : undefined;
    if (entry === undefined || (!inList && entry === 0)) return releaseHeld();
    inList = true;
    entries.push(entry);
    return keep();
  }

  function keep(): string {
    above += line;
    line = "";
    return "";
  }

  /** Returns the lines that were held above, because they are text after all. */
  function drop(): string {
    const shown = above;
    above = "";
    inList = false;
    entries = [];
    return shown;
  }

  function releaseHeld(): string {
    const shown = drop() + line;
    line = "";
    isText = true;
    return shown;
  }

  return {
    push,
    finish() {
      const shown = close("");
      const isList = entries.length > 0;
      if (isList) listed = entries.filter((number) => number > 0);
      const rest = drop();
      return isList ? shown : shown + rest;
    },
    listed: () => listed,
  };
}

const headings = [
  "参考文献",
  "参考资料",
  "参考来源",
  "参考链接",
  "引用来源",
  "引用文献",
  "引用",
  "资料来源",
  "信息来源",
  "数据来源",
  "来源",
  "出处",
  "references",
  "reference",
  "sources",
  "source",
  "citations",
  "works cited",
  "bibliography",
];

const longestHeading = 40;

/** Limits an entry with an address in it; the next constant limits one without. */
const longestEntry = 2000;
const longestPlainEntry = 300;

/** Is true when a line is only a heading of references: `## 参考文献`, `**Sources:**`. */
export function isHeading(line: string): boolean {
  return line.length <= longestHeading && headings.includes(stripMarkup(line).replace(/[\s*_:：]+$/, ""));
}

export function canBecomeHeading(start: string): boolean {
  if (start.length > longestHeading) return false;
  const words = stripMarkup(start);
  return headings.some(
    (heading) =>
      heading.startsWith(words) || (words.startsWith(heading) && /^[\s*_:：]*$/.test(words.slice(heading.length))),
  );
}

/** Returns the line without its marks and its number. */
function stripMarkup(line: string): string {
  return line.replace(/^[\s#>*_\d.、()（）一二三四五六七八九十📚🔗📖]+/u, "").toLowerCase();
}

/** Reads the numbers in a line that is both heading and list, `来源：[1]、[2]`; 0 is an entry that is not a source. */
export function readInlineList(line: string, sources: SourceList): number[] | undefined {
  const list = inlineList(line);
  if (!list) return undefined;
  const numbers: number[] = [];
  const rest = list
    .replace(/[[【［〔]\^?(\d{1,3})[\]】］〕]/g, (_, digits) => {
      numbers.push(sources.get(Number(digits)) ? Number(digits) : 0);
      return "";
    })
    .replace(/https?:\/\/[^\s，。；、)）>\]]+/g, "");
  return numbers.length > 0 && /^(?:[\s,，、;；.。和与|·()（）<>*_-]|and)*$/.test(rest) ? numbers : undefined;
}

export function canBecomeInlineList(start: string): boolean {
  return start.length <= longestEntry && inlineList(start) !== undefined;
}

/** Returns the text after the heading and its colon when it begins like a list. */
function inlineList(line: string): string | undefined {
  if (line.length > longestEntry) return undefined;
  const words = stripMarkup(line);
  const heading = headings.find((known) => words.startsWith(known) && /^[\s*_]*[:：]/.test(words.slice(known.length)));
  const rest = heading && words.slice(heading.length).replace(/^[\s*_:：]+/, "");
  return rest && (/^[[【［〔<]/.test(rest) || "https://".startsWith(rest.slice(0, 4))) ? rest : undefined;
}

/** Matches `---` and `***`. */
export function isRule(line: string): boolean {
  return line.length <= longestHeading && /^([-*_=])(?:\s*\1){2,}$/.test(line);
}

export function canBecomeRule(start: string): boolean {
  return start.length <= longestHeading && /^(?:([-*_=])(?:\s*\1)*)?$/.test(start);
}

/** Matches `[1]: https://…`, which Markdown does not show. */
export function isDefinition(line: string): boolean {
  return canBecomeDefinition(line) && /https?:\/\//i.test(line);
}

function canBecomeDefinition(start: string): boolean {
  return start.length <= longestEntry && /^(?:\[\^?(?:\d{0,3}|\d{1,3}\](?:[:：].*)?))?$/.test(start);
}

/** Is true when the beginning of a line under the heading may become an entry. */
function canBecomeEntry(start: string): boolean {
  if (start.length > longestEntry) return false;
  return /^[-*+•·>\d[【［<\\]/.test(start) || "http".startsWith(start.slice(0, 4).toLowerCase());
}

/**
 * Returns the number of the source that a line names by its address, its number or its title. Returns 0 for a number that no
 * source has, and for a bare address below another entry, and undefined when the line is something else.
 */
export function readEntry(line: string, sources: SourceList, isBelowAnother: boolean): number | undefined {
  if (!canBecomeEntry(line)) return undefined;
  const byUrl = findLongestNamed(line, sources, ({ url }) => url.replace(/\/$/, ""));
  if (byUrl !== undefined) return byUrl;
  const [, digits] = /^(?:[-*+•·>]\s*)*\\?[[【［]\^?(\d{1,3})\\?[\]】］]/.exec(line) ?? [];
  if (digits !== undefined && line.length > longestPlainEntry) return undefined;
  if (digits !== undefined) return sources.get(Number(digits)) ? Number(digits) : 0;
  const byTitle = findLongestNamed(line, sources, ({ title }) => title);
  if (byTitle !== undefined) return byTitle;
  return isBelowAnother && /^<?https?:\S+$/i.test(line) ? 0 : undefined;
}

/** Shorter names are too common to identify a source. */
const shortestName = 4;

/** Returns the number of the source whose name appears in the line. If several do, it is the one with the longest name. */
function findLongestNamed(line: string, sources: SourceList, nameOf: (source: Source) => string): number | undefined {
  let best: { number: number; length: number } | undefined;
  for (const { n: number, source } of sources.all()) {
    const name = nameOf(source);
    if (name.length < shortestName || name.length <= (best?.length ?? 0) || !line.includes(name)) continue;
    best = { number, length: name.length };
  }
  return best?.number;
}
