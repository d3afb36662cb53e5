import { extname } from "node:path";
import { toInvalidArgumentsResult } from "../../../core/tools/argument-feedback.ts";
import { createFailure, type Tool, type ToolContext, type ToolResult } from "../../../core/tools/tool.ts";
import { DuetError } from "../../../kit/errors.ts";
import { isRecord, type JsonObject, type JsonSchema, type JsonValue } from "../../../kit/json.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { createBuiltinTool, createSuccess } from "../../create-tool.ts";
import { resolveRoots, toDisplayedPath, toNotTextResult, toPathRefusedResult } from "../../files/allowed-path.ts";
import type { FileGuard } from "../../files/file-guard.ts";
import { createDecoder, readStart } from "../../files/read-lines.ts";
import { openFound } from "../../files/walk-files.ts";
import { createHeavyWork, type HeavyWork } from "../../workers/heavy-work.ts";
import { type Aggregate, operations } from "./aggregate.ts";
import { type Condition, comparisons } from "./filter-rows.ts";
import type { TableSource } from "./read-rows.ts";

/** Limits the bytes of a file. A part of a table would give wrong totals, so a larger one is refused. */
const defaultFileBytes = 20_000_000;

const defaultLimit = 50;

/** Creates the tool for questions about a table. Share one `work` between tools. */
export function createTableQuery(
  roots: readonly string[],
  locale: Locale,
  work: HeavyWork = createHeavyWork(),
  fileBytes = defaultFileBytes,
  guard?: FileGuard,
): Tool {
  return createBuiltinTool({
    name: "table_query",
    description: say(locale, {
      zh: "一次调用即可筛选、分组、汇总、排序 CSV、TSV 或 JSON 的行（求和精确）。不带 group_by 和 aggregate 时列出各行",
      en: "Filters, groups, sums and sorts the rows of a CSV, TSV or JSON file in one call, with exact sums. Without group_by and aggregate it lists rows.",
    }),
    inputSchema: createSchema(locale),
    run: (args, context) => runQuery(args, context, { roots, guard, work, fileBytes }),
  });
}

function createSchema(locale: Locale): JsonSchema {
  const describe = (zh: string, en: string) => ({ description: say(locale, { zh, en }) });
  const name = { type: "string", minLength: 1, maxLength: 500 };
  const scalars = [{ type: "string" }, { type: "number" }, { type: "boolean" }];
  const condition = {
    type: "object",
    properties: {
      column: name,
      op: { type: "string", enum: [...comparisons] },
      value: {
        anyOf: [...scalars, { type: "array", items: { anyOf: scalars }, minItems: 1, maxItems: 1000 }],
        ...describe(
          "比较的值；in 和 not in 用列表；empty 不需要",
          "To compare with; a list for in and not in; none for empty",
        ),
      },
    },
    required: ["column", "op"],
    additionalProperties: false,
  };
  const aggregate = {
    type: "object",
    properties: {
      column: { ...name, ...describe("count 可省略，即计行数", "May be left out for count, which then counts rows") },
      op: { type: "string", enum: [...operations] },
    },
    required: ["op"],
    additionalProperties: false,
  };
  const list = (items: JsonSchema, most: number) => ({ type: "array", items, minItems: 1, maxItems: most });
  return {
    type: "object",
    properties: {
      path: { ...name, ...describe("文件路径（path 和 data 给一个）", "Path of the file (give path or data)") },
      data: { type: "string", minLength: 1, maxLength: 1_000_000, ...describe("数据原文", "The data as text") },
      where: {
        ...list(condition, 20),
        ...describe(
          '行须满足全部条件，如 [{"column": "year(date)", "op": "=", "value": 2026}]',
          'Rows must meet all conditions, such as [{"column": "year(date)", "op": "=", "value": 2026}]',
        ),
      },
      group_by: {
        ...list(name, 10),
        ...describe(
          '列名，或日期的部分：year、quarter、month、week、day、weekday、hour，如 ["region", "month(date)"]',
          'Columns, or parts of dates: year, quarter, month, week, day, weekday, hour; such as ["region", "month(date)"]',
        ),
      },
      aggregate: {
        ...list(aggregate, 20),
        ...describe(
          '要计算的值，如 [{"column": "amount", "op": "sum"}]；distinct 计不同值的个数',
          'What to compute, such as [{"column": "amount", "op": "sum"}]; distinct counts different values',
        ),
      },
      columns: {
        ...list(name, 200),
        ...describe("列出各行时只显示这些列", "When rows are listed: only these columns"),
      },
      sort: {
        ...list(name, 10),
        ...describe('如 ["sum(amount) desc", "region"]', 'Such as ["sum(amount) desc", "region"]'),
      },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: 500,
        default: defaultLimit,
        ...describe(
          "最多显示的行数；汇总总是针对全部行",
          "Maximum number of lines to show; totals are always of all rows",
        ),
      },
    },
    additionalProperties: false,
  };
}

