import type { Text } from "../../kit/locale.ts";
import { formatCount } from "../../kit/text/format-count.ts";
import { type LimitRow, type LimitStop, toRunUnit } from "./limit-row.ts";

function defineLimit<const Row extends LimitRow>(row: Row): Row & LimitRow {
  return row;
}

const mostTokens = 1_000_000_000;

/** Lists the limits in the order in which they are shown. */
export const limitRows = [
  defineLimit({
    key: "maxIterations",
    field: "maxIterations",
    scope: "run",
    range: { least: 1, most: 10 },
    ceiling: 1000,
    embedded: { least: 1, most: 1000 },
    default: 5,
    environment: "AGENT_MAX_ITERATIONS",
    flag: "max-iterations",
    set: "max_iterations",
    ask: "max_iterations",
    help: { zh: "决定和调用工具的轮数。", en: "Rounds of deciding and calling tools." },
    title: { zh: "最大迭代次数", en: "Maximum iterations" },
    stop: {
      reason: "iteration-limit",
      stopReason: "iteration_limit",
      explain: (limit) => ({
        zh: `已达到最大迭代次数（${limit} 次）`,
        en: `the limit of ${formatCount(limit, "iteration")} is reached`,
      }),
      partial: { zh: "已达到最大迭代次数", en: "the limit of iterations was reached" },
    },
  }),
  defineLimit({
    key: "maxToolCalls",
    field: "maxToolCalls",
    scope: "run",
    range: { least: 1, most: 50 },
    ceiling: 10_000,
    embedded: { least: 0, most: 10_000 },
    default: 5,
    environment: "AGENT_MAX_TOOL_CALLS",
    flag: "max-tool-calls",
    set: "max_tool_calls",
    ask: "max_tool_calls",
    help: { zh: "一次运行的工具调用总数。", en: "Tool calls of one run." },
    title: { zh: "最大工具调用次数", en: "Maximum tool calls" },
    stop: {
      reason: "tool-call-limit",
      stopReason: "tool_call_limit",
      explain: (limit) => ({
        zh: `已达到最大工具调用次数（${limit} 次）`,
        en: `the limit of ${formatCount(limit, "tool call")} is reached`,
      }),
      partial: { zh: "已达到最大工具调用次数", en: "the limit of tool calls was reached" },
    },
  }),
  defineLimit({
    key: "maxTokens",
    field: "maxTokens",
    scope: "turn",
    range: { least: 1 },
    embedded: { least: 1, most: mostTokens },
    default: 2000,
    flag: "max-tokens",
    // The setting is the default of every model; the flag limits the answer whatever its model says.
    flagPath: ["answerMaxTokens"],
    ask: "max_tokens",
    help: { zh: "回答的输出 token 数。", en: "Output tokens of the answer." },
    fileHelp: "Output limit of models that name none, in tokens.",
    title: { zh: "最大输出 token 数", en: "Maximum output tokens" },
  }),
  defineLimit({
    key: "maxExecutionTime",
    field: "maxExecutionTimeMs",
    factor: 1000,
    unit: "seconds",
    scope: "run",
    range: { least: 10, most: 300 },
    ceiling: 86_400,
    // Timers accept no longer times.
    embedded: { least: 1, most: 2 ** 31 - 1 },
    default: 60,
    environment: "AGENT_MAX_EXECUTION_TIME",
    flag: "max-execution-time",
    set: "max_execution_time",
    ask: "timeout_s",
    isListed: true,
    help: { zh: "整个运行的秒数，包括回答。", en: "Seconds for the whole run, including the answer." },
    title: { zh: "最大执行时间", en: "Time limit" },
    appliesToChat: true,
    stop: {
      reason: "time-limit",
      stopReason: "time_limit",
      cutsAnswer: true,
      explain: (limit) => ({ zh: `即将达到时间上限（${limit} 秒）`, en: `the time limit of ${limit} s is near` }),
      partial: { zh: "执行超时", en: "the time limit was reached" },
    },
  }),
  defineLimit({
    key: "tokenBudget",
    field: "tokenBudget",
    scope: "run",
    range: { least: 1 },
    embedded: { least: 1, most: mostTokens },
    default: 100_000,
    set: "token_budget",
    help: {
      zh: "一次运行的全部 token，包括它调用的智能体。",
      en: "All tokens of one run, including those of the agents that it calls.",
    },
    title: { zh: "token 上限", en: "Token budget" },
    appliesToChat: true,
    stop: {
      reason: "token-limit",
      stopReason: "token_limit",
      cutsAnswer: true,
      explain: (limit) => ({
        zh: `即将达到 token 上限（${limit}）`,
        en: `the budget of ${formatCount(limit, "token")} is nearly used up`,
      }),
      partial: { zh: "token 余量不足", en: "too little of the token budget was left" },
    },
  }),
  defineLimit({
    key: "costBudget",
    field: "costBudget",
    unit: "dollars",
    scope: "run",
    range: { above: 0, most: 10_000 },
    set: "cost_budget",
    // Models whose price is not known count as free.
    help: { zh: "一次运行的费用（美元）；不写则没有上限。", en: "US dollars of one run; no limit when absent." },
    title: { zh: "费用上限", en: "Cost budget" },
    appliesToChat: true,
    stop: {
      reason: "cost-limit",
      stopReason: "cost_limit",
      cutsAnswer: true,
      explain: (limit) => ({
        zh: `即将达到费用上限（${limit} 美元）`,
        en: `the budget of $${limit} is nearly used up`,
      }),
      partial: { zh: "费用余量不足", en: "too little of the cost budget was left" },
    },
  }),
];

