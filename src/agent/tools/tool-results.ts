import type { ToolCall } from "../../core/model/messages.ts";
import type { NumberedResult } from "../../core/store/conversations/conversation.ts";
import type { Source, Tool } from "../../core/tools/tool.ts";
import type { Locale } from "../../kit/locale.ts";
import { type CutText, truncateCut, truncateMiddle } from "../../kit/text/truncate.ts";
import { countMissing, renderPointer, splitAtPointer, toGapLine } from "./gap-lines.ts";
import { createReadResult, getMargin, takePiece } from "./read-result.ts";
import { type Range, renderParts } from "./result-parts.ts";

/**
 * Keeps the whole results of a run, of which the models read excerpts. Once the first result of the conversation has been cut, its
 * runs have a tool that reads the rest. Results have numbers that are theirs through the whole conversation.
 */
export interface ToolResults {
  /** Returns the number of a text from `read`, and gives it one where it has none. */
  assign(read: string): number;
  /** Takes the results that earlier turns have read in full, for when one of them has to be cut. */
  learn(list: () => readonly NumberedResult[]): void;
  /** Is true for a text that can be read on where it is cut. */
  canReadOn(text: string): boolean;
  /** Lists the results of this run of which models have read parts. */
  listKept(): NumberedResult[];
  /** Offers the tool that reads results on, and returns its name. */
  offerTool(): string;
  /** Returns the tool that reads the rest, and undefined until something has been cut. */
  findTool(): Tool | undefined;
  /** Returns a result as the models read it: whole, or its head and tail with the call that reads the rest between them. */
  read(text: string, kind: ResultKind): string;
  /** Returns the number under which the rest of a text from `read` can be read, and undefined where nothing was cut. */
  findNumber(read: string): number | undefined;
  /** Keeps a result as it was read in an earlier process. */
  restore(text: string, kind: ResultKind, known: { read: string; number: number }): void;
  /** Keeps these numbers for what is restored. What was not recorded gets the others, in the order in which it had them. */
  reserve(numbers: Iterable<number>): void;
  /** Returns a text from `read` for a reader without tools, without the call that reads the rest. */
  removePointer(read: string): string;
  /** Returns what a call of the reading tool read, and undefined for every other call. */
  findPosition(call: Pick<ToolCall, "name" | "arguments">): ReadPosition | undefined;
  /**
   * Returns a text from `read` for a reader without tools, with the parts in their places that were read on at these positions.
   */
  insertParts(read: string, positions: readonly ReadPosition[]): string;
  /**
   * Shortens a text from `read`, or any other text, to about `kept` characters. With `readsOn` it includes the call that reads
   * the rest.
   */
  shorten(text: string, kept: number, readsOn: boolean): string;
}

/** Holds where a call read on: the number of the result, and its first character. */
interface ReadPosition {
  result: number;
  from: number;
}

/** The text of a search consists of sources, each short. It is cut only when it is huge. */
export type ResultKind = "text" | "sources";

interface ResultOptions {
  /** Holds the tools of the run. The reading tool is added to them. */
  tools: Map<string, Tool>;
  /** Limits what a model reads of one result, in characters. */
  longest: number;
  /** Is the language used for the model. */
  language: Locale;
  /** Finds the results of earlier turns, after whose numbers those of the run come. */
  earlier?: EarlierResults | undefined;
}

/** Holds the results of the conversation so far. */
export interface EarlierResults {
  /** Is the highest number that one of them has. */
  last: number;
  get(n: number): Promise<string | undefined>;
  /** Returns the page or file of which a result is; undefined for every other result. */
  findSource(n: number): Source | undefined;
}

/** Limits what is kept of one result and of all results of a run, in characters. */
const longestKept = 2_000_000;
const mostKept = 20_000_000;

/** A search result may be this many times as long as another result. */
const sourcesFactor = 4;

/** Reserves characters for the line that marks a gap. The longest is in English. */
const gapLength = 120;