interface Surroundings {
  roots: readonly string[];
  guard: FileGuard | undefined;
  work: HeavyWork;
  fileBytes: number;
}

async function runQuery(args: JsonObject, context: ToolContext, surroundings: Surroundings): Promise<ToolResult> {
  const { locale, signal } = context;
  if ((args.path === undefined) === (args.data === undefined)) {
    const text = { zh: "path 和 data 必须给且只给一个", en: "give either path or data" };
    return toInvalidArgumentsResult(locale, [{ path: "", text }]);
  }
  const opened =
    typeof args.path === "string"
      ? await readTableFile(args.path, locale, surroundings)
      : { name: "", source: { content: String(args.data), ending: "" } };
  if ("ok" in opened) return opened;
  try {
    const request = { ...opened.source, ...readRequest(args), locale };
    const { counts, table, notes } = await surroundings.work.run("query", request, signal);
    const name = opened.name === "" ? "" : `${opened.name}${say(locale, { zh: "：", en: ": " })}`;
    return createSuccess([`${name}${counts}`, table, notes.join("\n")].filter((part) => part !== "").join("\n\n"));
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof DuetError) return createFailure(thrown.code, say(locale, thrown.text));
    throw thrown;
  }
}

async function readTableFile(
  path: string,
  locale: Locale,
  { roots, guard, fileBytes }: Surroundings,
): Promise<{ name: string; source: TableSource } | ToolResult> {
  const real = await resolveRoots(roots);
  const file = await openFound(path, real, guard);
  if (file === undefined) return toPathRefusedResult(path, locale);
  try {
    const name = sanitizeLine(toDisplayedPath(file.path, real));
    const { bytes, missing } = await readStart(file.handle, fileBytes);
    if (missing > 0) {
      const [size, most] = [bytes.length + missing, fileBytes].map((each) => (each / 1e6).toFixed(1));
      const zh = `${name} 有 ${size} MB，最多 ${most} MB`;
      return createFailure("tool", say(locale, { zh, en: `${name} has ${size} MB; at most ${most} MB are allowed.` }));
    }
    if (createDecoder(bytes) === undefined) return toNotTextResult(name, locale);
    return { name, source: { content: bytes, ending: extname(file.path).slice(1).toLowerCase() } };
  } finally {
    await file.handle.close();
  }
}

function readRequest({ where, group_by, aggregate, columns, sort, limit }: JsonObject) {
  const list = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);
  const listObjects = (value: JsonValue | undefined) => list(value).flatMap((each) => (isRecord(each) ? [each] : []));
  return {
    where: listObjects(where).map(readCondition),
    groupBy: list(group_by).map(String),
    aggregate: listObjects(aggregate).map(readAggregate),
    columns: list(columns).map(String),
    sort: list(sort).map(String),
    limit: typeof limit === "number" ? limit : defaultLimit,
  };
}

function readCondition({ column, op, value }: JsonObject): Condition {
  const list = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return { column: String(column), op: comparisons.find((known) => known === op) ?? "=", values: list.map(String) };
}

function readAggregate({ column, op }: JsonObject): Aggregate {
  return {
    column: column === undefined ? undefined : String(column),
    op: operations.find((known) => known === op) ?? "count",
  };
}
