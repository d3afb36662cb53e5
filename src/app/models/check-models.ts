import type { Role } from "../../agent/limits/statistics.ts";
import type { Config } from "../../config/load-config.ts";
import type { ModelChoice } from "../../config/models/models.ts";
import { type ModelRequest, toModelName } from "../../core/model.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import { type DuetError, type Locale, toDuetError } from "../../kit/errors.ts";

export type { Role };

/** The models in force; `answer` is absent where one model plays both parts. */
export interface ChosenModels {
  functionCall: ModelChoice;
  answer?: ModelChoice;
}

/** What one request to a model in use showed. */
export interface ModelCheck {
  roles: Role[];
  choice: ModelChoice;
  /** How long it took, in milliseconds, an error too. */
  elapsedMs: number;
  error: DuetError | null;
  /** What the model's settings gave rise to: parameters that it does not take. */
  notices: string[];
}

/** Who gets search queries, the first first; nobody was asked anything. */
export interface SearchCheck {
  chain: SearchProvider[];
}

export interface SearchProvider {
  party: string;
  host: string;
  hasKey: boolean;
  /** The query goes to somebody with whom the user has no account. */
  thirdParty: boolean;
}

/** Longer nobody waits for one word, in milliseconds; a model's own `timeout` may be shorter. */
const longestMs = 20_000;
/** Room for a model that reasons before it says its word. */
const maxTokens = 128;

/** Asks each model in use for one word, side by side and once. Rejects only when the signal aborts. */
export function checkModels(chosen: ChosenModels, locale: Locale, signal: AbortSignal): Promise<ModelCheck[]> {
  const { functionCall, answer } = chosen;
  const checks: [Role[], ModelChoice][] =
    answer === undefined
      ? [[["functionCall", "answer"], functionCall]]
      : [
          [["functionCall"], functionCall],
          [["answer"], answer],
        ];
  return Promise.all(checks.map(([roles, choice]) => checkModel(roles, choice, locale, signal)));
}

async function checkModel(
  roles: Role[],
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

/** Any complete turn will do, also one that was cut at its limit: the model is there and takes our requests. */
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
    for await (const event of model.stream(request, limit.signal)) {
      if (event.type === "notice") notices.push(event.message);
    }
  } finally {
    limit.clear();
  }
}

export async function findSearchInUse({ search }: Pick<Config, "search">): Promise<SearchCheck | null> {
  if (search.enabled === false) return null;
  const { chooseBackends } = await import("../../tools/search/choose-backends.ts");
  return { chain: chooseBackends(search) };
}
