import { type Locale, say } from "../core/locale.ts";
import type { Citation } from "../core/outcome.ts";
import { printableLine } from "../core/printable.ts";
import type { SourceList } from "./sources.ts";

/**
 * Checks the citations of an answer while it streams: `[n]` is renumbered by first use when source n was fetched in
 * this conversation, and taken out when it was not. Code, Markdown links and what is no citation by its place, such as
 * `list[2]` or "the mean of [5] is", are left alone.
 */
export interface CitationFilter {
  /** Gives what can be shown of the text so far; holds back an open bracket. */
  push(text: string): string;
  /** The held-back rest. */
  end(): string;
  /** The sources cited, in the order of their new numbers. */
  citations(): Citation[];
}

/** The longest text held back behind an open bracket. */
const longestMarker = 32;

export function createCitationFilter(sources: SourceList): CitationFilter {
  const cited = new Map<number, Citation>();
  let held = "";
  let code: "none" | "span" | "block" = "none";
  let lineStart = true;
  /** Spaces that went by and are not shown yet. */
  let gap = "";
  /** The last character that went by, spaces left out. */
  let last = "";

  function cite(number: number): number | undefined {
    const source = sources.get(number);
    if (source === undefined) return undefined;
    const known = cited.get(number);
    if (known) return known.n;
    const citation = { n: cited.size + 1, title: printableLine(source.title) || source.url, url: source.url };
    cited.set(number, citation);
    return citation.n;
  }

  /** `[1]`, `[1, 2]` or 【1】 as it should stand; undefined when it is no citation at all. */
  function rewrite(marker: string, next: string): string | undefined {
    const numbers = /^[[【]\s*(\d{1,3}(?:\s*[,，、]\s*\d{1,3})*)\s*[\]】]$/
      .exec(marker)?.[1]
      ?.split(/[,，、]/)
      .map(Number);
    if (numbers === undefined) return undefined;
    // A list like [1,2,3] in prose is far more often data than citations, unless every number is a source.
    const known = numbers.filter((number) => sources.get(number));
    if (numbers.length > 1 && known.length < numbers.length) return undefined;
    if (known.length === 0 && !looksCited(numbers[0] ?? 0, next)) return undefined;
    return numbers
      .map(cite)
      .filter((number) => number !== undefined)
      .map((number) => `[${number}]`)
      .join("");
  }

  /** Whether a number without a source stands where a citation would: after a word, before the end of a clause. */
  function looksCited(number: number, next: string): boolean {
    if (number === 0 || (gap === "" && /[A-Za-z0-9_)[]/.test(last))) return false;
    return (sources.size > 0 && next !== "]") || (/^[\s.,;:!?。，；：！？、[【]?$/u.test(next) && next !== " ");
  }

  /** Takes one piece off the front of `held`; undefined while it is not known what follows. */
  function take(final: boolean): string | undefined {
    const first = held[0] ?? "";
    if (first === "`") return takeTicks(final);
    if ((first === "[" || first === "【") && code === "none") return takeMarker(final);
    const plain = /^[^`[【]+/.exec(held)?.[0] ?? first;
    // Spaces before a citation go with it if it is taken out, so they wait for what follows.
    const spaces = / +$/.exec(plain)?.[0] ?? "";
    if (spaces === plain) return final || held.length > spaces.length ? hold(spaces) : undefined;
    return consume(plain.slice(0, plain.length - spaces.length));
  }

  function takeTicks(final: boolean): string | undefined {
    const ticks = /^`+/.exec(held)?.[0] ?? "`";
    if (ticks.length === held.length && !final) return undefined;
    if (ticks.length >= 3 && lineStart) code = code === "block" ? "none" : "block";
    else if (code !== "block") code = code === "span" ? "none" : "span";
    return consume(ticks);
  }

  function takeMarker(final: boolean): string | undefined {
    const close = held.search(/[\]】]/);
    const settled = final || close >= 0 || held.length > longestMarker || !/^[[【][\d\s,，、]*$/.test(held);
    if (!settled) return undefined;
    if (close < 0) return consume(held[0] ?? "");
    const marker = held.slice(0, close + 1);
    const isLink = held[close + 1] === "(" || held[close + 1] === ":";
    if (held.length === close + 1 && !final) return undefined;
    const rewritten = isLink ? undefined : rewrite(marker, held[close + 1] ?? "");
    if (rewritten === undefined) return consume(held[0] ?? "");
    if (rewritten === "") gap = "";
    held = held.slice(marker.length);
    return release(rewritten);
  }

  /** Takes spaces off the front of `held` without showing them yet. */
  function hold(spaces: string): string {
    held = held.slice(spaces.length);
    gap = spaces;
    return "";
  }

  function release(text: string): string {
    const shown = gap + text;
    gap = "";
    return shown;
  }

  function consume(text: string): string {
    held = held.slice(text.length);
    // A single line end closes a code span that was never meant as one.
    if (text.includes("\n") && code === "span") code = "none";
    last = text.at(-1) ?? last;
    if (text.length > 0) lineStart = /\n\s*$/.test(text) || (lineStart && /^\s*$/.test(text));
    return release(text);
  }

  function drain(final: boolean): string {
    let shown = "";
    while (held.length > 0) {
      const piece = take(final);
      if (piece === undefined) break;
      shown += piece;
    }
    return shown;
  }

  return {
    push(text) {
      held += text;
      return drain(false);
    },
    end: () => drain(true) + release(""),
    citations: () => [...cited.values()],
  };
}

/** The list under an answer; empty when nothing was cited. */
export function references(citations: readonly Citation[], locale: Locale): string {
  if (citations.length === 0) return "";
  const lines = citations.map(({ n, title, url }) => `- [${n}] ${title} ${url}`);
  return `\n\n${say(locale, { zh: "参考文献", en: "References" })}\n\n${lines.join("\n")}`;
}
