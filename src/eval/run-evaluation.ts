import type { Models } from "../agent/run.ts";
import { ignoreAbort } from "../app/ask-agent.ts";
import type { Duet } from "../app/duet.ts";
import { createKnownRedactor, openDuet } from "../app/open-duet.ts";
import type { Config } from "../config/config.ts";
import { configError, joinConfigErrors } from "../config/config-errors.ts";
import { type Model, noUsage, toModelName } from "../core/model.ts";
import type { ToolInterceptor } from "../core/tools/tool-interceptor.ts";
import { createSemaphore } from "../kit/async/semaphore.ts";
import { DuetError } from "../kit/errors.ts";
import type { Text } from "../kit/locale.ts";
import { isMatch } from "../kit/text/match-pattern.ts";
import type { Redactor } from "../kit/text/redact.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { resolveRoots } from "../tools/files/allowed-path.ts";
import type { AttemptResult } from "./attempt-result.ts";
import type { CaseFile } from "./case-file.ts";
import { type Attempt, listAttempts, type ModelPair, type PromptSet, toAttemptKey, toAttemptName } from "./matrix.ts";
import { createAttemptRecorder } from "./recording/attempt-recorder.ts";
import { createAttemptReplay } from "./recording/attempt-replay.ts";
import {
  createCallInterceptor,
  createToolBook,
  createToolReplacement,
  type MakeCall,
} from "./recording/intercept-tools.ts";
import { type Recording, readRecording } from "./recording/read-recording.ts";
import { createRecordedModels, describeModels, type RecordingWriter } from "./recording/recording-writer.ts";
import type { ResultsFile } from "./results-file.ts";
import { createRunId, runAttempt } from "./run-attempt.ts";

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

export interface Evaluation {
  /** Lists the results in the order of the matrix. */
  results: readonly AttemptResult[];
  /** Counts the attempts of the whole matrix. */
  total: number;
  /** Lists what a recording did not hold. */
  refusals: readonly DuetError[];
  /** Is the time of its recording, where there is one. */
  madeAt: string;
  /** Says why not every attempt was made. */
  stoppedBy?: "budget" | "signal";
}

/**
 * Makes every attempt of the matrix that has no result yet, several at a time. Rejects where the models or prompts cannot be
 * opened; an abort ends it with the results so far.
 */
export async function runEvaluation(options: EvaluationOptions): Promise<Evaluation> {
  const { config, file, results, signal } = options;
  const redactor = createKnownRedactor(config);
  const shared: SharedState = {
    options,
    redactor,
    writer: await options.openWriter?.(redactor),
    book: file.recordedTools === undefined ? undefined : createToolBook(await readRecording(file.recordedTools)),
    made: new Map(),
    refusals: [],
    folders: [config.directory, ...config.tools.roots, ...(await resolveRoots(config.tools.roots))],
    spent: [...(results?.earlier.values() ?? [])].reduce((sum, result) => sum + toCost(result), 0),
    total: options.pairs.length * options.promptSets.length * file.cases.length * options.repeat,
  };
  const attempts: Attempt[] = [];
  let stoppedBy: Evaluation["stoppedBy"];
  for (const prompts of options.promptSets) {
    const row = options.pairs.flatMap((pair) => listAttempts(pair, prompts, file, options.repeat));
    attempts.push(...row);
    const left = row.filter((attempt) => !takeEarlier(attempt, shared));
    if (left.length > 0) stoppedBy ??= await runRow(prompts, left, shared);
  }
  if (signal.aborted) stoppedBy = "signal";
  return {
    results: attempts.flatMap((attempt) => shared.made.get(toAttemptKey(attempt)) ?? []),
    total: shared.total,
    refusals: shared.refusals,
    madeAt: options.replay?.madeAt ?? shared.writer?.madeAt ?? new Date().toISOString(),
    ...(stoppedBy && { stoppedBy }),
  };
}

/** Holds what all attempts share. */
interface SharedState {
  readonly options: EvaluationOptions;
  readonly redactor: Redactor;
  readonly writer: RecordingWriter | undefined;
  readonly book: ToolInterceptor | undefined;
  /** Holds the results by the keys of their attempts. */
  readonly made: Map<string, AttemptResult>;
  readonly refusals: DuetError[];
  /** Lists the folders that prompts name. */
  readonly folders: readonly string[];
  spent: number;
  readonly total: number;
}

function takeEarlier(attempt: Attempt, { options, made }: SharedState): boolean {
  const key = toAttemptKey(attempt);
  const result = options.results?.earlier.get(key);
  if (result !== undefined) made.set(key, result);
  return result !== undefined;
}

