import type { FileHandle } from "node:fs/promises";
import type { Tool, ToolContext, ToolResult } from "../../core/tools/tool.ts";
import type { JsonObject } from "../../kit/json.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { formatCount } from "../../kit/text/format-count.ts";
import { sanitize, sanitizeLine } from "../../kit/text/sanitize.ts";
import { takeStart } from "../../kit/text/truncate.ts";
import { createBuiltinTool, createSuccess } from "../create-tool.ts";
import { resolveRoots, toDisplayedPath, toNotTextResult, toPathRefusedResult } from "../files/allowed-path.ts";
import { type LineLimits, readLines } from "../files/read-lines.ts";
import { openFound } from "../files/walk-files.ts";

/** Limits one piece, in characters. */
const longest = 20_000;
const defaultLimits: LineLimits = { totalBytes: 200_000_000, milliseconds: 8000, lineLength: longest };

export function createReadFile(roots: readonly string[], locale: Locale, limits: Partial<LineLimits> = {}): Tool {
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
          ...describe("行数（默认尽量多）", "Number of lines (default: as many as fit)"),
        },
      },
      required: ["path"],
      additionalProperties: false,
    },
    run: (args, context) => read(args, context, roots, { ...defaultLimits, ...limits }),
  });
}

async function read(
  args: JsonObject,
  context: ToolContext,
  roots: readonly string[],
  limits: LineLimits,
): Promise<ToolResult> {
  const { locale, signal } = context;
  const real = await resolveRoots(roots);
  const path = String(args.path);
  const file = await openFound(path, real);
  if (file === undefined) return toPathRefusedResult(path, locale);
  const first = typeof args.start_line === "number" ? args.start_line : 1;
  const count = typeof args.lines === "number" ? args.lines : Number.POSITIVE_INFINITY;
  try {
    const piece = await readPiece(file.handle, { first, count }, limits, signal);
    const name = sanitizeLine(toDisplayedPath(file.path, real));
    return piece.binary ? toNotTextResult(name, locale) : toReadResult(name, first, piece, locale);
  } finally {
    await file.handle.close();
  }
}

interface Piece {
  binary: boolean;
  lines: string[];
  /** Counts the lines read, including those before the piece. */
  seen: number;
  /** Is true when a line was longer than a piece and its end is missing. */
  cut: boolean;
  more: boolean;
  /** Is true when a limit on size or time was reached. */
  partial: boolean;
}

async function readPiece(
  handle: FileHandle,
  { first, count }: { first: number; count: number },
  limits: LineLimits,
  signal: AbortSignal,
): Promise<Piece> {
  const piece: Piece = { binary: false, lines: [], seen: 0, cut: false, more: false, partial: false };
  let left = longest;
  const reading = await readLines(handle, limits, signal, (line, isCut) => {
    const shown = piece.seen + 1 < first ? "" : sanitize(line);
    if (piece.lines.length >= count || (piece.lines.length > 0 && shown.length + 1 > left)) {
      piece.more = true;
      return "stop";
    }
    piece.seen++;
    if (piece.seen < first) return undefined;
    piece.cut ||= isCut || shown.length > longest;
    piece.lines.push(takeStart(shown, longest));
    left -= shown.length + 1;
    return undefined;
  });
  return { ...piece, binary: reading.binary, partial: reading.partial };
}

function toReadResult(
  name: string,
  first: number,
  { lines, seen, cut, more, partial }: Piece,
  locale: Locale,
): ToolResult {
  const last = first + lines.length - 1;
  const notes = [
    ...(cut ? [say(locale, { zh: "有一行过长，已截断", en: "A line is too long and was cut." })] : []),
    ...(partial
      ? [say(locale, { zh: "未读完：达到大小或时间上限", en: "Partial: a limit on size or time was reached." })]
      : []),
    ...(more
      ? [
          say(locale, {
            zh: `后面还有，请用 start_line ${last + 1}`,
            en: `More lines follow: use start_line ${last + 1}.`,
          }),
        ]
      : []),
  ];
  if (lines.length === 0) {
    const zh = `${name} 只有 ${seen} 行`;
    return createSuccess([say(locale, { zh, en: `${name} has ${formatCount(seen, "line")}.` }), ...notes].join("\n"));
  }
  const of = more || partial ? "" : say(locale, { zh: `（共 ${last} 行）`, en: ` of ${last}` });
  const head = say(locale, { zh: `${name} 第 ${first}-${last} 行${of}`, en: `${name}, lines ${first}-${last}${of}` });
  return createSuccess([[head, ...notes].join("\n"), lines.join("\n")].join("\n\n"));
}
