import type { ToolCall } from "../../core/messages.ts";
import { renderPage } from "../../core/sources.ts";
import type { NumberedResult } from "../../core/store/store.ts";
import { toInvalidArgumentsResult, toUnknownFieldLine, toValueProblem } from "../../core/tools/argument-feedback.ts";
import type { ArgumentProblem, Source, Tool, ToolResult } from "../../core/tools/tool.ts";
import type { JsonObject } from "../../kit/json.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { type CutText, takeStart, trimToBoundary, truncateCut, truncateMiddle } from "../../kit/text/truncate.ts";
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
export interface ReadPosition {
  result: number;
  from: number;
}

/** The text of a search consists of sources, each short. It is cut only when it is huge. */
export type ResultKind = "text" | "sources";

export interface ResultOptions {
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

/** A text this much longer than allowed is left whole: to read the rest would cost a turn. A small window leaves no room for it. */
const mostOver = 2000;

/** Reserves characters for the line that marks a gap. The longest is in English. */
const gapLength = 120;

export function createToolResults({ tools, longest, language, earlier }: ResultOptions): ToolResults {
  /** Maps numbers to results. */
  const shelf = new Map<number, string>();
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
  const findWhole = async (n: number): Promise<string | undefined> => shelf.get(n) ?? earlier?.get(n);
  // A result of this run stands in the same request, with its number.
  const findSource = (n: number): Source | undefined => (shelf.has(n) ? undefined : earlier?.findSource(n));
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
    shelf.set(number, text);
    numbers.set(text, number);
    return number;
  }

