import type { Citation } from "../../core/run/outcome.ts";
import type { SourceList } from "../../core/store/conversations/conversation.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { isBlank } from "../../kit/text/is-blank.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { createCitableNumbers } from "./citable-numbers.ts";
import { canOpenMarker, measure, type PlacedMarker, readGroup, readLinkedMarker } from "./citation-marker.ts";
import {
  canEndClause,
  isBehindPlainWord,
  isBehindSign,
  isBehindValueWord,
  isClauseEnd,
  isZero,
  takeUntilValue,
} from "./citation-place.ts";
import type { Evidence } from "./evidence.ts";
import { divideLists } from "./list-place.ts";
import { isBlockEnd, readCode } from "./read-code.ts";
import { createReferenceFilter } from "./reference-filter.ts";

/**
 * Checks the citations of an answer while it streams: `[n]` stays when source n was fetched for it or for the turns before it, and is
 * taken out when it was not. Where the figures before one that stands alone belong to another source, it gets that source's number. Code,
 * Markdown links and what is no citation by its place, such as `list[2]`, "the mean of [5] is" or "the interval [1, 3]", are left
 * alone. A list of references at the end is taken out: `renderReferences` makes it.
 *
 * Where the asker may bring documents of its own, `documents` holds their numbers, which no source has: these stay, and while nothing
 * has been fetched all brackets are the asker's.
 */
export interface CitationFilter {
  /** Gives what can be shown of the text so far; holds back what more text may turn into a citation, code or a list. */
  push(text: string): string;
  /** Returns the text that was held back. */
  finish(): string;
  /** Returns the cited sources in the order of their numbers, which are those of the conversation. */
  citations(): Citation[];
}

