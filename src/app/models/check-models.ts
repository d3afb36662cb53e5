import type { ModelRole } from "../../agent/limits/statistics.ts";
import type { Config } from "../../config/config.ts";
import type { ModelChoice } from "../../config/models/models.ts";
import { type ModelEvent, type ModelRequest, toModelName } from "../../core/model/model.ts";
import type { KeyCommand } from "../../core/model/model-settings.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import { type DuetError, toDuetError } from "../../kit/errors.ts";
import type { Locale } from "../../kit/locale.ts";
import type { CommandKeys } from "../../providers/keys/command-keys.ts";

export type { ModelRole as Role };

/** Holds the models in force. `answer` is absent when one model plays both roles. */
export interface ChosenModels {
  functionCall: ModelChoice;
  answer?: ModelChoice;
}

/** Holds the result of one request to a model in use. */
export interface ModelCheck {
  roles: ModelRole[];
  /** Is true for a model that takes over when the one of these roles fails. */
  isFallback: boolean;
  choice: ModelChoice;
  /** Holds how long the request took, in milliseconds, even if it failed. */
  elapsedMs: number;
  error: DuetError | null;
  /** Says what came of the command that prints the key. It is absent where no command does. */
  key?: { elapsedMs: number; error: DuetError | null };
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

export interface ModelCheckOptions {
  locale: Locale;
  /** Runs the commands that print keys. */
  keys?: CommandKeys | undefined;
}

/** Asks each model in use, and each fallback, for one word, side by side and once. Rejects only when the signal aborts. */
export function checkModels(
  chosen: ChosenModels,
  options: ModelCheckOptions,
  signal: AbortSignal,
): Promise<ModelCheck[]> {
  const { functionCall, answer } = chosen;
  const checks: [ModelRole[], ModelChoice][] =
    answer === undefined
      ? [[["functionCall", "answer"], functionCall]]
      : [
          [["functionCall"], functionCall],
          [["answer"], answer],
        ];
  const all = checks.flatMap(([roles, choice]): CheckedModel[] => {
    const fallbacks = "wire" in choice ? (choice.fallbacks ?? []) : [];
    return [
      { roles, choice, isFallback: false },
      ...fallbacks.map((fallback) => ({ roles, choice: fallback, isFallback: true })),
    ];
  });
  return Promise.all(all.map((one) => checkModel(one, options, signal)));
}

type CheckedModel = Pick<ModelCheck, "roles" | "choice" | "isFallback">;

async function checkModel(checked: CheckedModel, options: ModelCheckOptions, signal: AbortSignal): Promise<ModelCheck> {
  const { choice } = checked;
  const command = "wire" in choice ? choice.apiKeyCommand : undefined;
  const key = command === undefined ? undefined : await checkKeyCommand(command, options, signal);
  const began = performance.now();
  const notices: string[] = [];
  const error = key?.error ?? (await askOneWord(choice, options, notices, signal).then(() => null, toDuetError));
  signal.throwIfAborted();
  return { ...checked, elapsedMs: Math.round(performance.now() - began), error, notices, ...(key && { key }) };
}

async function checkKeyCommand(
  command: KeyCommand,
  { keys }: ModelCheckOptions,
  signal: AbortSignal,
): Promise<NonNullable<ModelCheck["key"]>> {
  const began = performance.now();
  const error = (await keys?.get(command, signal).then(() => null, toDuetError)) ?? null;
  signal.throwIfAborted();
  return { elapsedMs: Math.round(performance.now() - began), error };
}

/** Accepts any complete turn, even one cut at its limit: it proves that the model is available and accepts our requests. */
async function askOneWord(
  choice: ModelChoice,
  { locale, keys }: ModelCheckOptions,
  notices: string[],
  signal: AbortSignal,
): Promise<void> {
  if (!("wire" in choice)) return;
  const { createModel } = await import("../../providers/create-model.ts");
  const model = createModel(choice, { locale, retries: 0, keys });
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
