import type { Models } from "../agent/run.ts";
import { type Model, replaceStream } from "../core/model/model.ts";
import { DuetError } from "../kit/errors.ts";
import type { AttemptResult } from "./attempt-result.ts";
import { isBudgetUsed, type Row, type SharedState } from "./evaluation-state.ts";
import { type Attempt, toAttemptKey, toAttemptName } from "./matrix.ts";
import { createAttemptRecorder } from "./recording/attempt-recorder.ts";
import { createAttemptReplay } from "./recording/attempt-replay.ts";
import type { Recording } from "./recording/read-recording.ts";
import { createRecordedModels } from "./recording/recording-writer.ts";
import { createRunId, runAttempt } from "./run-attempt.ts";

/** Makes one attempt, and keeps its result. Rejects where the evaluation cannot go on. */
export async function makeAttempt(attempt: Attempt, row: Row): Promise<void> {
  const { shared } = row;
  const { results, onResult, replay } = shared.options;
  const result = replay ? await replayAttempt(attempt, row, replay) : await askModels(attempt, row);
  if (result === undefined) return;
  const key = toAttemptKey(attempt);
  await results?.add(key, result);
  shared.made.set(key, result);
  onResult?.(result, shared.made.size, shared.total);
}

/** Makes an attempt with real models, and records it where that is wanted. */
async function askModels(attempt: Attempt, { duet, makers, models, shared }: Row): Promise<AttemptResult | undefined> {
  const { options, writer, book } = shared;
  const opened = models.get(attempt.pair);
  if (opened === undefined) throw new Error(`the models of ${attempt.pair} were not opened`);
  let lost = 0;
  const recorder = createAttemptRecorder({
    folders: shared.folders,
    onCost: (cost) => {
      shared.spent += cost;
      lost += cost;
    },
  });
  const cut = new AbortController();
  const prepare = (model: Model): Model => withBudget(recorder.recordModel(model), shared, cut);
  const runId = createRunId();
  makers.set(runId, recorder.recordCall);
  const left = options.budget === undefined ? undefined : Math.max(0, options.budget - shared.spent);
  try {
    const result = await runAttempt(attempt, {
      duet,
      runId,
      models: mapModels(opened.models, prepare),
      judge: opened.judge && prepare(opened.judge),
      countRequests: () => sumRequests(recorder.exchanges),
      approves: book !== undefined,
      locale: options.config.locale,
      costBudget: left,
      signal: AbortSignal.any([options.signal, cut.signal]),
    });
    if (
      left !== undefined &&
      result.stop_reason === "cost_limit" &&
      left <= (options.config.agent.costBudget ?? left)
    ) {
      // What the budget of the evaluation has cut off says nothing about the models.
      shared.spent = Math.max(shared.spent, options.budget ?? 0);
      return undefined;
    }
    await writer?.addAttempt(toAttemptName(attempt), recorder.exchanges, result.times);
    lost = 0;
    return result;
  } catch (thrown) {
    if (cut.signal.aborted) return undefined;
    throw thrown;
  } finally {
    makers.delete(runId);
    // What has no result has been paid for all the same.
    if (lost > 0) await options.results?.addCost(lost);
  }
}

/** Asks nothing more once all attempts together have used the budget: each run by itself sees only what was left when it began. */
function withBudget(model: Model, shared: SharedState, cut: AbortController): Model {
  if (shared.options.budget === undefined) return model;
  return replaceStream(model, async (request, onEvent, signal) => {
    if (isBudgetUsed(shared)) cut.abort();
    cut.signal.throwIfAborted();
    return model.stream(request, onEvent, signal);
  });
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
  if (described.judge === undefined && attempt.case.answer.some((check) => "judge" in check)) {
    shared.refusals.push(noJudgeError(name));
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
      locale: shared.options.config.locale,
      signal: AbortSignal.any([shared.options.signal, stop.signal]),
    });
  } catch (thrown) {
    if (stop.signal.aborted) return undefined;
    throw thrown;
  } finally {
    makers.delete(runId);
  }
}

export function noAttemptError(name: string): DuetError {
  return new DuetError({
    code: "invalid_request",
    text: { zh: `录制中没有 ${name}`, en: `the recording does not hold ${name}` },
  });
}

function noJudgeError(name: string): DuetError {
  return new DuetError({
    code: "invalid_request",
    text: { zh: `${name}：录制中没有评判模型`, en: `${name}: the recording holds no model that judges` },
  });
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
