import type { ModelRole } from "../../agent/limits/statistics.ts";
import type { Config } from "../../config/config.ts";
import type { ModelChoice } from "../../config/models/models.ts";
import { type ModelEvent, type ModelRequest, toModelName } from "../../core/model.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import { type DuetError, toDuetError } from "../../kit/errors.ts";
import type { Locale } from "../../kit/locale.ts";

export type { ModelRole as Role };

/** Holds the models in force. `answer` is absent when one model plays both roles. */
export interface ChosenModels {
  functionCall: ModelChoice;
  answer?: ModelChoice;
}

/** Holds the result of one request to a model in use. */
export interface ModelCheck {
  roles: ModelRole[];
  choice: ModelChoice;
  /** Holds how long the request took, in milliseconds, even if it failed. */
  elapsedMs: number;
  error: DuetError | null;
  /** Lists notices about the model's settings, such as parameters that it does not accept. */
  notices: string[];
}

/** Lists the search providers in the order in which they are asked. No request was sent to any of them. */
export interface SearchCheck {
  chain: SearchProvider[];
}

export interface SearchProvider {
  party: string;
  host: string;
  hasKey: boolean;
  /** Is true when the query goes to a party with which the user has no account. */
  thirdParty: boolean;
}

/** Limits the wait for one word, in milliseconds. A model's own `timeout` may be shorter. */
const longestMs = 20_000;
/** Leaves enough tokens for a model that reasons before its one-word answer. */
const maxTokens = 128;

/** Asks each model in use for one word, side by side and once. Rejects only when the signal aborts. */
export function checkModels(chosen: ChosenModels, locale: Locale, signal: AbortSignal): Promise<ModelCheck[]> {
  const { functionCall, answer } = chosen;
  const checks: [ModelRole[], ModelChoice][] =
    answer === undefined
      ? [[["functionCall", "answer"], functionCall]]
      : [
          [["functionCall"], functionCall],
          [["answer"], answer],
        ];
  return Promise.all(checks.map(([roles, choice]) => checkModel(roles, choice, locale, signal)));
}

async function checkModel(
  roles: ModelRole[],
  choice: ModelChoice,
  locale: Locale,
  signal: AbortSignal,
): Promise<ModelCheck> {
  const began = performance.now();
  const notices: string[] = [];
  const error = await askOneWord(choice, locale, notices, signal).then(() => null, toDuetError);
  signal.throwIfAborted();
  return { roles, choice, elapsedMs: Math.round(performance.now() - began), error, notices };
}

/** Accepts any complete turn, even one cut at its limit: it proves that the model is available and accepts our requests. */
async function askOneWord(choice: ModelChoice, locale: Locale, notices: string[], signal: AbortSignal): Promise<void> {
  if (!("wire" in choice)) return;
  const { createModel } = await import("../../providers/create-model.ts");
  const model = createModel(choice, { locale, retries: 0 });
  const ms = Math.min(choice.timeoutMs, longestMs);
  const limit = createTimeLimit(ms, () => timeoutError(toModelName(choice), ms), signal);
  const request: ModelRequest = {
    messages: [{ role: "user", content: "Reply with the single word: ready" }],
    tools: [],
    maxTokens: Math.min(choice.maxTokens, maxTokens),
  };
  try {
    const noteNotice = (event: ModelEvent): void => {
      if (event.type === "notice") notices.push(event.message);
    };
    await model.stream(request, noteNotice, limit.signal);
  } finally {
    limit.clear();
  }
}

export async function findSearchInUse({ search }: Pick<Config, "search">): Promise<SearchCheck | null> {
  if (search.enabled === false) return null;
  const { chooseBackends } = await import("../../tools/search/choose-backends.ts");
  return { chain: chooseBackends(search) };
}
