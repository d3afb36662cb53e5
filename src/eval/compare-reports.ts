import { readFile } from "node:fs/promises";
import { configError } from "../config/config-errors.ts";
import { getMessage } from "../kit/errors.ts";
import { tryParseJson } from "../kit/json.ts";
import { type Report, type ReportRow, reportSchema } from "./report.ts";
import { computeSignTest } from "./statistics.ts";

/** Holds how a row differs from that of an earlier report. Changes are this report's figure less the earlier one's. */
export interface Comparison {
  pair: string;
  prompts: string;
  /** Is the earlier row, where another pair was measured there. */
  baseline: string;
  success: number | null;
  tool_choice: number | null;
  arguments: number | null;
  /** Holds the change as a share of the earlier figure, as the next two do. */
  tokens_per_attempt: number | null;
  cost_per_attempt: number | null;
  first_text_median: number | null;
  /** Lists the cases that succeed less often, and those that succeed more often. */
  lost: string[];
  won: string[];
  /** Is the probability that so uneven a change comes about by chance. */
  p: number;
  /** Is true where the success rate fell by more than is allowed. */
  is_worse: boolean;
}

/** Reads a report that was written before. Throws a `config` error for anything else. */
export async function readReport(file: string): Promise<Report> {
  const text = await readFile(file, "utf8").catch((thrown: unknown) => {
    const why = getMessage(thrown);
    throw configError(`--baseline: ${file}`, { zh: `无法读取：${why}`, en: `cannot be read: ${why}` }, thrown);
  });
  const read = reportSchema.safeParse(tryParseJson(text));
  if (read.success) return read.data;
  throw configError(`--baseline: ${file}`, {
    zh: "不是评测报告（允许：duet eval --output 写出的文件）",
    en: "is no report (allowed: what duet eval --output writes)",
  });
}

/** Compares each row with the earlier one of the same pair and prompts; where both reports have one row, these two. */
export function compareReports(report: Report, baseline: Report, drop: number): Comparison[] {
  const isOnly = report.rows.length === 1 && baseline.rows.length === 1;
  return report.rows.flatMap((row) => {
    const earlier = isOnly
      ? baseline.rows[0]
      : baseline.rows.find(({ pair, prompts }) => pair === row.pair && prompts === row.prompts);
    return earlier === undefined ? [] : [compareRows({ report, row }, { report: baseline, row: earlier }, drop)];
  });
}

interface RowOfReport {
  report: Report;
  row: ReportRow;
}

function compareRows(now: RowOfReport, before: RowOfReport, drop: number): Comparison {
  const [after, earlier] = [countByCase(now), countByCase(before)];
  const both = [...after.keys()].filter((id) => earlier.has(id));
  const lost = both.filter((id) => (after.get(id) ?? 0) < (earlier.get(id) ?? 0));
  const won = both.filter((id) => (after.get(id) ?? 0) > (earlier.get(id) ?? 0));
  const success = computeDifference(now.row.success.rate, before.row.success.rate);
  const toMean = ({ row }: RowOfReport, total: number | null): number | null =>
    total === null ? null : total / row.attempts;
  return {
    pair: now.row.pair,
    prompts: now.row.prompts,
    baseline: `${before.row.pair} / ${before.row.prompts}`,
    success,
    tool_choice: computeDifference(now.row.tool_choice.rate, before.row.tool_choice.rate),
    arguments: computeDifference(now.row.arguments.rate, before.row.arguments.rate),
    tokens_per_attempt: toChange(toMean(now, now.row.tokens.total), toMean(before, before.row.tokens.total)),
    cost_per_attempt: toChange(toMean(now, now.row.cost_usd), toMean(before, before.row.cost_usd)),
    first_text_median: toChange(now.row.times.first_text.median, before.row.times.first_text.median),
    lost,
    won,
    p: computeSignTest(lost.length, won.length),
    // A difference of two shares is not exact.
    is_worse: success !== null && success < -drop - 1e-9,
  };
}

/** Returns the share of successful attempts of each case. */
function countByCase({ report, row }: RowOfReport): Map<string, number> {
  const own = report.attempts.filter(({ pair, prompts }) => pair === row.pair && prompts === row.prompts);
  const ids = [...new Set(own.map((result) => result.case))];
  return new Map(
    ids.map((id) => {
      const results = own.filter((result) => result.case === id);
      return [id, results.filter(({ succeeded }) => succeeded).length / results.length];
    }),
  );
}

function computeDifference(after: number | null, before: number | null): number | null {
  return after === null || before === null ? null : after - before;
}

function toChange(after: number | null, before: number | null): number | null {
  return after === null || before === null || before === 0 ? null : after / before - 1;
}