type Row = (typeof limitRows)[number];
export type DefaultedRow = Extract<Row, { default: number }>;
type StoppingRow = Extract<Row, { stop: LimitStop }>;
type SettableRow = Extract<Row, { set: string }>;
type OfferedRow = Extract<Row, { ask: string }>;
type FlaggedRow = Extract<Row, { flag: string }>;
type OfTurn = Extract<Row, { scope: "turn" }>;

/** Lists the limits that can stop the tool calls of a run. */
export const stoppingLimits = limitRows.filter((row): row is StoppingRow => row.stop !== undefined);
/** Lists the limits that `/set` changes. */
export const settableLimits = limitRows.filter((row): row is SettableRow => row.set !== undefined);
/** Lists the limits that hosts may give with a question. */
export const offeredLimits = limitRows.filter((row): row is OfferedRow => row.ask !== undefined);
export const defaultedLimits = limitRows.filter((row): row is DefaultedRow => row.default !== undefined);
export const optionalLimits = limitRows.filter((row): row is Exclude<Row, DefaultedRow> => row.default === undefined);
export const flaggedLimits = limitRows.filter((row): row is FlaggedRow => row.flag !== undefined);

/** Says which limit stopped the tool calls, in events and in outcomes. */
export type LimitReason = StoppingRow["stop"]["reason"];

export type LimitKey = Row["key"];
export type LimitField = Row["field"];
export type DefaultedKey = DefaultedRow["key"];
export type StoppingKey = StoppingRow["key"];
export type OfferedName = OfferedRow["ask"];

/** Holds the limits as configured. One without a default may be absent. */
export type ConfiguredLimits = { [Key in DefaultedKey]: number } & {
  [Key in Exclude<LimitKey, DefaultedKey>]?: number;
};

type NeededKey = Exclude<DefaultedRow, OfTurn>;
type NeededField = NeededKey["field"];

const neededRunLimits = defaultedLimits.filter((row): row is NeededKey => row.scope === "run");
const optionalRunLimits = limitRows.filter(
  (row): row is Exclude<Row, NeededKey> => !neededRunLimits.some((one) => one === row),
);

/** Holds the limits of one run, in its own units. */
export type RunLimits = { [Field in NeededField]: number } & { [Field in Exclude<Row["field"], NeededField>]?: number };

/** Holds some limits of a run, in its own units. */
export type RunLimitChanges = { [Field in Row["field"]]?: number | undefined };

/** Holds the most that the runs of a caller may have of some limits. */
export type LimitCeilings = Pick<RunLimitChanges, "maxIterations" | "maxToolCalls" | "maxExecutionTimeMs">;

/** Creates an object with an entry for each row. */
export function mapLimits<From extends LimitRow, Name extends string, Value>(
  rows: readonly From[],
  name: (row: From) => Name,
  value: (row: From) => Value,
): Record<Name, Value> {
  // The type is that of the loop: each name that the rows have is there.
  return Object.fromEntries(rows.map((row) => [name(row), value(row)])) as Record<Name, Value>;
}

/** Applies the changes of a question, in the units of a run, over the configured limits. */
export function mergeRunLimits(configured: ConfiguredLimits, changes: RunLimitChanges): RunLimits {
  return {
    ...mapLimits(
      optionalRunLimits,
      ({ field }) => field,
      (row) => changes[row.field] ?? (row.scope === "run" ? toRunUnit(row, configured[row.key]) : undefined),
    ),
    ...mapLimits(
      neededRunLimits,
      ({ field }) => field,
      (row) => changes[row.field] ?? toRunUnit(row, configured[row.key]),
    ),
  };
}

/** Says as a clause that a run has made all the tool calls that it may make. */
export function describeCallsUsed(most: number): Text {
  return {
    zh: `允许的 ${most} 次工具调用已用完`,
    en: most === 1 ? "the only allowed tool call is used" : `all ${most} tool calls are used`,
  };
}
