import { type Model, modelName } from "../core/model.ts";
import { timeoutError } from "../core/waiting.ts";

/** Ends a call, its retries included, after `ms` milliseconds, whatever arrives meanwhile. */
export function withTotalLimit(model: Model, ms: number): Model {
  return {
    provider: model.provider,
    model: model.model,
    async *stream(request, signal) {
      const controller = new AbortController();
      const follow = (): void => controller.abort(signal.reason);
      if (signal.aborted) follow();
      signal.addEventListener("abort", follow, { once: true });
      const timer = setTimeout(() => controller.abort(timeoutError(modelName(model), ms)), ms);
      try {
        yield* model.stream(request, controller.signal);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", follow);
      }
    },
  };
}
