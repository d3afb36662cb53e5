import * as z from "zod";
import { version } from "../kit/version.ts";
import {
  type AttemptResult,
  addPhaseUse,
  attemptResultSchema,
  type FailureKind,
  failureKinds,
  noPhaseUse,
  phaseUseSchema,
} from "./attempt-result.ts";
import type { Targets } from "./case-file.ts";
import type { ModelPair, PromptSet } from "./matrix.ts";
import type { Evaluation } from "./run-evaluation.ts";
import { computeSpread, countShare } from "./statistics.ts";

export const reportFormat = "duet-eval-report";

const rate = z.number().nullable();
const shareSchema = z.object({ passed: z.int(), of: z.int(), rate, low: rate, high: rate });
const spreadSchema = z.object({ count: z.int(), median: rate, p95: rate, max: rate });
const tokens = z.object({ input: z.int(), output: z.int() });

/** Holds the figures of one pair of models with one set of prompts. Times are in milliseconds. */
const rowSchema = z.object({
  pair: z.string(),
  prompts: z.string(),
  models: z.object({ function_call: z.string(), answer: z.string() }),
  attempts: z.int(),
  /** Counts the attempts that were judged, where a judge decides. */
  success: shareSchema,
  /** Counts the attempts whose choice of tools was measured. */
  tool_choice: shareSchema,
  /** Counts those with the right tools. */
  arguments: shareSchema,
  checks: shareSchema,
  /** Is the judge's mean mark. */
  quality: z.object({ mean: z.number(), of: z.int() }).nullable(),
  failures: z.record(z.enum(failureKinds), z.int()),
  groups: z.record(z.string(), shareSchema),
  tokens: z.object({ function_call: tokens, answer: tokens, total: z.int() }),
  request_tokens: z.object({ function_call: z.int(), answer: z.int(), total: z.int() }),
  cost_usd: z.number().nullable(),
  judge_cost_usd: z.number().nullable(),
  phases: z.record(z.string(), phaseUseSchema),
  times: z.object({
    first_text: spreadSchema,
    total: spreadSchema,
    call: spreadSchema,
    phases: z.record(z.string(), spreadSchema),
  }),
  /** Compares the request tokens with those of the answer model when it works alone on the same cases. */
  against_single: z.object({ pair: z.string(), answer_model: z.number(), total: z.number() }).nullable(),
  targets: z.array(
    z.object({ name: z.string(), wanted: z.number(), measured: z.number().nullable(), met: z.boolean() }),
  ),
});

export const reportSchema = z.object({
  format: z.literal(reportFormat),
  version: z.literal(1),
  duet: z.string(),
  /** Is the time of the recording where one was replayed. */
  made_at: z.iso.datetime(),
  cases: z.int(),
  repeat: z.int(),
  /** Is false where an attempt is missing. */
  complete: z.boolean(),
  stopped_by: z.enum(["budget", "signal"]).nullable(),
  refusals: z.array(z.string()),
  rows: z.array(rowSchema),
  attempts: z.array(attemptResultSchema),
});

export type Report = z.infer<typeof reportSchema>;
export type ReportRow = z.infer<typeof rowSchema>;

export interface ReportInput {
  evaluation: Evaluation;
  pairs: readonly ModelPair[];
  promptSets: readonly PromptSet[];
  cases: number;
  repeat: number;
  targets: Targets | undefined;
}

/** Sums up an evaluation. The same results give the same report. */
export function createReport({ evaluation, pairs, promptSets, cases, repeat, targets }: ReportInput): Report {
  const { results, total, refusals, madeAt, stoppedBy } = evaluation;
  const rows = promptSets.flatMap((prompts) =>
    pairs.flatMap((pair) => {
      const own = results.filter((result) => result.pair === pair.name && result.prompts === prompts.name);
      return own.length === 0 ? [] : [sumUpResults(own)];
    }),
  );
  const compared = rows.map((row) => ({ ...row, against_single: compareWithSingle(row, rows) }));
  return {
    format: reportFormat,
    version: 1,
    duet: version,
    made_at: madeAt,
    cases,
    repeat,
    complete: results.length === total,
    stopped_by: stoppedBy ?? null,
    refusals: refusals.map(({ message }) => message),
    rows: compared.map((row) => ({ ...row, targets: measureTargets(row, targets) })),
    attempts: [...results],
  };
}

