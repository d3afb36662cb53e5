import { type Model, type ModelEvent, modelName } from "../core/model.ts";
import { type TimeLimit, timeLimit, timeoutError } from "../core/waiting.ts";

/** Ends a call, its retries included, after `ms` milliseconds, whatever arrives meanwhile. */
export function withTotalLimit(model: Model, ms: number): Model {
  const outOfTime = () => timeoutError(modelName(model), ms);
  return {
    provider: model.provider,
    model: model.model,
    stream: (request, signal) =>
      limited(
        (inner) => model.stream(request, inner),
        () => timeLimit(ms, outOfTime, signal),
      ),
  };
}

/** The events under a limit that begins with the first of them. By hand: an async generator in between costs every event. */
function limited(
  stream: (signal: AbortSignal) => AsyncIterable<ModelEvent>,
  begin: () => TimeLimit,
): AsyncIterableIterator<ModelEvent, void, undefined> {
  let limit: TimeLimit | undefined;
  let events: AsyncIterator<ModelEvent> | undefined;
  function open(): AsyncIterator<ModelEvent> {
    limit = begin();
    return stream(limit.signal)[Symbol.asyncIterator]();
  }
  function passOn(result: IteratorResult<ModelEvent>): IteratorResult<ModelEvent, void> {
    if (result.done) limit?.clear();
    return result;
  }
  function fail(thrown: unknown): never {
    limit?.clear();
    throw thrown;
  }
  return {
    next() {
      events ??= open();
      return events.next().then(passOn, fail);
    },
    async return() {
      limit?.clear();
      await events?.return?.();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
