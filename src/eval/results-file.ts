import { readFile, rm } from "node:fs/promises";
import * as z from "zod";
import { configError } from "../config/config-errors.ts";
import { ignoreRejection } from "../kit/async/ignore-rejection.ts";
import { tryParseJson } from "../kit/json.ts";
import { openLineFile } from "./append-lines.ts";
import { type AttemptResult, attemptResultSchema } from "./attempt-result.ts";
import { refuseOtherSetup, type Setup } from "./setup-digest.ts";

const lineSchema = z.union([
  z.object({ key: z.string(), result: attemptResultSchema }),
  z.object({ cost_usd: z.number() }),
  z.object({ setup: z.record(z.string(), z.string()) }),
]);

/** Keeps each result as it is made, so that an evaluation whose process ends loses none and repeats none. */
export interface ResultsFile {
  /** Holds what an earlier process has made, by the keys of the attempts. */
  readonly earlier: ReadonlyMap<string, AttemptResult>;
  /** Is what attempts without a result have cost in earlier processes, in US dollars. */
  readonly lost: number;
  add(key: string, result: AttemptResult): Promise<void>;
  /** Keeps what an attempt without a result has cost. */
  addCost(cost: number): Promise<void>;
  /** Removes the file: its results are in the report. */
  remove(): Promise<void>;
}

/** Returns the name of the file beside a report that holds the results so far. */
export function toResultsName(report: string): string {
  return `${report.replace(/\.json$/, "")}.attempts.jsonl`;
}

export interface ResultsOptions {
  goesOn: boolean;
  /** Holds the digests of what the attempts run with. */
  setup: Setup;
}

/**
 * Opens the results so far. Throws a `config` error where there are some and the evaluation is not to go on with them: they may have
 * cost money, and where they were made with another setup.
 */
export async function openResultsFile(file: string, { goesOn, setup }: ResultsOptions): Promise<ResultsFile> {
  const text = (await ignoreRejection(readFile(file, "utf8"), "there is no such file before the first result")) ?? "";
  const earlier = new Map<string, AttemptResult>();
  const known: Record<string, string> = {};
  let lost = 0;
  for (const line of text.split("\n")) {
    // A line that was cut off is the attempt during which the process ended.
    const read = lineSchema.safeParse(tryParseJson(line));
    if (!read.success) continue;
    if ("key" in read.data) earlier.set(read.data.key, read.data.result);
    else if ("setup" in read.data) Object.assign(known, read.data.setup);
    else lost += read.data.cost_usd;
  }
  if (earlier.size > 0 && !goesOn)
    throw configError(file, {
      zh: `已有 ${earlier.size} 个结果（允许：用 --resume 继续，或删除这个文件）`,
      en: `has ${earlier.size} results already (allowed: --resume to go on with them, or remove the file)`,
    });
  if (earlier.size > 0) refuseOtherSetup(file, known, setup);
  const lines = await openLineFile(file);
  await lines.append([{ setup }]);
  return {
    earlier,
    lost,
    add: (key, result) => lines.append([{ key, result }]),
    addCost: (cost) => lines.append([{ cost_usd: cost }]),
    remove: () => rm(file, { force: true }),
  };
}