/** Sums up results of which there is at least one, all of one row. */
export function sumUpResults(results: readonly AttemptResult[]): Omit<ReportRow, "targets"> {
  const [first] = results;
  const add = (pick: (result: AttemptResult) => number): number => results.reduce((sum, each) => sum + pick(each), 0);
  const addKnown = (pick: (result: AttemptResult) => number | null): number | null =>
    results.some((each) => pick(each) === null) ? null : add((each) => pick(each) ?? 0);
  const addTokens = (role: "function_call" | "answer") => ({
    input: add(({ tokens }) => tokens[role].input),
    output: add(({ tokens }) => tokens[role].output),
  });
  const [ofDecider, ofWriter] = [addTokens("function_call"), addTokens("answer")];
  const checks = results.flatMap((result) => result.checks);
  const marks = checks.flatMap(({ mark }) => mark ?? []);
  const phases = [...new Set(results.flatMap((result) => Object.keys(result.phases)))];
  const groups = [...new Set(results.flatMap(({ group }) => group ?? []))];
  return {
    pair: first?.pair ?? "",
    prompts: first?.prompts ?? "",
    models: first?.models ?? { function_call: "", answer: "" },
    attempts: results.length,
    success: countShare(results.map(({ succeeded }) => succeeded)),
    tool_choice: countShare(results.map(({ tool_choice }) => tool_choice)),
    arguments: countShare(results.map((result) => result.arguments)),
    checks: countShare(checks.map(({ passed }) => passed)),
    quality:
      marks.length === 0 ? null : { mean: marks.reduce((sum, mark) => sum + mark, 0) / marks.length, of: marks.length },
    failures: countFailures(results),
    groups: Object.fromEntries(
      groups.map((group) => [
        group,
        countShare(results.filter((each) => each.group === group).map(({ succeeded }) => succeeded)),
      ]),
    ),
    tokens: {
      function_call: ofDecider,
      answer: ofWriter,
      total: ofDecider.input + ofDecider.output + ofWriter.input + ofWriter.output,
    },
    request_tokens: {
      function_call: add(({ request_tokens }) => request_tokens.function_call),
      answer: add(({ request_tokens }) => request_tokens.answer),
      total: add(({ request_tokens }) => request_tokens.total),
    },
    cost_usd: addKnown(({ cost_usd }) => cost_usd),
    judge_cost_usd: addKnown(({ judge_cost_usd }) => judge_cost_usd),
    phases: Object.fromEntries(
      phases.map((phase) => [
        phase,
        results.flatMap((result) => result.phases[phase] ?? []).reduce(addPhaseUse, noPhaseUse),
      ]),
    ),
    times: {
      first_text: computeSpread(results.flatMap(({ times }) => times.first_text_ms ?? [])),
      total: computeSpread(results.map(({ times }) => times.total_ms)),
      call: computeSpread(results.flatMap(({ times }) => times.calls_ms)),
      phases: Object.fromEntries(
        phases.map((phase) => [phase, computeSpread(results.flatMap(({ times }) => times.phases[phase] ?? []))]),
      ),
    },
    against_single: null,
  };
}

function countFailures(results: readonly AttemptResult[]): Record<FailureKind, number> {
  const count = (kind: FailureKind): number => results.filter(({ failure }) => failure === kind).length;
  return {
    timeout: count("timeout"),
    error: count("error"),
    "wrong-tool": count("wrong-tool"),
    "wrong-arguments": count("wrong-arguments"),
    limit: count("limit"),
    answer: count("answer"),
    "not-judged": count("not-judged"),
  };
}

/**
 * Finds the row in which the answer model of a pair works alone with the same prompts. The shares say how many request tokens the
 * pair saves: of those that the answer model is sent, and of all.
 */
function compareWithSingle(row: Omit<ReportRow, "targets">, rows: readonly Omit<ReportRow, "targets">[]) {
  const { function_call, answer } = row.models;
  const single = rows.find(
    ({ models, prompts, attempts }) =>
      function_call !== answer &&
      models.function_call === answer &&
      models.answer === answer &&
      prompts === row.prompts &&
      attempts === row.attempts,
  );
  const alone = single?.request_tokens.total ?? 0;
  if (single === undefined || alone === 0) return null;
  return {
    pair: single.pair,
    answer_model: 1 - row.request_tokens.answer / alone,
    total: 1 - row.request_tokens.total / alone,
  };
}

/** Measures what is wanted of a row. What could not be measured is not met. */
function measureTargets(row: Omit<ReportRow, "targets">, targets: Targets | undefined): ReportRow["targets"] {
  if (targets === undefined) return [];
  const toSeconds = (ms: number | null): number | null => (ms === null ? null : ms / 1000);
  const measureLeast = (name: string, wanted: number | undefined, measured: number | null) =>
    wanted === undefined ? [] : [{ name, wanted, measured, met: measured !== null && measured >= wanted }];
  const measureMost = (name: string, wanted: number | undefined, measured: number | null) =>
    wanted === undefined ? [] : [{ name, wanted, measured, met: measured !== null && measured <= wanted }];
  const isSingle = row.models.function_call === row.models.answer;
  return [
    ...measureLeast("success", targets.success, row.success.rate),
    ...measureLeast("toolChoice", targets.toolChoice, row.tool_choice.rate),
    ...measureLeast("arguments", targets.arguments, row.arguments.rate),
    ...measureLeast("quality", targets.quality, row.quality?.mean ?? null),
    ...measureMost("callSeconds", targets.callSeconds, toSeconds(row.times.call.max)),
    ...measureMost("firstTextSeconds", targets.firstTextSeconds, toSeconds(row.times.first_text.median)),
    ...(isSingle ? [] : measureLeast("tokenSaving", targets.tokenSaving, row.against_single?.answer_model ?? null)),
  ];
}

/** Returns true where all that is wanted was measured and met; without targets, where every attempt has succeeded. */
export function hasMetTargets({ rows, complete, refusals }: Report): boolean {
  if (!complete || refusals.length > 0) return false;
  return rows.every(({ targets, success, attempts }) =>
    targets.length === 0 ? success.passed === attempts : targets.every(({ met }) => met),
  );
}
