import type { Model, ModelEvent } from "../core/model.ts";
import type { ModelSettings, WireName } from "../core/model-settings.ts";
import { estimateMessageTokens } from "./estimate-tokens.ts";
import { withContextWarning } from "./middleware/context-warning.ts";
import type { Endpoints } from "./middleware/endpoints.ts";
import { withSettingNotices } from "./middleware/parameters.ts";
import { type WireModel, withRepair } from "./middleware/repair.ts";
import { type RetryOptions, withRetry } from "./middleware/retry.ts";
import { withToolRequestLimits } from "./middleware/tool-request-limits.ts";
import { calculateCost, findPrice } from "./prices.ts";

export interface CreateOptions extends Omit<RetryOptions, "endpoint"> {
  /** All callers in a process share this state of the models. */
  endpoints?: Endpoints;
}

/**
 * Creates a model that is ready to be called, with repairs, retries, warnings and a price. It limits silence, and only the run
 * limits a whole turn. The first call loads the code of its wire.
 */
export function createModel(settings: ModelSettings, options: CreateOptions = {}): Model {
  const { endpoints, locale } = options;
  const endpoint = endpoints?.of(settings);
  const repairing = withRepair(lazyModel(settings), settings, locale);
  const retrying = withRetry(repairing, { ...options, endpoint });
  const telling = withSettingNotices(withToolRequestLimits(retrying, settings), settings, locale);
  const price = findPrice(settings);
  return {
    ...withContextWarning(telling, settings, locale),
    contextWindow: settings.contextWindow,
    keyName: settings.apiKeyEnv,
    countTokens: estimateMessageTokens,
    cost: (usage) => (price ? calculateCost(usage, price) : null),
  };
}

function lazyModel(settings: ModelSettings): WireModel {
  let opening: Promise<WireModel> | undefined;
  let opened: WireModel | undefined;
  async function* openAndStream(...call: Parameters<WireModel["stream"]>): AsyncGenerator<ModelEvent> {
    opening ??= openers[settings.wire](settings);
    opened = await opening;
    yield* opened.stream(...call);
  }
  return {
    provider: settings.provider,
    model: settings.model,
    // A generator on the way costs every event; once the model is there, none is needed.
    stream: (...call) => (opened ? opened.stream(...call) : openAndStream(...call)),
  };
}

const openers: Record<WireName, (settings: ModelSettings) => Promise<WireModel>> = {
  "openai-chat": async (settings) => (await import("./wires/openai-chat/model.ts")).openChatModel(settings),
  "openai-responses": async (settings) =>
    (await import("./wires/openai-responses/model.ts")).openResponsesModel(settings),
  "anthropic-messages": async (settings) =>
    (await import("./wires/anthropic-messages/model.ts")).openMessagesModel(settings),
};
