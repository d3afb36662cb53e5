import type { Models } from "../agent/run.ts";
import type { Duet } from "../app/duet.ts";
import type { Config } from "../config/config.ts";
import type { Model } from "../core/model/model.ts";
import type { ToolInterceptor } from "../core/tools/tool-interceptor.ts";
import type { DuetError } from "../kit/errors.ts";
import type { Text } from "../kit/locale.ts";
import type { Redactor } from "../kit/text/redact.ts";
import type { AttemptResult } from "./attempt-result.ts";
import type { CaseFile } from "./case-file.ts";
import type { ModelPair, PromptSet } from "./matrix.ts";
import type { MakeCall } from "./recording/intercept-tools.ts";
import type { Recording } from "./recording/read-recording.ts";
import type { RecordingWriter } from "./recording/recording-writer.ts";
import type { ResultsFile } from "./results-file.ts";

export interface EvaluationOptions {
  config: Config;
  file: CaseFile;
  pairs: readonly ModelPair[];
  promptSets: readonly PromptSet[];
  repeat: number;
  /** Limits the attempts that run at one time. */
  parallel: number;
  /** Limits what all attempts cost, in US dollars. */
  budget?: number | undefined;
  results?: ResultsFile | undefined;
  /** Opens the recording that is written; absent where none is. */
  openWriter?: ((redactor: Redactor) => Promise<RecordingWriter>) | undefined;
  /** Answers in place of every model and tool. */
  replay?: Recording | undefined;
  signal: AbortSignal;
  warn: (line: Text) => void;
  onResult?: ((result: AttemptResult, done: number, total: number) => void) | undefined;
  /** Opens the models of a pair, or that of the judge, in place of those that are configured. */
  openModels?: ((pair: ModelPair) => Promise<Models>) | undefined;
}

/** Holds what all attempts share. */
export interface SharedState {
  readonly options: EvaluationOptions;
  readonly redactor: Redactor;
  readonly writer: RecordingWriter | undefined;
  readonly book: ToolInterceptor | undefined;
  /** Holds the results by the keys of their attempts. */
  readonly made: Map<string, AttemptResult>;
  readonly refusals: DuetError[];
  /** Lists the folders that prompts name. */
  readonly folders: readonly string[];
  /** Is what the turns of all attempts have cost so far, in US dollars. */
  spent: number;
  readonly total: number;
}

/** Holds what the attempts with one set of prompts share. */
export interface Row {
  duet: Duet;
  makers: Map<string, MakeCall>;
  /** Holds the models by the names of their pairs; empty where they are replayed. */
  models: ReadonlyMap<string, OpenedModels>;
  shared: SharedState;
}

export interface OpenedModels {
  models: Models;
  judge: Model | undefined;
}

export function isBudgetUsed({ options: { budget, replay }, spent }: SharedState): boolean {
  return budget !== undefined && replay === undefined && spent >= budget;
}

export function toCost({ cost_usd, judge_cost_usd }: AttemptResult): number {
  return (cost_usd ?? 0) + (judge_cost_usd ?? 0);
}
