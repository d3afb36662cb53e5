import { type Model, modelName } from "../core/model.ts";
import { timeLimit, timeoutError } from "../core/waiting.ts";

/** Ends a call, its retries included, after `ms` milliseconds, whatever arrives meanwhile. */
export function withTotalLimit(model: Model, ms: number): Model {
  return {
    provider: model.provider,
    model: model.model,
    async *stream(request, signal) {
      const limit = timeLimit(ms, () => timeoutError(modelName(model), ms), signal);
      try {
        yield* model.stream(request, limit.signal);
      } finally {
        limit.clear();
      }
    },
  };
}
