import type { Models } from "../../agent/run.ts";
import type { Config } from "../../config/config.ts";
import type { ModelParameters } from "../../config/models/resolve-model.ts";
import { waitAbortable } from "../../kit/async/timeout.ts";
import type { CommandKeys } from "../../providers/keys/command-keys.ts";
import type { PausedModel } from "../../providers/middleware/endpoints.ts";
import type { DuetParts } from "../duet-parts.ts";
import { changeChoices, type ModelChanges } from "./change-models.ts";
import type { ModelCheck } from "./check-models.ts";
import type { ModelList } from "./list-models.ts";
import { chooseModels, type ModelRegistry } from "./model-registry.ts";

/** Opens and checks the models in force, and lists those that can be chosen instead. */
export class ModelCatalog {
  readonly #config: Config;
  readonly #registry: ModelRegistry;
  readonly #list: DuetParts["modelList"];
  readonly #keys: CommandKeys | undefined;

  constructor({ config, models, modelList, keys }: Pick<DuetParts, "config" | "models" | "modelList" | "keys">) {
    this.#config = config;
    this.#registry = models;
    this.#list = modelList;
    this.#keys = keys;
  }

  /**
   * Returns the models for the two roles with the changes applied. They are the same object when one model plays both. Throws a
   * `config` error for an invalid model or parameter.
   */
  open(changes?: ModelChanges): Promise<Models> {
    return this.#registry.open(changes);
  }

  /**
   * Returns the parameters of the two roles. There are none for the offline rules or for models that an embedding program has
   * made.
   */
  getParameters(changes?: ModelChanges): Promise<Record<"functionCall" | "answer", ModelParameters>> {
    return this.#registry.parameters(changes);
  }

  /**
   * Lists what can be chosen as `provider/model`, best first: the models in force, and those of every vendor whose key is set. It
   * also names the vendors that did not say what they offer, and why.
   */
  async list(signal?: AbortSignal): Promise<ModelList> {
    const [list, inForce] = await waitAbortable(Promise.all([this.#list.get(), this.#registry.open()]), signal);
    return list(inForce, signal);
  }

  async listNames(signal?: AbortSignal): Promise<string[]> {
    return (await this.list(signal)).names;
  }

  /** Returns the models that are not called for a while, because they failed in run after run. */
  listPaused(): Promise<PausedModel[]> {
    return this.#registry.paused();
  }

  /** Asks each model in use for one word, side by side; rejects when the signal aborts, and for a change that cannot be. */
  async check(signal: AbortSignal, changes: ModelChanges = {}): Promise<ModelCheck[]> {
    const config = this.#config;
    const [{ checkModels }, chosen] = await Promise.all([import("./check-models.ts"), chooseModels(config)]);
    const choices = await changeChoices(chosen, changes, config);
    return checkModels(choices, { locale: config.locale, keys: this.#keys }, signal);
  }
}