export function createToolResults({ tools, longest, language, earlier }: ResultOptions): ToolResults {
  /** Maps numbers to results. */
  const keptTexts = new Map<number, string>();
  /** Maps the whole text, and each form in which it was read, to its number: the same result keeps its number. */
  const numbers = new Map<string, number>();
  /** Maps each form in which a result was read to the parts of the result that are in it. */
  const shown = new Map<string, Range[]>();
  /** Maps what `shorten` has made to the text that it was given, from which a further cut is made. */
  const givenTexts = new Map<string, string>();
  const reserved = new Set<number>();
  let size = 0;
  let lastNumber = earlier?.last ?? 0;
  const name = tools.has("read_result") ? "duet_read_result" : "read_result";
  const findWhole = async (n: number): Promise<string | undefined> => keptTexts.get(n) ?? earlier?.get(n);
  // A result of this run stands in the same request, with its number.
  const findSource = (n: number): Source | undefined => (keptTexts.has(n) ? undefined : earlier?.findSource(n));
  const tool = createReadResult({ name, language, longest, findWhole, findSource });

  let listEarlier: () => readonly NumberedResult[] = () => [];

  function learnEarlier(): void {
    for (const { n, text } of listEarlier()) if (!numbers.has(text)) numbers.set(text, n);
    listEarlier = () => [];
  }

  function takeNumber(): number {
    do lastNumber += 1;
    while (reserved.has(lastNumber));
    return lastNumber;
  }

  /** Returns the result's number, or undefined when no more results can be kept. */
  function keepText(text: string): number | undefined {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    if (size + text.length > mostKept) return undefined;
    size += text.length;
    const number = takeNumber();
    keptTexts.set(number, text);
    numbers.set(text, number);
    return number;
  }

  const findText = (number: number | undefined): string | undefined =>
    number === undefined ? undefined : keptTexts.get(number);

  function cut(text: string | CutText, kept: number, number: number | undefined): string {
    const most = Math.max(0, kept - gapLength);
    const renderGap = (missing: number, from: number): string => {
      if (number === undefined) {
        const isWhole = typeof text !== "string" || numbers.has(text);
        return toGapLine(isWhole ? missing : countMissing(text.slice(from, from + missing)), language);
      }
      tools.set(name, tool);
      return renderPointer(missing, { name, number, from, language });
    };
    return typeof text === "string" ? truncateMiddle(text, most, renderGap) : truncateCut(text, most, renderGap);
  }

  function removePointer(read: string): string {
    const number = numbers.get(read);
    const text = findText(number);
    if (number === undefined || text === undefined || text === read) return read;
    const plain = cut(text, read.length, undefined);
    numbers.set(plain, number);
    return plain;
  }

  return {
    assign(read) {
      const known = numbers.get(read);
      if (known !== undefined) return known;
      const number = takeNumber();
      numbers.set(read, number);
      return number;
    },
    learn(list) {
      listEarlier = list;
    },
    canReadOn(text) {
      learnEarlier();
      return numbers.has(givenTexts.get(text) ?? text);
    },
    listKept: () => [...keptTexts].map(([n, text]) => ({ n, text })),
    offerTool() {
      tools.set(name, tool);
      return name;
    },
    findTool: () => (tools.get(name) === tool ? tool : undefined),
    read(text, kind) {
      const most = kind === "sources" ? sourcesFactor * longest : longest;
      if (text.length <= most + getMargin(most)) return text;
      const kept = text.length <= longestKept ? text : cut(text, longestKept, undefined);
      const number = keepText(kept);
      const read = cut(kept, most, number);
      if (number !== undefined) {
        numbers.set(read, number);
        shown.set(read, findShown(kept, most));
      }
      return read;
    },
    findNumber: (read) => (shown.has(read) ? numbers.get(read) : undefined),
    restore(text, kind, { read, number }) {
      const most = kind === "sources" ? sourcesFactor * longest : longest;
      keptTexts.set(number, text);
      size += text.length;
      for (const form of [text, read]) numbers.set(form, number);
      shown.set(read, findShown(text, most));
      tools.set(name, tool);
    },
    reserve(list) {
      for (const number of list) reserved.add(number);
    },
    findPosition({ name: called, arguments: args }) {
      // What an earlier turn has read is a result by itself in this one.
      if (called !== name || typeof args?.result !== "number" || !keptTexts.has(args.result)) return undefined;
      return { result: args.result, from: typeof args.from === "number" ? args.from : 0 };
    },
    insertParts(read, positions) {
      const number = numbers.get(read);
      const text = findText(number);
      if (text === undefined || text === read) return read;
      const parts: Range[] = positions
        .filter(({ result, from }) => result === number && from < text.length)
        .map(({ from }) => ({ from, to: from + takePiece(text.slice(from), longest).length }));
      if (parts.length === 0) return removePointer(read);
      return renderParts(text, [...(shown.get(read) ?? []), ...parts], (missing) => toGapLine(missing, language));
    },
    removePointer,
    shorten(text, kept, readsOn) {
      learnEarlier();
      const given = givenTexts.get(text) ?? text;
      const number = readsOn ? keepText(given) : numbers.get(given);
      // What an earlier turn has read is not here as a whole, but the line in it tells how long that is.
      const whole = findText(number) ?? splitAtPointer(given, number) ?? given;
      const shorter = cut(whole, kept, readsOn ? number : undefined);
      givenTexts.set(shorter, given);
      return shorter;
    },
  };
}

/** Returns the head and the tail of a text that `cut` keeps. */
function findShown(whole: string, most: number): Range[] {
  const parts: Range[] = [];
  truncateMiddle(whole, Math.max(0, most - gapLength), (missing, from) => {
    parts.push({ from: 0, to: from }, { from: from + missing, to: whole.length });
    return "";
  });
  return parts;
}
