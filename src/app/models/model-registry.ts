import { isDeepStrictEqual } from "node:util";
import type { Models } from "../../agent/run.ts";
import type { Config } from "../../config/config.ts";
import type { ModelChoice } from "../../config/models/models.ts";
import type { ModelParameters } from "../../config/models/resolve-model.ts";
import { type Model, offlineProvider } from "../../core/model/model.ts";
import type { ModelSettings } from "../../core/model/model-settings.ts";
import { createOnce, type Once } from "../../kit/async/once.ts";
import type { Locale } from "../../kit/locale.ts";
import type { Redactor } from "../../kit/text/redact.ts";
import type { CommandKeys } from "../../providers/keys/command-keys.ts";
import type { Endpoints, PausedModel } from "../../providers/middleware/endpoints.ts";
import { createRedactedModel } from "../secrets/redacted-model.ts";
import type { ModelChanges } from "./change-models.ts";
import { changeChoices, refuseOwnParameters } from "./change-models.ts";
import type { ChosenModels, Role } from "./check-models.ts";

export interface CustomModels {
  functionCall?: Model | undefined;
  answer?: Model | undefined;
  /** Is true when only one model was given. It plays both roles, whatever else is configured. */
  alone?: boolean;
}

/** Holds the models of a process. `open` and `parameters` throw a `config` error for an invalid change. */
export interface ModelRegistry {
  /**
   * Opens the models in force, the program's own first, with what is changed of them; the same object twice where one plays both
   * parts, and the same as before where nothing is changed.
   */
  open(changes?: ModelChanges): Promise<Models>;
  /** Returns the models that are not called for a while. */
  paused(): Promise<PausedModel[]>;
  /** Returns the parameters of each role. There are none for the offline rules or the program's own models. */
  parameters(changes?: ModelChanges): Promise<Record<Role, ModelParameters>>;
}

/** Holds what the models of a process share. */
export interface RegistryParts {
  redactor?: Redactor | undefined;
  keys?: CommandKeys | undefined;
}

export function createModelRegistry(
  config: Config,
  own: CustomModels = {},
  { redactor, keys }: RegistryParts = {},
): ModelRegistry {
  /** The most recently used models are at the end. */
  const kept: { choice: ModelChoice; model: Once<Model> }[] = [];
  const redacted = new WeakMap<Model, Model>();
  const configured = createOnce(() => chooseModels(config));
  const endpoints = createOnce(async () => (await import("../../providers/middleware/endpoints.ts")).createEndpoints());

  /** Returns the same object for the same model. */
  function redactModel(model: Model): Model {
    if (redactor === undefined || redactor.isEmpty) return model;
    const known = redacted.get(model) ?? createRedactedModel(model, redactor);
    redacted.set(model, known);
    return known;
  }

  async function openPlayer(player: Player): Promise<Model> {
    if ("stream" in player) return redactModel(player);
    const at = kept.findIndex(({ choice }) => choice === player || isDeepStrictEqual(choice, player));
    const [known] = at < 0 ? [] : kept.splice(at, 1);
    const { model } = known ?? { model: createOnce(() => openModel(player, config.locale, endpoints, keys)) };
    kept.push({ choice: player, model });
    if (kept.length > mostKept) kept.shift();
    return redactModel(await model.get());
  }

  /** Chooses what plays each role: the program's own model, else a configured choice. */
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
      const decide = await openPlayer(functionCall);
      const models = { functionCall: decide, answer: answer === functionCall ? decide : await openPlayer(answer) };
      if (listFallbacks(functionCall).length + listFallbacks(answer).length === 0) return models;
      const openAll = (player: Player): Promise<Model[]> => Promise.all(listFallbacks(player).map(openPlayer));
      const [ofDecide, ofAnswer] = [await openAll(functionCall), await openAll(answer)];
      return { ...models, fallbacks: { functionCall: ofDecide, answer: ofAnswer } };
    },
    paused: async () => (await endpoints.current)?.paused() ?? [],
    async parameters(changes = {}) {
      const { functionCall, answer } = await choosePlayers(changes);
      return { functionCall: getParameters(functionCall), answer: getParameters(answer) };
    },
  };
}

type Player = Model | ModelChoice;

function listFallbacks(player: Player): readonly ModelSettings[] {
  return "wire" in player ? (player.fallbacks ?? []) : [];
}

function getParameters(player: Player): ModelParameters {
  if (!("wire" in player)) return {};
  const { temperature, maxTokens, topP } = player;
  return { temperature, maxTokens, topP };
}

/** Limits the models that are kept open. Switching back to one of them returns the same object. */
const mostKept = 20;

/** Returns the configured models; else the first with a key, a local Ollama that answers, or the offline rules. */
export async function chooseModels(config: Config): Promise<ChosenModels> {
  const { functionCall, answer } = config.models;
  if (functionCall) {
    // The same model named twice is one model.
    const isOne = answer !== undefined && isDeepStrictEqual(answer, functionCall);
    return { functionCall, answer: isOne ? undefined : answer };
  }
  const found = config.candidates[0] ?? (await findLocalOllama(config));
  return { functionCall: found ?? { provider: offlineProvider, model: "rules" } };
}

async function openModel(
  choice: ModelChoice,
  locale: Locale,
  endpoints: Once<Endpoints>,
  keys: CommandKeys | undefined,
): Promise<Model> {
  if (!("wire" in choice)) {
    const { createOfflineModel } = await import("../../providers/offline/model.ts");
    return createOfflineModel({ locale });
  }
  const [{ createModel }, { addKnownFacts }] = await Promise.all([
    import("../../providers/create-model.ts"),
    import("../../providers/known-models/known-models.ts"),
  ]);
  return createModel(await addKnownFacts(choice), { locale, endpoints: await endpoints.get(), keys });
}

async function findLocalOllama({ ollama, providers, environment, agent }: Config): Promise<ModelChoice | undefined> {
  const [{ findOllama }, { resolveModel }] = await Promise.all([
    import("../../providers/offered-models.ts"),
    import("../../config/models/resolve-model.ts"),
  ]);
  const model = await findOllama(ollama);
  if (model === undefined) return undefined;
  const spec = { provider: "ollama", model, maxTokens: agent.maxTokens };
  return resolveModel(spec, providers, environment, "ollama", { temperature: agent.functionCallTemperature });
}
