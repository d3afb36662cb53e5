import { renderPage } from "../../core/sources.ts";
import { toInvalidArgumentsResult, toUnknownFieldLine, toValueProblem } from "../../core/tools/argument-feedback.ts";
import type { ArgumentProblem, Source, Tool, ToolResult } from "../../core/tools/tool.ts";
import type { JsonObject } from "../../kit/json.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { takeStart, trimToBoundary } from "../../kit/text/truncate.ts";
import { type ResultPosition, renderPointer } from "./gap-lines.ts";

interface ReadResultOptions {
  name: string;
  language: Locale;
  /** Limits one answer of the tool, in characters. */
  longest: number;
  findWhole(number: number): Promise<string | undefined>;
  /** Finds the page or file that stands in no other message of the request, so that a piece of it has to name it. */
  findSource(number: number): Source | undefined;
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

/** A text this much longer than allowed is left whole: to read the rest would cost a turn. A small window leaves no room for it. */
const mostOver = 2000;

/** Returns how many more characters than `most` a text may have that is left whole. */
export function getMargin(most: number): number {
  return most < 5 * mostOver ? 0 : mostOver;
}

/** Reserves this many characters for the call that reads the rest. */
const pointerLength = 120;

/** Returns the part that the reading tool gives of the rest of a result. */
export function takePiece(rest: string, longest: number): string {
  if (rest.length <= longest + getMargin(longest)) return rest;
  return trimToBoundary(takeStart(rest, longest - pointerLength));
}

/** Reserves room for the number of a source with as many digits. */
const mostSources = 9999;
