import type { SourceList } from "../../core/store/store.ts";
import {
  canBecomeDefinition,
  canBecomeEntry,
  canBecomeHeading,
  canBecomeInlineList,
  canBecomeRule,
  isDefinition,
  isHeading,
  isRule,
  readEntry,
  readInlineList,
} from "./reference-lines.ts";

/**
 * Takes out of an answer the list of references that its model wrote at the end: a heading such as 参考文献 or "Sources" with
 * nothing but sources under it, or Markdown's definitions (`[1]: https://…`). What turns out to be more than that stays.
 */
export interface ReferenceFilter {
  /** Gives the text so far, without what may be the beginning of such a list. */
  push(text: string): string;
  /** Returns the remaining text, unless it is such a list. */
  end(): string;
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
    return mayBelong.some((may) => may(visible)) ? "" : giveUp();
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
    if (entry === undefined || (!inList && entry === 0)) return giveUp();
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

  function giveUp(): string {
    const shown = drop() + line;
    line = "";
    isText = true;
    return shown;
  }

  return {
    push,
    end() {
      const shown = close("");
      const isList = entries.length > 0;
      if (isList) listed = entries.filter((number) => number > 0);
      const rest = drop();
      return isList ? shown : shown + rest;
    },
    listed: () => listed,
  };
}
