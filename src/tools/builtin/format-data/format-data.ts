import { createFailure, type Tool, type ToolContext, type ToolResult } from "../../../core/tools/tool.ts";
import { DuetError } from "../../../kit/errors.ts";
import type { JsonObject } from "../../../kit/json.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { createBuiltinTool, createFileResult, createSuccess } from "../../create-tool.ts";
import type { FileAccess } from "../../files/file-guard.ts";
import { checkDataArguments, createDataProperties, readDataFile } from "../../files/read-data-file.ts";
import { createDecoder } from "../../files/read-lines.ts";
import { createHeavyWork, type HeavyWork } from "../../workers/heavy-work.ts";
import { dataFormats } from "./content.ts";
import type { ConvertedText } from "./convert.ts";

/**
 * Converts between JSON, YAML, CSV, TSV and Markdown tables, in all directions. Converting to the same format tidies the data.
 * Share one `work` between tools.
 */
export function createFormatData(
  { roots, guard }: FileAccess,
  locale: Locale,
  work: HeavyWork = createHeavyWork(),
): Tool {
  const describe = (zh: string, en: string) => ({ description: say(locale, { zh, en }) });
  return createBuiltinTool({
    name: "format_data",
    ...describe(
      "在 JSON、YAML、CSV、TSV 和 Markdown 表格之间转换数据，或整理格式",
      "Converts data between JSON, YAML, CSV, TSV and Markdown tables, or tidies it.",
    ),
    inputSchema: {
      type: "object",
      properties: {
        ...createDataProperties(locale),
        to: { type: "string", enum: [...dataFormats], ...describe("目标格式", "The target format") },
        from: {
          type: "string",
          enum: ["auto", ...dataFormats],
          default: "auto",
          ...describe("原格式（默认自动识别）", "Its format (default: recognised)"),
        },
        columns: {
          type: "array",
          items: { type: "string" },
          minItems: 1,
          maxItems: 200,
          ...describe("只保留这些列，按此顺序", "Only these columns, in this order"),
        },
        indent: {
          type: "integer",
          minimum: 0,
          maximum: 8,
          default: 2,
          ...describe("JSON、YAML 的缩进", "Spaces of indentation per level of JSON or YAML"),
        },
      },
      required: ["to"],
      additionalProperties: false,
    },
    run: (args, context) => format(args, context, { roots, guard, work }),
  });
}

/** Limits the bytes of a file. */
const fileBytes = 2_000_000;

async function format(
  args: JsonObject,
  { locale, signal }: ToolContext,
  { roots, guard, work }: FileAccess & { work: HeavyWork },
): Promise<ToolResult> {
  const refused = checkDataArguments(args, locale);
  if (refused) return refused;
  const file =
    typeof args.path === "string" ? await readDataFile(args.path, locale, { roots, guard, fileBytes }) : undefined;
  if (file !== undefined && "ok" in file) return file;
  const findFormat = (name: unknown) => dataFormats.find((known) => known === name);
  const { columns, indent } = args;
  const to = findFormat(args.to) ?? "json";
  try {
    const conversion = {
      data: file === undefined ? String(args.data) : (createDecoder(file.bytes)?.decode(file.bytes) ?? ""),
      ending: file?.ending ?? "",
      from: findFormat(args.from),
      to,
      indent: typeof indent === "number" ? indent : undefined,
      columns: Array.isArray(columns) ? columns.map(String) : undefined,
    };
    const converted = await work.run("convert", conversion, signal);
    const name = file === undefined ? "" : `${file.name}${say(locale, { zh: "：", en: ": " })}`;
    const lines = [
      `${name}${toHeading(converted, to, locale)}`,
      ...converted.notes.slice(0, 10).map((note) => say(locale, note)),
    ];
    const text = `${lines.join("\n")}\n\n${converted.text}`;
    return file === undefined ? createSuccess(text) : createFileResult(text, file.source);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof DuetError) return createFailure(thrown.code, say(locale, thrown.text));
    throw thrown;
  }
}

function toHeading({ from, size }: ConvertedText, to: string, locale: Locale): string {
  const table = size && {
    zh: `（${size.rows} 行，${size.columns} 列）`,
    en: ` (rows: ${size.rows}, columns: ${size.columns})`,
  };
  return say(locale, { zh: `${from} → ${to}${table?.zh ?? ""}`, en: `${from} → ${to}${table?.en ?? ""}` });
}
