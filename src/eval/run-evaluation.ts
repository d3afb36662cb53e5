import type { Models } from "../agent/run.ts";
import { readUserPrompts } from "../app/agent/user-prompts.ts";
import type { Duet } from "../app/duet.ts";
import { createKnownRedactor, openDuet } from "../app/open-duet.ts";
import type { Config } from "../config/config.ts";
import { configError, joinConfigErrors } from "../config/config-errors.ts";
import { type Model, noUsage, toModelName } from "../core/model/model.ts";
import { ignoreRejection } from "../kit/async/ignore-rejection.ts";
import { createSemaphore } from "../kit/async/semaphore.ts";
import { ignoreAbort } from "../kit/async/timeout.ts";
import { DuetError } from "../kit/errors.ts";
import { isMatch } from "../kit/text/match-pattern.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { resolveRoots } from "../tools/files/allowed-path.ts";
import type { AttemptResult } from "./attempt-result.ts";
import {
  type EvaluationOptions,
  isBudgetUsed,
  type OpenedModels,
  type Row,
  type SharedState,
  toCost,
} from "./evaluation-state.ts";
import { makeAttempt, noAttemptError } from "./make-attempt.ts";
import { type Attempt, listAttempts, type ModelPair, type PromptSet, toAttemptKey } from "./matrix.ts";
import {
  createCallInterceptor,
  createToolBook,
  createToolReplacement,
  type MakeCall,
} from "./recording/intercept-tools.ts";
import { readRecording } from "./recording/read-recording.ts";
import { describeModels } from "./recording/recording-writer.ts";

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
  await refuseUnreadablePrompts(options.promptSets);
  const redactor = createKnownRedactor(config);
  const shared: SharedState = {
    options,
    redactor,
    writer: await options.openWriter?.(redactor),
    book: file.recordedTools === undefined ? undefined : createToolBook(await readRecording(file.recordedTools)),
    made: new Map(),
    refusals: [],
    folders: [config.directory, ...config.tools.roots, ...(await resolveRoots(config.tools.roots))],
    spent: [...(results?.earlier.values() ?? [])].reduce((sum, result) => sum + toCost(result), results?.lost ?? 0),
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

/** A row whose prompts cannot be used is found before others are paid for. */
async function refuseUnreadablePrompts(promptSets: readonly PromptSet[]): Promise<void> {
  for (const { directory } of promptSets) if (directory !== undefined) await readUserPrompts(directory);
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
      await ignoreRejection(places.acquire(signal), "an abort is asked for below");
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

/** A call of a tool that does not exist can never be made, nor one offered: a name is misspelt, or a server is missing. */
function refuseMissingTools(attempts: readonly Attempt[], names: readonly string[]): void {
  const wanted = attempts.flatMap(({ case: { id, calls = [], tools = [] } }) =>
    [...calls.map(({ tool }) => tool), ...tools].map((tool) => ({ id, tool })),
  );
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

async function openRowModels(
  attempts: readonly Attempt[],
  duet: Duet,
  { options, writer }: SharedState,
): Promise<Map<string, OpenedModels>> {
  const { pairs, replay, file, budget } = options;
  const opened = new Map<string, OpenedModels>();
  if (replay) return opened;
  const open = (pair: ModelPair): Promise<OpenedModels["models"]> =>
    (options.openModels?.(pair) ?? duet.models.open(pair.changes)).catch((thrown: unknown) => {
      throw pair.changes === undefined ? thrown : toNamedError(pair, thrown);
    });
  const judge =
    file.judge === undefined
      ? undefined
      : (await open({ name: file.judge, changes: { functionCall: file.judge, answer: null } })).answer;
  for (const pair of pairs.filter(({ name }) => attempts.some((attempt) => attempt.pair === name))) {
    const models = await open(pair);
    if (budget !== undefined) refuseUnknownPrice(judge ? [...listModels(models), judge] : listModels(models));
    opened.set(pair.name, { models, judge });
    writer?.addModels(describeModels(pair.name, models, judge));
  }
  return opened;
}

function listModels({ functionCall, answer, fallbacks }: Models): Model[] {
  return [functionCall, answer, ...(fallbacks?.functionCall ?? []), ...(fallbacks?.answer ?? [])];
}

/** Names the pair, or the judge, of many, whose models cannot be opened. */
function toNamedError({ name }: ModelPair, thrown: unknown): unknown {
  return thrown instanceof DuetError && thrown.code === "config" ? configError(name, thrown.text, thrown) : thrown;
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

/** Nothing but the run of an attempt may call a recorded tool. */
async function refuseOutsideRun(): Promise<never> {
  throw noAttemptError("—");
}
