import { open, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import { configError, unwritableFileError } from "../../config/config-errors.ts";
import { compareReports, readReport, refuseOtherReport } from "../../eval/compare-reports.ts";
import { configuredPair, listPromptSets, type ModelPair, type PromptSet, parseModelPair } from "../../eval/matrix.ts";
import { readCaseFile } from "../../eval/read-case-file.ts";
import { readRecording } from "../../eval/recording/read-recording.ts";
import { openRecordingWriter } from "../../eval/recording/recording-writer.ts";
import { createReport, hasMetTargets, type Report } from "../../eval/report.ts";
import { openResultsFile, toResultsName } from "../../eval/results-file.ts";
import { runEvaluation } from "../../eval/run-evaluation.ts";
import { hashSetup } from "../../eval/setup-digest.ts";
import { findCaseFile } from "../../eval/starter-set.ts";
import { sanitizeLine, toSafeJson } from "../../kit/text/sanitize.ts";
import { type Context, createWarn, writeLine, writeSafely } from "../console.ts";
import { renderAttempt, renderReport } from "./report-lines.ts";

/** Holds what the flags of `duet eval` say. */
export interface EvalFlags {
  file: string;
  models: readonly string[];
  repeat: number | undefined;
  parallel: number;
  budget: number | undefined;
  baseline: string | undefined;
  output: string | undefined;
  record: string | undefined;
  replay: string | undefined;
  resume: boolean;
}

/**
 * Runs an evaluation by a file of cases. Returns 0 where everything that is wanted was met, 1 where it was not, and 3 where not every
 * attempt was made. Throws a `config` error for files and flags that cannot be used, before anything is asked.
 */
export async function runEvalCommand(flags: EvalFlags, config: Config, context: Context): Promise<number> {
  const { console, signal } = context;
  const { locale } = config;
  refuseTogether(flags);
  const file = await readCaseFile(findCaseFile(flags.file));
  const baseline = flags.baseline === undefined ? undefined : await readReport(flags.baseline);
  const replay = flags.replay === undefined ? undefined : await readRecording(flags.replay);
  const written = flags.models.length > 0 ? flags.models : (file.models ?? []);
  const pairs: ModelPair[] =
    written.length > 0
      ? [...new Set(written.map((pair) => pair.trim()))].map(parseModelPair)
      : replay
        ? [...replay.models.keys()].map((name) => ({ name, changes: undefined }))
        : [{ name: configuredPair, changes: undefined }];
  const promptSets = listPromptSets(file, config.prompts.directory);
  if (flags.baseline !== undefined && baseline !== undefined)
    refuseOtherReport(
      flags.baseline,
      { rows: listRows(pairs, promptSets), cases: file.cases.map(({ id }) => id) },
      baseline,
    );
  const repeat = flags.repeat ?? file.repeat;
  if (flags.output !== undefined) await refuseUnwritable(flags.output);
  const results =
    flags.output === undefined
      ? undefined
      : await openResultsFile(toResultsName(flags.output), {
          goesOn: flags.resume,
          setup: await hashSetup({ config, file, promptSets }),
        });
  const { record } = flags;
  const evaluation = await runEvaluation({
    ...{ config, file, pairs, promptSets, repeat, results, replay, signal },
    parallel: flags.parallel,
    budget: flags.budget,
    openWriter:
      record === undefined
        ? undefined
        : ({ redact }) => openRecordingWriter(resolve(record), { redact, goesOn: flags.resume }),
    warn: createWarn(config, console),
    onResult: (result, done, total) => writeLine(console, sanitizeLine(renderAttempt(result, done, total, locale))),
  });
  const report = createReport({
    ...{ evaluation, pairs, promptSets, repeat },
    cases: file.cases.length,
    targets: file.targets,
  });
  const comparisons = baseline === undefined ? [] : compareReports(report, baseline, file.targets?.drop ?? 0);
  const refusals = evaluation.refusals.map(({ text }) => text);
  writeSafely(console.stdout, `${renderReport(report, comparisons, refusals, locale).join("\n")}\n`);
  if (flags.output !== undefined) {
    await writeReport(flags.output, { ...report, ...(baseline && { comparisons }) });
    if (report.complete) await results?.remove();
  }
  if (report.stopped_by !== null) return 3;
  if (comparisons.some(({ is_worse }) => is_worse)) return 1;
  // A baseline takes the place of the rule that every attempt has to succeed.
  const hasTargets = report.rows.some(({ targets }) => targets.length > 0);
  return baseline !== undefined && !hasTargets ? toCode(isWhole(report)) : toCode(hasMetTargets(report));
}

function listRows(pairs: readonly ModelPair[], promptSets: readonly PromptSet[]) {
  return promptSets.flatMap((prompts) => pairs.map((pair) => ({ pair: pair.name, prompts: prompts.name })));
}

function toCode(isGood: boolean): number {
  return isGood ? 0 : 1;
}

function isWhole({ complete, refusals }: Report): boolean {
  return complete && refusals.length === 0;
}

/** Refuses what a report cannot be written to, before it has cost anything. A file that is not there yet is made later. */
async function refuseUnwritable(file: string): Promise<void> {
  try {
    await (await open(file, "r+")).close();
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT"))
      throw unwritableFileError(file, thrown);
  }
}

async function writeReport(file: string, report: object): Promise<void> {
  try {
    await writeFile(file, `${toSafeJson(report, 2)}\n`);
  } catch (thrown) {
    throw unwritableFileError(file, thrown);
  }
}

function refuseTogether({ record, replay, resume, output }: EvalFlags): void {
  if (record !== undefined && replay !== undefined)
    throw configError("--record, --replay", {
      zh: "不能同时使用（允许：其中一个）",
      en: "cannot be combined (allowed: one of them)",
    });
  if (resume && output === undefined)
    throw configError("--resume", {
      zh: "需要 --output：结果保存在它旁边",
      en: "needs --output: the results are kept beside it",
    });
}