/** Makes the attempts with one set of prompts. */
async function runRow(
  prompts: PromptSet,
  attempts: readonly Attempt[],
  shared: SharedState,
): Promise<Evaluation["stoppedBy"]> {
  const { config, replay, parallel, signal, warn } = shared.options;
  const { writer, redactor, book } = shared;
  const makers = new Map<string, MakeCall>();
  const below = replay ? createToolReplacement(replay.tools, refuseOutsideRun) : book;
  const intercept = createCallInterceptor(
    (runId) => makers.get(runId ?? ""),
    below,
    (tool, origin) => writer?.addTool(tool, origin),
  );
  const isApart = below !== undefined;
  const own: Config = {
    ...config,
    prompts: { directory: prompts.directory },
    // Their models and tools are none of the pair's.
    agents: [],
    ...(isApart && { servers: [] }),
    tools: isApart ? { ...config.tools, directory: undefined, directoryIsNamed: false } : config.tools,
  };
  const duet = await openDuet(own, { store: createMemoryStore(), intercept, redactor, warn });
  try {
    const names = await listToolNames(duet, signal).catch(ignoreAbort(signal, undefined));
    if (names === undefined) return undefined;
    refuseMissingTools(attempts, names);
    const row: Row = { duet, makers, models: await openRowModels(attempts, duet, shared), shared };
    const places = createSemaphore(parallel);
    const running = new Set<Promise<void>>();
    let failure: unknown;
    for (const attempt of attempts) {
      await places.acquire(signal).catch(() => {});
      if (signal.aborted || failure !== undefined || isBudgetUsed(shared)) break;
      const work = makeAttempt(attempt, row)
        .catch((thrown: unknown) => {
          if (!signal.aborted) failure ??= thrown;
        })
        .finally(() => {
          places.release();
          running.delete(work);
        });
      running.add(work);
    }
    await Promise.all(running);
    if (failure !== undefined) throw failure;
    return isBudgetUsed(shared) && attempts.some((attempt) => !shared.made.has(toAttemptKey(attempt)))
      ? "budget"
      : undefined;
  } finally {
    await duet.close();
  }
}

/** Lists the tools once each server has started, so that no attempt is measured with its start. Throws where one cannot be used. */
async function listToolNames(duet: Duet, signal: AbortSignal): Promise<string[]> {
  const { servers, tools } = await duet.inventory(signal);
  const failed = servers.find(({ error }) => error !== null);
  if (failed?.error) throw failed.error;
  return tools.map(({ name }) => name);
}

/** A call of a tool that does not exist can never be made: a name is misspelt, or a server is missing. */
function refuseMissingTools(attempts: readonly Attempt[], names: readonly string[]): void {
  const wanted = attempts.flatMap(({ case: { id, calls = [] } }) => calls.map(({ tool }) => ({ id, tool })));
  const missing = wanted.filter(({ tool }) => !names.some((name) => isMatch(name, tool)));
  const errors = new Map(
    missing.map(({ id, tool }) => {
      const shown = JSON.stringify(tool);
      const text = {
        zh: `没有名为 ${shown} 的工具（duet tools 列出）`,
        en: `there is no tool ${shown} (duet tools lists them)`,
      };
      return [`${id} ${tool}`, configError(id, text)];
    }),
  );
  if (errors.size > 0) throw joinConfigErrors([...errors.values()]);
}

interface Row {
  duet: Duet;
  makers: Map<string, MakeCall>;
  /** Holds the models by the names of their pairs; empty where they are replayed. */
  models: ReadonlyMap<string, OpenedModels>;
  shared: SharedState;
}

interface OpenedModels {
  models: Models;
  judge: Model | undefined;
}

async function openRowModels(
  attempts: readonly Attempt[],
  duet: Duet,
  { options, writer }: SharedState,
): Promise<Map<string, OpenedModels>> {
  const { pairs, replay, file, budget } = options;
  const opened = new Map<string, OpenedModels>();
  if (replay) return opened;
  const open = options.openModels ?? ((pair: ModelPair) => duet.models(pair.changes));
  const judge =
    file.judge === undefined
      ? undefined
      : (await open({ name: file.judge, changes: { functionCall: file.judge, answer: null } })).answer;
  for (const pair of pairs.filter(({ name }) => attempts.some((attempt) => attempt.pair === name))) {
    const models = await open(pair);
    if (budget !== undefined) refuseUnknownPrice([models.functionCall, models.answer, ...(judge ? [judge] : [])]);
    opened.set(pair.name, { models, judge });
    writer?.addModels(describeModels(pair.name, models, judge));
  }
  return opened;
}

/** A budget says nothing about models without a price. */
function refuseUnknownPrice(models: readonly Model[]): void {
  const unpriced = models.find((model) => (model.cost?.({ ...noUsage, inputTokens: 1000 }) ?? null) === null);
  if (unpriced === undefined) return;
  throw configError("--budget", {
    zh: `${toModelName(unpriced)} 没有价格（允许：有价格的模型，见 providers.….prices）`,
    en: `${toModelName(unpriced)} has no price (allowed: models with one, see providers.….prices)`,
  });
}

