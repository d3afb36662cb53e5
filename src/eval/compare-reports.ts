import { readFile } from "node:fs/promises";
import { configError } from "../config/config-errors.ts";
import { type DuetError, getMessage } from "../kit/errors.ts";
import { tryParseJson } from "../kit/json.ts";
import type { AttemptResult } from "./attempt-result.ts";
import { type Report, type ReportRow, reportSchema, sumUpResults } from "./report.ts";
import { computeSignTest, countShare } from "./statistics.ts";

/** Holds how a row differs from that of an earlier report. Changes are this report's figure less the earlier one's. */
export interface Comparison {
  pair: string;
  prompts: string;
  /** Is the earlier row, where another pair was measured there. */
  baseline: string;
  /** Counts the cases of both, of this report and of the earlier one. Only those of both are compared. */
  cases: { shared: number; now: number; baseline: number };
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

type RowName = Pick<ReportRow, "pair" | "prompts">;

/** Holds what an evaluation is going to measure. */
export interface Plan {
  rows: readonly RowName[];
  /** Lists the IDs of the cases. */
  cases: readonly string[];
}

/** Refuses a report of which no row, or no case, would be compared. Throws a `config` error that lists what it has. */
export function refuseOtherReport(file: string, { rows, cases }: Plan, baseline: Report): void {
  const found = rows.flatMap((row) => findEarlier(row, rows.length, baseline) ?? []);
  if (found.length === 0) throw noRowError(file, rows, baseline);
  const held = new Set(found.flatMap((row) => listResults({ report: baseline, row }).map((result) => result.case)));
  if (!cases.some((id) => held.has(id))) throw noCaseError(file, cases, [...held]);
}

function noRowError(file: string, rows: readonly RowName[], baseline: Report): DuetError {
  const toName = ({ pair, prompts }: RowName): string => `${pair} / ${prompts}`;
  const [wanted, held] = [rows, baseline.rows].map((list) => list.map(toName).join(", "));
  return configError(`--baseline: ${file}`, {
    zh: `没有可比较的行：${wanted}（报告中有：${held}）`,
    en: `has no row to compare: ${wanted} (allowed: ${held})`,
  });
}

function noCaseError(file: string, cases: readonly string[], held: readonly string[]): DuetError {
  const [wanted, allowed] = [cases, held].map((ids) => `${ids.slice(0, 5).join(", ")}${ids.length > 5 ? ", …" : ""}`);
  return configError(`--baseline: ${file}`, {
    zh: `没有共同的用例：${wanted}（报告中有：${allowed}）`,
    en: `has no case in common: ${wanted} (allowed: ${allowed})`,
  });
}

function findEarlier(row: RowName, count: number, { rows }: Report): ReportRow | undefined {
  if (count === 1 && rows.length === 1) return rows[0];
  return rows.find(({ pair, prompts }) => pair === row.pair && prompts === row.prompts);
}

/** Compares each row with the earlier one of the same pair and prompts by the cases of both; where both reports have one row, these two. */
export function compareReports(report: Report, baseline: Report, drop: number): Comparison[] {
  return report.rows.flatMap((row) => {
    const earlier = findEarlier(row, report.rows.length, baseline);
    if (earlier === undefined) return [];
    return compareResults(listResults({ report, row }), listResults({ report: baseline, row: earlier }), drop) ?? [];
  });
}

interface RowOfReport {
  report: Report;
  row: RowName;
}

function listResults({ report, row }: RowOfReport): AttemptResult[] {
  return report.attempts.filter(({ pair, prompts }) => pair === row.pair && prompts === row.prompts);
}

/** Compares results by the cases of both. Returns undefined where there is none. */
function compareResults(
  now: readonly AttemptResult[],
  before: readonly AttemptResult[],
  drop: number,
): Comparison | undefined {
  const [ids, earlierIds] = [listCases(now), listCases(before)];
  const shared = new Set([...ids].filter((id) => earlierIds.has(id)));
  if (shared.size === 0) return undefined;
  const isShared = (result: AttemptResult): boolean => shared.has(result.case);
  const [own, old] = [sumUpResults(now.filter(isShared)), sumUpResults(before.filter(isShared))];
  const [after, earlier] = [countByCase(now), countByCase(before)];
  const judged = [...shared].flatMap((id) => {
    const [one, other] = [after.get(id), earlier.get(id)];
    return one === undefined || other === undefined ? [] : [{ id, change: one - other }];
  });
  const lost = judged.filter(({ change }) => change < 0).map(({ id }) => id);
  const won = judged.filter(({ change }) => change > 0).map(({ id }) => id);
  const success = computeDifference(own.success.rate, old.success.rate);
  const toMean = ({ attempts }: { attempts: number }, total: number | null): number | null =>
    total === null ? null : total / attempts;
  return {
    pair: own.pair,
    prompts: own.prompts,
    baseline: `${old.pair} / ${old.prompts}`,
    cases: { shared: shared.size, now: ids.size, baseline: earlierIds.size },
    success,
    tool_choice: computeDifference(own.tool_choice.rate, old.tool_choice.rate),
    arguments: computeDifference(own.arguments.rate, old.arguments.rate),
    tokens_per_attempt: toChange(toMean(own, own.tokens.total), toMean(old, old.tokens.total)),
    cost_per_attempt: toChange(toMean(own, own.cost_usd), toMean(old, old.cost_usd)),
    first_text_median: toChange(own.times.first_text.median, old.times.first_text.median),
    lost,
    won,
    p: computeSignTest(lost.length, won.length),
    // A difference of two shares is not exact.
    is_worse: success !== null && success < -drop - 1e-9,
  };
}

function listCases(results: readonly AttemptResult[]): Set<string> {
  return new Set(results.map((result) => result.case));
}

/** Returns the share of successful attempts of each case, of those that were judged. */
function countByCase(results: readonly AttemptResult[]): Map<string, number> {
  return new Map(
    [...listCases(results)].flatMap((id) => {
      const { rate } = countShare(results.filter((result) => result.case === id).map(({ succeeded }) => succeeded));
      return rate === null ? [] : [[id, rate] as const];
    }),
  );
}

function computeDifference(after: number | null, before: number | null): number | null {
  return after === null || before === null ? null : after - before;
}

function toChange(after: number | null, before: number | null): number | null {
  return after === null || before === null || before === 0 ? null : after / before - 1;
}
