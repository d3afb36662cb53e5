import { isDeepStrictEqual } from "node:util";
import type { Models } from "../../agent/run.ts";
import type { Config } from "../../config/load-config.ts";
import type { ModelChoice } from "../../config/models/models.ts";
import type { Model } from "../../core/model.ts";
import { createOnce, type Once } from "../../kit/async/once.ts";
import type { Locale } from "../../kit/errors.ts";
import type { Endpoints, PausedModel } from "../../providers/middleware/endpoints.ts";
import { changeChoices, refuseOwnParameters } from "./change-models.ts";
import type { ChosenModels, Role } from "./check-models.ts";
import type { ModelChanges, ModelParameters } from "./model-changes.ts";

/** Models that an embedding program has made itself. */
export interface CustomModels {
  functionCall?: Model | undefined;
  answer?: Model | undefined;
  /** Only one model was given: it plays both parts, whatever else is configured. */
  alone?: boolean;
}

/** The models of a process. Both throw a `config` error for a change that cannot be. */
export interface ModelRegistry {
  /**
   * Opens the models in force, the program's own first, with what is changed of them; the same object twice where one plays both
   * parts, and the same as before where nothing is changed.
   */
  open(changes?: ModelChanges): Promise<Models>;
  /** The models that are not asked for a while. */
  paused(): Promise<PausedModel[]>;
  /** The parameters of each role; none of the offline rules, nor of the program's own models. */
  parameters(changes?: ModelChanges): Promise<Record<Role, ModelParameters>>;
}

export function createModelRegistry(config: Config, own: CustomModels = {}): ModelRegistry {
  /** Those that were wanted last are the last. */
  const kept: { choice: ModelChoice; model: Once<Model> }[] = [];
  const configured = createOnce(() => chooseModels(config));
  const endpoints = createOnce(async () => (await import("../../providers/middleware/endpoints.ts")).createEndpoints());

  async function opened(player: Player): Promise<Model> {
    if ("stream" in player) return player;
    const at = kept.findIndex(({ choice }) => isDeepStrictEqual(choice, player));
    const [known] = at < 0 ? [] : kept.splice(at, 1);
    const { model } = known ?? { model: createOnce(() => openModel(player, config.locale, endpoints)) };
    kept.push({ choice: player, model });
    if (kept.length > mostKept) kept.shift();
    return model.get();
  }

  /** What plays each part: the program's own model, else a choice. */
  async function choosePlayers(changes: ModelChanges): Promise<Record<Role, Player>> {
    const decideOwn = changes.functionCall === undefined ? own.functionCall : undefined;
    const answerOwn = changes.answer === undefined ? own.answer : undefined;
    const isAlone = changes.answer === null || (changes.answer === undefined && own.alone === true);
    refuseOwnParameters({ functionCall: decideOwn, answer: answerOwn ?? (isAlone ? decideOwn : undefined) }, changes);
    if (decideOwn && (answerOwn || isAlone)) return { functionCall: decideOwn, answer: answerOwn ?? decideOwn };
    const meant = isAlone ? { ...changes, answer: null } : changes;
    const { functionCall, answer } = await changeChoices(
      await configured.get(),
      meant,
      config,
      decideOwn !== undefined,
    );
    const decide = decideOwn ?? functionCall;
    return { functionCall: decide, answer: answerOwn ?? answer ?? decide };
  }

  return {
    async open(changes = {}) {
      const { functionCall, answer } = await choosePlayers(changes);
      const decide = await opened(functionCall);
      return { functionCall: decide, answer: answer === functionCall ? decide : await opened(answer) };
    },
    paused: async () => (await endpoints.begun)?.paused() ?? [],
    async parameters(changes = {}) {
      const { functionCall, answer } = await choosePlayers(changes);
      return { functionCall: parametersOf(functionCall), answer: parametersOf(answer) };
    },
  };
}

type Player = Model | ModelChoice;

function parametersOf(player: Player): ModelParameters {
  if (!("wire" in player)) return {};
  const { temperature, maxTokens, topP } = player;
  return { temperature, maxTokens, topP };
}

/** Models that are kept open: whoever goes back to one gets the same. */
const mostKept = 20;

/** The configured models; else the first with a key, a local Ollama that answers, or the offline rules. */
export async function chooseModels(config: Config): Promise<ChosenModels> {
  const { functionCall, answer } = config.models;
  if (functionCall) {
    // The same model named twice is one model.
    return { functionCall, answer: isDeepStrictEqual(answer, functionCall) ? undefined : answer };
  }
  const found = config.candidates[0] ?? (await localOllama(config));
  return { functionCall: found ?? { provider: "offline", model: "rules" } };
}

async function openModel(choice: ModelChoice, locale: Locale, endpoints: Once<Endpoints>): Promise<Model> {
  if (!("wire" in choice)) {
    const { createOfflineModel } = await import("../../providers/offline/model.ts");
    return createOfflineModel({ locale });
  }
  const { createModel } = await import("../../providers/create-model.ts");
  return createModel(choice, { locale, endpoints: await endpoints.get() });
}

async function localOllama({ ollama, providers, environment }: Config): Promise<ModelChoice | undefined> {
  const [{ findOllama }, { resolveModel }] = await Promise.all([
    import("../../providers/ollama.ts"),
    import("../../config/models/resolve-model.ts"),
  ]);
  const model = await findOllama(ollama.baseUrl);
  return model === undefined
    ? undefined
    : resolveModel({ provider: "ollama", model }, providers, environment, "ollama");
}