async function makeAttempt(attempt: Attempt, row: Row): Promise<void> {
  const { shared } = row;
  const { results, onResult, replay } = shared.options;
  const result = replay ? await replayAttempt(attempt, row, replay) : await askModels(attempt, row);
  if (result === undefined) return;
  const key = toAttemptKey(attempt);
  await results?.add(key, result);
  shared.made.set(key, result);
  shared.spent += toCost(result);
  onResult?.(result, shared.made.size, shared.total);
}

/** Makes an attempt with real models, and records it where that is wanted. */
async function askModels(attempt: Attempt, { duet, makers, models, shared }: Row): Promise<AttemptResult | undefined> {
  const { options, writer, book } = shared;
  const opened = models.get(attempt.pair);
  if (opened === undefined) throw new Error(`the models of ${attempt.pair} were not opened`);
  const recorder = createAttemptRecorder(shared.folders);
  const runId = createRunId();
  makers.set(runId, recorder.recordCall);
  const left = options.budget === undefined ? undefined : Math.max(0, options.budget - shared.spent);
  try {
    const result = await runAttempt(attempt, {
      duet,
      runId,
      models: mapModels(opened.models, recorder.recordModel),
      judge: opened.judge && recorder.recordModel(opened.judge),
      countRequests: () => sumRequests(recorder.exchanges),
      approves: book !== undefined,
      costBudget: left,
      signal: options.signal,
    });
    if (
      left !== undefined &&
      result.stop_reason === "cost_limit" &&
      left <= (options.config.agent.costBudget ?? left)
    ) {
      // What the budget of the evaluation has cut off says nothing about the models.
      shared.spent = Math.max(shared.spent + toCost(result), options.budget ?? 0);
      return undefined;
    }
    await writer?.addAttempt(toAttemptName(attempt), recorder.exchanges, result.times);
    return result;
  } finally {
    makers.delete(runId);
  }
}

/** Makes an attempt from its recording. Returns undefined where that does not hold all that is asked. */
async function replayAttempt(
  attempt: Attempt,
  { duet, makers, shared }: Row,
  { attempts, models }: Recording,
): Promise<AttemptResult | undefined> {
  const name = toAttemptName(attempt);
  const [recorded, described] = [attempts.get(name), models.get(attempt.pair)];
  if (recorded === undefined || described === undefined) {
    shared.refusals.push(noAttemptError(name));
    return undefined;
  }
  const stop = new AbortController();
  const replay = createAttemptReplay(recorded, {
    redact: shared.redactor.redact,
    folders: shared.folders,
    onRefusal(refusal) {
      if (!stop.signal.aborted) shared.refusals.push(refusal);
      stop.abort(refusal);
    },
  });
  const runId = createRunId();
  makers.set(runId, (tool, args, _call, signal) => replay.replayCall(tool, args, signal));
  try {
    return await runAttempt(attempt, {
      duet,
      runId,
      models: createRecordedModels(described, replay.createModel),
      judge: described.judge && replay.createModel(described.judge),
      countRequests: () => new Map(replay.requestTokens),
      recordedTimes: recorded.times,
      approves: shared.book !== undefined,
      signal: AbortSignal.any([shared.options.signal, stop.signal]),
    });
  } catch (thrown) {
    if (stop.signal.aborted) return undefined;
    throw thrown;
  } finally {
    makers.delete(runId);
  }
}

function noAttemptError(name: string): DuetError {
  return new DuetError({
    code: "invalid_request",
    text: { zh: `录制中没有 ${name}`, en: `the recording does not hold ${name}` },
  });
}

/** Nothing but the run of an attempt may call a recorded tool. */
async function refuseOutsideRun(): Promise<never> {
  throw noAttemptError("—");
}

function sumRequests(exchanges: ReturnType<typeof createAttemptRecorder>["exchanges"]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const one of exchanges)
    if (one.kind === "model") sums.set(one.model, (sums.get(one.model) ?? 0) + one.requestTokens);
  return sums;
}

/** Wraps all models; one that plays several roles stays one object. */
function mapModels({ functionCall, answer, fallbacks }: Models, wrap: (model: Model) => Model): Models {
  const known = new Map<Model, Model>();
  const wrapOnce = (model: Model): Model => {
    const wrapped = known.get(model) ?? wrap(model);
    known.set(model, wrapped);
    return wrapped;
  };
  return {
    functionCall: wrapOnce(functionCall),
    answer: wrapOnce(answer),
    ...(fallbacks && {
      fallbacks: { functionCall: fallbacks.functionCall.map(wrapOnce), answer: fallbacks.answer.map(wrapOnce) },
    }),
  };
}

function isBudgetUsed({ options: { budget, replay }, spent }: SharedState): boolean {
  return budget !== undefined && replay === undefined && spent >= budget;
}

function toCost({ cost_usd, judge_cost_usd }: AttemptResult): number {
  return (cost_usd ?? 0) + (judge_cost_usd ?? 0);
}
