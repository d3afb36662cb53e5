import { isDeepStrictEqual } from "node:util";
import type { Models } from "../agent/run.ts";
import type { ModelChoice } from "../config/models.ts";
import type { Config } from "../config.ts";
import type { Model } from "../core/model.ts";
import type { Endpoints } from "../providers/endpoints.ts";
import type { Chosen } from "./checkup.ts";

/** Models that an embedding program has made itself. */
export interface OwnModels {
  functionCall?: Model | undefined;
  answer?: Model | undefined;
  /** Only one model was given: it plays both parts, whatever else is configured. */
  alone?: boolean;
}

/** Opens the models in force, the program's own first; the same object twice where one plays both parts. */
export async function chooseModels(config: Config, own: OwnModels = {}): Promise<Models> {
  const decideOwn = own.functionCall;
  if (decideOwn && (own.answer || own.alone)) return { functionCall: decideOwn, answer: own.answer ?? decideOwn };
  const { functionCall, answer } = await choose(config);
  const { createEndpoints } = await import("../providers/endpoints.ts");
  const endpoints = createEndpoints();
  const decide = decideOwn ?? (await open(functionCall, config, endpoints));
  if (own.answer) return { functionCall: decide, answer: own.answer };
  const isOne = answer === undefined || (own.alone && !decideOwn);
  return { functionCall: decide, answer: isOne ? decide : await open(answer, config, endpoints) };
}

/** The configured models; else the first with a key, a local Ollama that answers, or the offline rules. */
export async function choose(config: Config): Promise<Chosen> {
  const { functionCall, answer } = config.models;
  if (functionCall) {
    // The same model named twice is one model.
    return { functionCall, answer: isDeepStrictEqual(answer, functionCall) ? undefined : answer };
  }
  const found = config.candidates[0] ?? (await localOllama(config));
  return { functionCall: found ?? { provider: "offline", model: "rules" } };
}

async function open(choice: ModelChoice, config: Config, endpoints: Endpoints): Promise<Model> {
  if (!("wire" in choice)) return offline(config);
  const { createModel } = await import("../providers/create.ts");
  return createModel(choice, { locale: config.locale, endpoints });
}

async function localOllama({ ollama, providers, environment }: Config): Promise<ModelChoice | undefined> {
  const [{ findOllama }, { resolveModel }] = await Promise.all([
    import("../providers/ollama.ts"),
    import("../providers/resolve.ts"),
  ]);
  const model = await findOllama(ollama.baseUrl);
  return model === undefined
    ? undefined
    : resolveModel({ provider: "ollama", model }, providers, environment, "ollama");
}

async function offline({ locale }: Config): Promise<Model> {
  const { createOfflineModel } = await import("../providers/offline/model.ts");
  return createOfflineModel({ locale });
}
