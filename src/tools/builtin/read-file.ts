import type { FileHandle } from "node:fs/promises";
import type { Tool, ToolContext, ToolResult } from "../../core/tools/tool.ts";
import type { JsonObject } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { formatCount, formatSize } from "../../kit/text/format-count.ts";
import { sanitize, sanitizeLine } from "../../kit/text/sanitize.ts";
import { createBuiltinTool, createFileResult } from "../create-tool.ts";
import { resolveRoots, toDisplayedPath, toFileSource, toNotTextResult } from "../files/allowed-path.ts";
import type { FileAccess } from "../files/file-guard.ts";
import { toMissingFileResult } from "../files/missing-file.ts";
import { countLines, type LineLimits, readLines } from "../files/read-lines.ts";
import { openFound } from "../files/walk-files.ts";

/** Limits one piece, in characters. */
const longest = 20_000;

/** Limits what is given of a file that is longer than a piece, unless a number of lines is asked for. */
const firstPart = { characters: 6000, lines: 80 };
/** Is how many lines at the end of such a file are pointed out. */
const lastLines = 60;

const defaultLimits: LineLimits = { totalBytes: 200_000_000, milliseconds: 8000, lineLength: longest };

export function createReadFile({ roots, guard }: FileAccess, locale: Locale, limits: Partial<LineLimits> = {}): Tool {
  const describe = (zh: string, en: string) => ({ description: say(locale, { zh, en }) });
  return createBuiltinTool({
    name: "read_file",
    ...describe("读取允许目录下的文本文件", "Reads a text file under the allowed directories."),
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, ...describe("文件路径", "Path of the file") },
        start_line: { type: "integer", minimum: 1, default: 1, ...describe("起始行", "First line to read") },
        lines: {
          type: "integer",
          minimum: 1,
          ...describe(
            "行数（默认尽量多；很长的文件先给开头）",
            "Number of lines (default: as many as fit; of a long file, its beginning)",
          ),
        },
        from: {
          type: "integer",
          minimum: 0,
          default: 0,
          ...describe(
            "从 start_line 这一行的第几个字符开始（从 0 计），只读这一行（不看 lines）",
            "Character of the line `start_line` to start at, from 0; only that line is read (`lines` is ignored)",
          ),
        },
      },
      required: ["path"],
      additionalProperties: false,
    },
    run: (args, context) => read(args, context, { roots, guard, limits: { ...defaultLimits, ...limits } }),
  });
}

interface ReadOptions extends FileAccess {
  limits: LineLimits;
}

async function read(
  args: JsonObject,
  context: ToolContext,
  { roots, guard, limits }: ReadOptions,
): Promise<ToolResult> {
  const { locale, signal } = context;
  const real = await resolveRoots(roots);
  const path = String(args.path);
  const file = await openFound(path, real, guard);
  if (file === undefined) return await toMissingFileResult(path, real, locale, guard);
  const first = typeof args.start_line === "number" ? args.start_line : 1;
  const from = typeof args.from === "number" ? args.from : 0;
  const asked = typeof args.lines === "number" ? args.lines : Number.POSITIVE_INFINITY;
  const count = from > 0 ? 1 : asked;
  try {
    const whole = await readPiece(file.handle, { first, count }, { ...limits, skipped: from }, signal);
    const piece = first === 1 && count === Number.POSITIVE_INFINITY && whole.more ? takeFirstPart(whole) : whole;
    const name = sanitizeLine(toDisplayedPath(file.path, real));
    if (piece.binary) return toNotTextResult(name, locale);
    return createFileResult(toReadText(name, { first, from }, piece, locale), toFileSource(file.path, real));
  } finally {
    await file.handle.close();
  }
}

interface Piece {
  binary: boolean;
  lines: string[];
  /** Counts the lines read, including those before the piece. */
  seen: number;
  /** Counts the characters in the file that the shown part of a line longer than a piece stands for; undefined where none is cut. */
  cut: number | undefined;
  more: boolean;
  /** Counts the lines of the whole file, or those that could be counted within the limits where `isCounted` is false. */
  total: number;
  isCounted: boolean;
  /** Is the size of the file in bytes. */
  bytes: number;
  /** Is true when a limit on size or time was reached. */
  partial: boolean;
}

