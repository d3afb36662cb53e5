import { type Model, withCall } from "../core/model/model.ts";
import type { ModelSettings, WireName } from "../core/model/model-settings.ts";
import { createTokenCounter, estimateMessageTokens } from "./estimate-tokens.ts";
import type { CommandKeys } from "./keys/command-keys.ts";
import { createKeyedModel } from "./keys/keyed-model.ts";
import { withAnswerFormat } from "./middleware/answer-format.ts";
import { withContextWarning } from "./middleware/context-warning.ts";
import type { Endpoints } from "./middleware/endpoints.ts";
import { withFiles } from "./middleware/files.ts";
import type { Middleware, ModelContext, RetryOptions } from "./middleware/middleware.ts";
import { withOutputLimit } from "./middleware/output-limit.ts";
import { chooseParameters, withSettingNotices } from "./middleware/parameters.ts";
import { withRepair } from "./middleware/repair.ts";
import { withRetry } from "./middleware/retry.ts";
import { withTextTools } from "./middleware/text-tools.ts";
import { withToolRequestLimits } from "./middleware/tool-request-limits.ts";
import { calculateCost } from "./prices.ts";

export interface CreateOptions extends Omit<RetryOptions, "endpoint"> {
  /** All callers in a process share this state of the models. */
  endpoints?: Endpoints;
  /** Runs the commands that print keys. */
  keys?: CommandKeys | undefined;
}

/**
 * Lists what every call passes on its way to the wire, innermost last. The circuit breaker is asked by `withRetry`, once for each
 * attempt; the time limits on silence belong to the wire, which sees the bytes.
 */
const middleware: readonly Middleware[] = [
  withContextWarning,
  withTextTools,
  withSettingNotices,
  withFiles,
  withToolRequestLimits,
  withAnswerFormat,
  withOutputLimit,
  withRetry,
  withRepair,
];

/**
 * Creates a model that is ready to be called, with repairs, retries, warnings and a price. It limits silence, and only the run
 * limits a whole turn. The first call loads the code of its wire. What the vendor's list knows is in the settings
 * (`addKnownFacts`).
 */
export function createModel(settings: ModelSettings, { endpoints, keys, ...options }: CreateOptions = {}): Model {
  const context: ModelContext = { ...options, settings, endpoint: endpoints?.of(settings) };
  const { price } = settings;
  const countText = createTokenCounter();
  return {
    ...middleware.reduceRight((next, wrap) => wrap(next, context), createKeyedModel(settings, keys, createLazyModel)),
    contextWindow: settings.contextWindow,
    capabilities: settings.capabilities,
    maxTokens: settings.maxTokens,
    outputAllowance: chooseParameters({ tools: [] }, settings).allowance || undefined,
    keyName: settings.apiKeyEnv,
    countTokens: (messages) => estimateMessageTokens(messages, settings, countText),
    cost: (usage) => (price ? calculateCost(usage, price) : null),
  };
}

function createLazyModel(settings: ModelSettings): Model {
  let opening: Promise<Model> | undefined;
  let opened: Model | undefined;
  return withCall({
    provider: settings.provider,
    model: settings.model,
    async stream(...call: Parameters<Model["stream"]>) {
      opening ??= openers[settings.wire](settings);
      opened ??= await opening;
      return opened.stream(...call);
    },
  });
}

const openers: Record<WireName, (settings: ModelSettings) => Promise<Model>> = {
  "openai-chat": async (settings) => (await import("./wires/openai-chat/model.ts")).openChatModel(settings),
  "openai-responses": async (settings) =>
    (await import("./wires/openai-responses/model.ts")).openResponsesModel(settings),
  "anthropic-messages": async (settings) =>
    (await import("./wires/anthropic-messages/model.ts")).openMessagesModel(settings),
};
