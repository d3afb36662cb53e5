import type { Model } from "../core/model.ts";
import { type RetryOptions, withRetry } from "./retry.ts";
import type { ModelSettings, WireName } from "./settings.ts";
import { withTotalLimit } from "./total-limit.ts";

/** A model that is ready to be called, with retries and its total limit. The vendor's package is loaded by the first call. */
export function createModel(settings: ModelSettings, options: RetryOptions = {}): Model {
  const retrying = withRetry(lazyModel(settings), { limitMs: settings.timeoutMs, ...options });
  return withTotalLimit(retrying, settings.timeoutMs);
}

function lazyModel(settings: ModelSettings): Model {
  let opened: Promise<Model> | undefined;
  return {
    provider: settings.provider,
    model: settings.model,
    async *stream(request, signal) {
      opened ??= openers[settings.wire](settings);
      yield* (await opened).stream(request, signal);
    },
  };
}

const openers: Record<WireName, (settings: ModelSettings) => Promise<Model>> = {
  "openai-chat": async (settings) => (await import("./openai-chat/model.ts")).openChatModel(settings),
  "anthropic-messages": async (settings) => (await import("./anthropic-messages/model.ts")).openMessagesModel(settings),
};
