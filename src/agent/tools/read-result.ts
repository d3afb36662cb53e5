import { toInvalidArgumentsResult, toValueProblem } from "../../core/tools/argument-feedback.ts";
import type { Tool, ToolResult } from "../../core/tools/tool.ts";
import type { JsonObject } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { takeStart } from "../../kit/text/truncate.ts";
import { trimToBoundary } from "../../kit/text/truncate-middle.ts";

/** A place in a result, and the tool that reads from there on. */
export interface ResultPosition {
  name: string;
  number: number;
  /** The first character to read, from 0 on. */
  from: number;
  language: Locale;
}

export interface ReadResultOptions {
  name: string;
  language: Locale;
  /** Characters of one answer. */
  longest: number;
  whole(number: number): string | undefined;
}

/** Says what is missing and how to read it; the line that stands in a result where it was cut. */
export function renderPointer(missing: number, { name, number, from, language }: ResultPosition): string {
  const count = missing.toLocaleString("en");
  const call = `${name} {"result": ${number}, "from": ${from}}`;
  return say(language, {
    zh: `…[省略 ${count} 个字符；用 ${call} 继续读取]…`,
    en: `…[${count} characters left out; ${call} reads on]…`,
  });
}

/** The tool that reads the rest of a result that was cut, a piece at a time. */
export function createReadResult({ name, language, longest, whole }: ReadResultOptions): Tool {
  return {
    name,
    description: say(language, {
      zh: "读取被截断的工具结果的其余部分。结果编号和起始位置写在截断处。",
      en: "Reads the rest of a tool result that was cut. The number of the result and where to begin stand where it was cut.",
    }),
    inputSchema: {
      type: "object",
      properties: {
        result: {
          type: "integer",
          minimum: 1,
          description: say(language, { zh: "结果编号", en: "The number of the result" }),
        },
        from: {
          type: "integer",
          minimum: 0,
          default: 0,
          description: say(language, { zh: "从第几个字符开始（从 0 计）", en: "The character to begin at, from 0 on" }),
        },
      },
      required: ["result"],
      additionalProperties: false,
    },
    source: "builtin",
    annotations: { readOnly: true, idempotent: true },
    run: async (args) => read(args),
  };

  function read({ result: number, from = 0, ...others }: JsonObject): ToolResult {
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) return invalid(unknown, others[unknown], { zh: "没有这个参数", en: "no such argument" });
    const text = typeof number === "number" ? whole(number) : undefined;
    if (typeof number !== "number" || text === undefined)
      return invalid("result", number, {
        zh: "必须是截断处写的结果编号",
        en: "must be a number given where a result was cut",
      });
    if (typeof from !== "number" || !Number.isInteger(from) || from < 0 || from >= text.length) {
      const last = text.length - 1;
      return invalid("from", from, {
        zh: `必须是 0 到 ${last} 的整数`,
        en: `must be a whole number from 0 to ${last}`,
      });
    }
    return { ok: true, text: pieceOf(text, number, from) };
  }

  function pieceOf(text: string, number: number, from: number): string {
    const rest = text.slice(from);
    if (rest.length <= longest) return rest.toWellFormed();
    const piece = trimToBoundary(takeStart(rest, longest - pointerLength));
    const next = from + piece.length;
    return `${piece.toWellFormed()}\n${renderPointer(text.length - next, { name, number, from: next, language })}`;
  }

  function invalid(argument: string, value: unknown, { zh, en }: Text): ToolResult {
    return toInvalidArgumentsResult(language, [toValueProblem(argument, value, zh, en)]);
  }
}

/** Characters kept free for it. */
const pointerLength = 120;