  const findText = (number: number | undefined): string | undefined =>
    number === undefined ? undefined : shelf.get(number);

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
    listKept: () => [...shelf].map(([n, text]) => ({ n, text })),
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
      shelf.set(number, text);
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
      if (called !== name || typeof args?.result !== "number" || !shelf.has(args.result)) return undefined;
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

function getMargin(most: number): number {
  return most < 5 * mostOver ? 0 : mostOver;
}

/** Returns the part that the reading tool gives of the rest of a result. */
function takePiece(rest: string, longest: number): string {
  if (rest.length <= longest + getMargin(longest)) return rest;
  return trimToBoundary(takeStart(rest, longest - pointerLength));
}

/** Says that something is missing, where there is no way to read it. */
function toGapLine(missing: number, language: Locale): string {
  const count = missing.toLocaleString("en");
  return say(language, { zh: `…[省略 ${count} 个字符]…`, en: `…[${count} characters left out]…` });
}

/** Is true for a text that one of the lines above or below stands in. */
export function isCut(text: string): boolean {
  return /…\[(?:省略 [\d,]+ 个字符|[\d,]+ characters left out)(?:[；;][^\n]*)?\]…/.test(text);
}

/**
 * Returns the ends of a result around the line that says how to read it on; undefined where there is none. A line that names another
 * result or place was said by a tool.
 */
function splitAtPointer(text: string, number: number | undefined): CutText | undefined {
  const line = [...text.matchAll(pointerLine)].find(
    ({ groups, index }) => Number(groups?.number) === number && Number(groups?.from) === index,
  );
  if (line === undefined) return undefined;
  return { head: text.slice(0, line.index), missing: readCount(line), tail: text.slice(line.index + line[0].length) };
}

/** Counts what is missing of a whole text where this part of what was read of it goes: its gaps are no characters of the text. */
function countMissing(part: string): number {
  return [...part.matchAll(gapLine)].reduce((sum, line) => sum + readCount(line) - line[0].length, part.length);
}

function readCount({ groups }: RegExpExecArray): number {
  return Number((groups?.zh ?? groups?.en ?? "").replaceAll(",", ""));
}

const gapLine = /\n?…\[(?:省略 (?<zh>[\d,]+) 个字符|(?<en>[\d,]+) characters left out)\]…\n?/g;

const pointerLine =
  /\n…\[(?:省略 (?<zh>[\d,]+) 个字符；用|(?<en>[\d,]+) characters left out;) \w+ \{"result": (?<number>\d+), "from": (?<from>\d+)\} (?:继续读取|reads on)\]…\n/g;

/** Holds a position in a result, and the tool that reads from there. */
export interface ResultPosition {
  name: string;
  number: number;
  /** Is the offset of the first character to read, from 0. */
  from: number;
  language: Locale;
}

export interface ReadResultOptions {
  name: string;
  language: Locale;
  /** Limits one answer of the tool, in characters. */
  longest: number;
  findWhole(number: number): Promise<string | undefined>;
  /** Finds the page or file that stands in no other message of the request, so that a piece of it has to name it. */
  findSource(number: number): Source | undefined;
}

/** Says what is missing and how to read it; the line that stands in a result where it was cut. */
function renderPointer(missing: number, { name, number, from, language }: ResultPosition): string {
  const count = missing.toLocaleString("en");
  const call = `${name} {"result": ${number}, "from": ${from}}`;
  return say(language, {
    zh: `…[省略 ${count} 个字符；用 ${call} 继续读取]…`,
    en: `…[${count} characters left out; ${call} reads on]…`,
  });
}

/** Creates the tool that reads the rest of a shortened result, one piece at a time. */
export function createReadResult({ name, language, longest, findWhole, findSource }: ReadResultOptions): Tool {
  return {
    name,
    description: say(language, {
      zh: "读取被截断或已压缩的工具结果。结果编号写在截断处或对话摘要里，起始位置写在截断处。",
      en: "Reads a tool result that was truncated or summarised. Its number is given where it was cut, or in the summary of the conversation; the start position where it was cut.",
    }),
    inputSchema: {
      type: "object",
      properties: {
        result: {
          type: "integer",
          minimum: 1,
          description: say(language, { zh: "结果编号", en: "The result number" }),
        },
        from: {
          type: "integer",
          minimum: 0,
          default: 0,
          description: say(language, {
            zh: "从第几个字符开始（从 0 计）",
            en: "The character to start at, counted from 0",
          }),
        },
      },
      required: ["result"],
      additionalProperties: false,
    },
    source: "builtin",
    annotations: { readOnly: true, idempotent: true },
    run: read,
  };

  async function read({ result: number, from = 0, ...others }: JsonObject): Promise<ToolResult> {
    const unknown = Object.keys(others).map((field) => toUnknownFieldLine(field, ["result", "from"]));
    const text = typeof number === "number" ? await findWhole(number) : undefined;
    if (typeof number !== "number" || text === undefined)
      return toInvalidResult([
        ...unknown,
        toValueProblem(
          "result",
          number,
          "必须是对话里写明的、仍然保留的结果编号",
          "must be a result number given in the conversation, of a result that is still kept",
        ),
      ]);
    if (unknown.length > 0) return toInvalidResult(unknown);
    if (typeof from === "number" && Number.isInteger(from) && from >= 0 && from < text.length)
      return toResult(text, number, from);
    const last = text.length - 1;
    return toInvalidResult([
      toValueProblem("from", from, `必须是 0 到 ${last} 的整数`, `must be a whole number from 0 to ${last}`),
    ]);
  }

  /** A piece is cited under the number of its page or file, which the beginning of the result names itself. */
  function toResult(text: string, number: number, from: number): ToolResult {
    const source = from > 0 ? findSource(number) : undefined;
    if (source === undefined) return { ok: true, text: toPiece(text, longest, { number, from }) };
    const room = Math.max(Math.ceil(longest / 2), longest - renderPage({ n: mostSources, source }, "").length);
    return { ok: true, text: toPiece(text, room, { number, from }), kind: "page", sources: [source] };
  }

  function toPiece(text: string, room: number, { number, from }: Pick<ResultPosition, "number" | "from">): string {
    const rest = text.slice(from);
    const piece = takePiece(rest, room);
    if (piece === rest) return rest.toWellFormed();
    const next = from + piece.length;
    return `${piece.toWellFormed()}\n${renderPointer(text.length - next, { name, number, from: next, language })}`;
  }

  function toInvalidResult(problems: readonly ArgumentProblem[]): ToolResult {
    return toInvalidArgumentsResult(language, problems);
  }
}

/** Reserves this many characters for the call that reads the rest. */
const pointerLength = 120;

/** Reserves room for the number of a source with as many digits. */
const mostSources = 9999;
