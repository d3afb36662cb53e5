import { createFailure, type Tool, type ToolContext, type ToolResult } from "../../../core/tools/tool.ts";
import { DuetError } from "../../../kit/errors.ts";
import { isRecord, type JsonObject, type JsonSchema, type JsonValue } from "../../../kit/json.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { createBuiltinTool, createFileResult, createSuccess } from "../../create-tool.ts";
import type { FileAccess } from "../../files/file-guard.ts";
import { checkDataArguments, createDataProperties, readDataFile } from "../../files/read-data-file.ts";
import { createHeavyWork, type HeavyWork } from "../../workers/heavy-work.ts";
import { type Aggregate, operations } from "./aggregate.ts";
import { type Condition, comparisons } from "./filter-rows.ts";

/** Limits the bytes of a file. A part of a table would give wrong totals, so a larger one is refused. */
const defaultFileBytes = 20_000_000;

const defaultLimit = 50;

/** Creates the tool for questions about a table. Share one `work` between tools. */
export function createTableQuery(
  { roots, guard }: FileAccess,
  locale: Locale,
  work: HeavyWork = createHeavyWork(),
  fileBytes = defaultFileBytes,
): Tool {
  return createBuiltinTool({
    name: "table_query",
    description: say(locale, {
      zh: "一次调用即可筛选、分组、汇总、排序 CSV、TSV 或 JSON 的行（求和精确），结果为 Markdown 表格。不带 group_by 和 aggregate 时列出各行",
      en: "Filters, groups, sums and sorts the rows of a CSV, TSV or JSON file in one call, with exact sums, as a Markdown table. Without group_by and aggregate it lists the rows.",
    }),
    inputSchema: createSchema(locale),
    run: (args, context) => runQuery(args, context, { roots, guard, work, fileBytes }),
  });
}

function createSchema(locale: Locale): JsonSchema {
  const describe = (zh: string, en: string) => ({ description: say(locale, { zh, en }) });
  const name = { type: "string" };
  const scalars = [{ type: "string" }, { type: "number" }, { type: "boolean" }];
  const condition = {
    type: "object",
    properties: {
      column: name,
      op: { type: "string", enum: [...comparisons] },
      value: {
        anyOf: [...scalars, { type: "array", items: { anyOf: scalars }, maxItems: 1000 }],
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
      column: { ...name, ...describe("count、share 可省略，即计行数", "Without it, count and share count rows") },
      op: { type: "string", enum: [...operations] },
    },
    required: ["op"],
    additionalProperties: false,
  };
  const list = (items: JsonSchema, most: number) => ({ type: "array", items, maxItems: most });
  return {
    type: "object",
    properties: {
      ...createDataProperties(locale),
      where: {
        ...list(condition, 20),
        ...describe(
          '行须满足全部条件，如 [{"column": "year(date)", "op": "=", "value": 2026}]',
          'All must hold, such as [{"column": "year(date)", "op": "=", "value": 2026}]',
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
          '要计算的值，如 [{"column": "amount", "op": "sum"}]；distinct 计不同值的个数，share 为占总和的百分比',
          'What to compute, such as [{"column": "amount", "op": "sum"}]; distinct counts different values, share is the percent of the total',
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
        ...describe("最多显示的行数；汇总总是针对全部行", "Maximum of lines shown; totals are of all rows"),
      },
    },
    additionalProperties: false,
  };
}

interface QueryOptions extends FileAccess {
  work: HeavyWork;
  fileBytes: number;
}

async function runQuery(args: JsonObject, context: ToolContext, options: QueryOptions): Promise<ToolResult> {
  const { locale, signal } = context;
  const refused = checkDataArguments(args, locale);
  if (refused) return refused;
  const opened =
    typeof args.path === "string"
      ? await readDataFile(args.path, locale, options)
      : { name: "", bytes: undefined, ending: "", source: undefined };
  if ("ok" in opened) return opened;
  try {
    const content = opened.bytes ?? String(args.data);
    const request = { content, ending: opened.ending, ...readRequest(args), locale };
    const { counts, table, notes } = await options.work.run("query", request, signal);
    const name = opened.name === "" ? "" : `${opened.name}${say(locale, { zh: "：", en: ": " })}`;
    const text = [`${name}${counts}`, table, notes.join("\n")].filter((part) => part !== "").join("\n\n");
    return opened.source ? createFileResult(text, opened.source) : createSuccess(text);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof DuetError) return createFailure(thrown.code, say(locale, thrown.text));
    throw thrown;
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