export function createCitationFilter(
  sources: SourceList,
  evidence?: Evidence,
  documents?: ReadonlySet<number>,
): CitationFilter {
  const cited = new Map<number, Citation>();
  const own = createReferenceFilter(sources);
  const numbers = createCitableNumbers(sources, { evidence, documents });
  const { isDocument, isKnown, hasSources, isOwnLink, canCite, hasOnlyAskersNumbers, choose } = numbers;
  let held = "";
  /** Holds the marks that opened the code block around the current text. */
  let fence: string | undefined;
  /** Holds the beginning of the current line, as far as it decides where a code block may open. */
  let lineHead = "";
  /** Spaces that went by and are not shown yet; they go with a citation that is taken out. */
  let gap = "";
  /** Holds the spaces that were removed with the last citation, in case another follows. */
  let lost = "";
  /** Holds the last character of the text so far, spaces left out. */
  let last = "";
  /** Holds the last words of the text so far. */
  let tail = "";
  /** Is true once a citation of the answer stood right behind a Latin word. */
  let citesBehindWords = false;

  function cite(number: number): void {
    const source = sources.get(number);
    if (source === undefined || !isKnown(number)) return;
    cited.set(number, { n: number, title: sanitizeLine(source.title) || source.url, url: source.url });
  }

  /** Takes one piece off the front of `held`; undefined while it is not known what follows. */
  function take(isLast: boolean): string | undefined {
    if (fence !== undefined) return takeCodeLine(fence, isLast);
    const first = held[0] ?? "";
    if (first === "`" || first === "~") return takeCode(isLast);
    if (first === "\\") return held.length > 1 || isLast ? consume(2) : undefined;
    if (canOpenMarker(held.charCodeAt(0))) return takeMarker(isLast);
    return consume(measurePlain(held));
  }

  function takeCodeLine(open: string, isLast: boolean): string | undefined {
    const end = held.indexOf("\n") + 1;
    const line = end === 0 ? held : held.slice(0, end);
    const closes = lineHead === "" && isBlockEnd(line, open);
    if (closes === "open" && !isLast) return undefined;
    if (closes === true) fence = undefined;
    return consume(line.length);
  }

  function takeCode(isLast: boolean): string | undefined {
    const code = readCode(held, lineHead, isLast);
    if (code === "open") return undefined;
    fence = code.fence;
    return consume(code.length);
  }

  /** Takes the markers that stand beside each other: they cite one sentence, and one rule holds for all of them. */
  function takeMarker(isLast: boolean): string | undefined {
    const first = readLinkedMarker(held, isLast);
    if (first === "open") return undefined;
    if (first === undefined) return consume(1);
    const { target, text } = first;
    const isImage = last === "!" && gap === "";
    if (target !== undefined && (isImage || !isOwnLink(first))) {
      if (isImage || first.numbers.some(isDocument) || !/^https?:/i.test(target)) return consume(1);
      // A number would say that the page was read: only its address stays.
      held = held.slice(text.length);
      return consume(target.length + 2);
    }
    if (isBehindSign(tail) || !canCite(first)) return consume(1);
    const isMember = (marker: PlacedMarker): boolean => canCite(marker) && isOwnLink(marker);
    const group = readGroup(held, first, { isLast, isMember });
    return group === "open" ? undefined : takeGroup(group, isLast);
  }

  function takeGroup(markers: readonly PlacedMarker[], isLast: boolean): string | undefined {
    const behind = held.slice(measure(markers));
    const isTight = isBehindWord();
    const needsEnd = isTight || markers.length > 1 || markers[0]?.isList;
    if (!isLast && (behind === "" || (needsEnd && canEndClause(behind)))) return undefined;
    const isIndex = isTight && !isTightCitation(behind);
    const { values, citations } = divideLists(markers, { isKnown, before: tail, behind, isIndex });
    if (values.length > 0) return consume(measure(values));
    const group = takeUntilValue(citations, { hasSources, behind, isTight, keepsOthers: hasOnlyAskersNumbers() });
    const length = measure(group);
    const rest = held.slice(length);
    const firstKnown = group.findIndex(hasSources);
    const madeUp = firstKnown < 0 ? group : group.slice(0, firstKnown);
    if (madeUp.length > 0 && !isCitationGroup(madeUp, rest)) return consume(measure(madeUp));
    citesBehindWords ||= madeUp.length === 0 && isTight;
    const known = findShown(group);
    const space = gap || lost;
    const shown = known.map(({ numbers, joiner }, index) => (index === 0 ? space : joiner) + render(numbers));
    // The address of a link may hold figures, which the sentence does not name.
    const text = group.map((marker) => marker.joiner + marker.text).join("");
    held = rest;
    lineHead += text;
    tail += text;
    // A value right behind the group is told by the bracket before it.
    last = group.length < markers.length ? "]" : "";
    gap = "";
    lost = known.length === 0 ? space : "";
    return shown.join("");
  }

  function render(numbers: readonly number[]): string {
    for (const number of numbers) if (!isDocument(number)) cite(number);
    return [...new Set(numbers)].map((number) => `[${number}]`).join("");
  }

  /**
   * Returns the markers of a group that are shown, with their known numbers. One that stands alone, also a made-up one, is compared with
   * the text before it.
   */
  function findShown(group: readonly PlacedMarker[]): PlacedMarker[] {
    const known = group.filter(hasSources).map((marker) => ({ ...marker, numbers: marker.numbers.filter(isKnown) }));
    if (known.flatMap(({ numbers }) => numbers).length > 1) return known;
    const alone = known[0] ?? (group.length === 1 ? group[0] : undefined);
    const numbers = alone?.numbers.map((number) => choose(number, tail)).filter(isKnown) ?? [];
    return alone === undefined || numbers.length === 0 ? [] : [{ ...alone, numbers }];
  }

  /** Is true when numbers without a source are placed like citations: after a word, before the end of a clause. */
  function isCitationGroup(markers: readonly PlacedMarker[], rest: string): boolean {
    const next = rest[0] ?? "";
    if (markers.some(isZero) || isBehindValueWord(tail)) return false;
    if (gap === "" && /[_)[\]]/.test(last)) return false;
    if (isBehindWord() && !isTightCitation(rest)) return false;
    if (next === "]" || next === "=" || (next === ":" && /^\s*$/.test(lineHead))) return false;
    if (hasOnlyAskersNumbers()) return false;
    return sources.size > 0 || (/^[\s.,;:!?。，；：！？、[【]?$/u.test(next) && next !== " ");
  }

  function isBehindWord(): boolean {
    return gap === "" && /[A-Za-z0-9]/.test(last);
  }

  /**
   * Tells a made-up citation right behind a word from an index such as `argv[3]` by the word, by what follows and by the citations
   * before it. An index that goes leaves a wrong text, while a number that stays does little harm.
   */
  function isTightCitation(rest: string): boolean {
    return citesBehindWords && isBehindPlainWord(tail) && isClauseEnd(rest);
  }

  /** Takes text off the front of `held` as it is; spaces at its end wait for what follows. */
  function consume(length: number): string {
    const text = held.slice(0, length);
    held = held.slice(length);
    const newline = text.lastIndexOf("\n");
    if (newline >= 0) lineHead = text.slice(newline + 1, newline + 1 + longestHead);
    else if (lineHead.length < longestHead) lineHead += text.slice(0, longestHead);
    tail = (tail + text.slice(-longestTail)).slice(-longestTail);
    let end = text.length;
    while (text.charCodeAt(end - 1) === 32) end--;
    if (end === 0) {
      gap += text;
      return "";
    }
    last = text.charAt(end - 1);
    lost = "";
    const shown = gap + text.slice(0, end);
    gap = text.slice(end);
    return shown;
  }

  function drain(text: string, isLast: boolean): string {
    held += text;
    let shown = "";
    while (held !== "") {
      const piece = take(isLast);
      if (piece === undefined) break;
      shown += piece;
    }
    return shown;
  }

  return {
    push: (text) => drain(own.push(text), false),
    finish() {
      const shown = drain(own.finish(), true) + gap;
      gap = "";
      lost = "";
      own.listed().forEach(cite);
      return shown;
    },
    citations: () => [...cited.values()].sort((a, b) => a.n - b.n),
  };
}

/** Returns a whole answer as it may be shown, which is its list of references where it is nothing else. */
export function checkCitations(
  answer: string,
  { sources, evidence, language }: { sources: SourceList; evidence: Evidence; language: Locale },
): string {
  const filter = createCitationFilter(sources, evidence);
  const shown = filter.push(answer) + filter.finish();
  return (isBlank(shown) ? renderReferences(filter.citations(), language) : shown).trim();
}

/** Limits the text that is kept before a citation, in characters: its clause, as far as it matters. */
const longestTail = 300;

/** No code block opens behind a longer beginning of a line, so no more of it is kept. */
const longestHead = 40;

/**
 * Returns the distance to the next character that may have a meaning. It runs over every token, so it uses no regular
 * expression.
 */
function measurePlain(text: string): number {
  let index = 1;
  for (; index < text.length; index++) {
    const code = text.charCodeAt(index);
    // \ ` ~
    if (code === 92 || code === 96 || code === 126 || canOpenMarker(code)) break;
  }
  return index;
}

/** Renders the list under an answer. Returns an empty string when nothing was cited. */
export function renderReferences(citations: readonly Citation[], locale: Locale): string {
  if (citations.length === 0) return "";
  const lines = citations.map(({ n, title, url }) => `- [${n}] ${title} ${url}`);
  return `\n\n${say(locale, { zh: "参考文献", en: "References" })}\n\n${lines.join("\n")}`;
}