async function readPiece(
  handle: FileHandle,
  { first, count }: { first: number; count: number },
  limits: LineLimits,
  signal: AbortSignal,
): Promise<Piece> {
  const { size: bytes } = await handle.stat();
  const counts = { total: 0, isCounted: false, bytes };
  const piece: Piece = { binary: false, lines: [], seen: 0, cut: undefined, more: false, partial: false, ...counts };
  let left = longest;
  const reading = await readLines(handle, limits, signal, (line, isCut) => {
    const shown = piece.seen + 1 < first ? "" : sanitize(line);
    if (piece.lines.length >= count || (piece.lines.length > 0 && shown.length + 1 > left)) {
      piece.more = true;
      return "stop";
    }
    piece.seen++;
    if (piece.seen < first) return undefined;
    const kept = shown.length > longest ? takeSanitized(line, longest) : { text: shown, length: line.length };
    if (isCut || kept.length < line.length) piece.cut = kept.length;
    piece.lines.push(kept.text);
    left -= kept.text.length + 1;
    return undefined;
  });
  const { more, seen } = piece;
  const counted = more ? await countLines(handle, limits, signal) : { lines: seen, partial: reading.partial };
  return {
    ...piece,
    total: Math.max(counted.lines, more ? seen + 1 : seen),
    isCounted: !counted.partial,
    binary: reading.binary,
    partial: reading.partial,
  };
}

/** Returns the beginning of a line as it is shown, in at most `most` characters, with the length of what it stands for. */
function takeSanitized(line: string, most: number): { text: string; length: number } {
  const shown: string[] = [];
  let [length, left] = [0, most];
  for (const character of line) {
    const each = sanitize(character);
    left -= each.length;
    if (left < 0) break;
    shown.push(each);
    length += character.length;
  }
  return { text: shown.join(""), length };
}

/** Keeps the beginning of a piece, so that a long file is looked at before much of it is read. */
function takeFirstPart(piece: Piece): Piece {
  let left = firstPart.characters;
  const fitting = piece.lines.slice(0, firstPart.lines).findIndex((line) => {
    left -= line.length + 1;
    return left < 0;
  });
  const lines = piece.lines.slice(0, fitting < 0 ? firstPart.lines : Math.max(1, fitting));
  return { ...piece, lines, seen: lines.length };
}

function toReadText(
  name: string,
  { first, from }: { first: number; from: number },
  { lines, seen, cut, more, partial, total, isCounted, bytes }: Piece,
  locale: Locale,
): string {
  const last = first + lines.length - 1;
  const end = isCounted && first === 1 && total - last > lastLines ? total - lastLines + 1 : undefined;
  const notes = [
    ...(from > 0 && lines.length > 0
      ? [say(locale, { zh: `从这一行的第 ${from} 个字符开始`, en: `From character ${from} of the line.` })]
      : []),
    ...(cut === undefined ? [] : [say(locale, describeCut(first, from + cut))]),
    ...(partial
      ? [say(locale, { zh: "未读完：达到大小或时间上限", en: "Partial: a limit on size or time was reached." })]
      : []),
    ...(more
      ? [
          say(locale, {
            zh: `后面还有：用 start_line ${last + 1} 接着读${end === undefined ? "" : `，最后 ${lastLines} 行从 start_line ${end} 开始`}；file_search 可在整个文件中查找文字`,
            en: `More lines follow: use start_line ${last + 1}${end === undefined ? "" : `; the last ${lastLines} begin at start_line ${end}`}. file_search finds text in the whole file.`,
          }),
        ]
      : []),
  ];
  if (from > 0 && !partial && seen >= first && !lines[0]) {
    const zh = `${name} 的第 ${first} 行没有第 ${from} 个字符`;
    return say(locale, { zh, en: `${name} has no character ${from} in line ${first}.` });
  }
  if (lines.length === 0) {
    const zh = `${name} 只有 ${seen} 行`;
    return [say(locale, { zh, en: `${name} has ${formatCount(seen, "line")}.` }), ...notes].join("\n");
  }
  const count = total.toLocaleString("en");
  const whole = isCounted
    ? { zh: `共 ${count} 行`, en: `of ${count}` }
    : { zh: `超过 ${count} 行`, en: `of more than ${count}` };
  const size = more || cut !== undefined ? formatSize(bytes) : undefined;
  const of =
    partial && !more
      ? ""
      : say(locale, {
          zh: `（${whole.zh}${size === undefined ? "" : `，${size}`}）`,
          en: ` ${whole.en}${size === undefined ? "" : ` (${size})`}`,
        });
  const head = say(locale, { zh: `${name} 第 ${first}-${last} 行${of}`, en: `${name}, lines ${first}-${last}${of}` });
  return [[head, ...notes].join("\n"), lines.join("\n")].join("\n\n");
}

function describeCut(line: number, from: number): Text {
  return {
    zh: `第 ${line} 行过长，已截断：用 start_line ${line} 和 from ${from} 接着读；JSON、CSV 等数据可以用 table_query 查询整个文件`,
    en: `Line ${line} is too long and was cut: it goes on with start_line ${line} and from ${from}. table_query reads data such as JSON or CSV whole.`,
  };
}
