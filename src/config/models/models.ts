import { isOffline, offlineProvider } from "../../core/model/model.ts";
import type { ModelSettings, Vendor } from "../../core/model/model-settings.ts";
import { DuetError } from "../../kit/errors.ts";
import type { ProxyRules } from "../../kit/net/proxy-rules.ts";
import { defaultTemperature, defaultWire, vendors } from "../../providers/vendors.ts";
import { configError, type ErrorCollector, notAllowedError } from "../config-errors.ts";
import type { NetworkSettings } from "../network.ts";
import { httpAddress, isHttpAddress } from "../schema/address-schemas.ts";
import type { Settings } from "../schema/file-schema.ts";
import { hideSecrets, maskAddress, maskValue } from "../secrets/mask.ts";
import { listEnvironmentSecrets } from "../sources/environment.ts";
import type { Environment } from "../sources/expand-variables.ts";
import { getValue, type Path } from "../sources/setting-path.ts";
import type { Source } from "../sources/source.ts";
import type { UnsetPart } from "../sources/unset-parts.ts";
import { type ModelSpec, resolveModel, type UsualParameters } from "./resolve-model.ts";
import { createVendorTable, resolveVendorName } from "./vendor-table.ts";

/** Selects the rule-based model, which needs neither key nor network. */
export interface OfflineModel {
  provider: typeof offlineProvider;
  model: "rules";
}

/** Check `"wire" in model` to narrow the type: only a language model has a wire. */
export type ModelChoice = ModelSettings | OfflineModel;

export interface ModelsConfig {
  providers: Record<string, Vendor>;
  /** `answer` is absent when one model has both roles. Both are absent when none is configured. */
  models: { functionCall?: ModelChoice; answer?: ModelChoice };
  /** Lists the models that can be used when none is configured: those of the vendors whose key is set, best first. */
  candidates: ModelSettings[];
  ollama: { baseUrl: string; network?: ProxyRules | undefined };
}

/** `maxTokens` limits the output of models that set no limit. `limit`, when given, applies to the model that answers. */
export interface OutputLimits {
  maxTokens: number;
  limit: number | undefined;
}

/** Holds what the models are read from. */
export interface ModelInputs {
  settings: Settings;
  environment: Environment;
  unsetParts: readonly UnsetPart[];
  /** Lists the parts that were left out because of errors in them. */
  broken: readonly Path[];
  sources: readonly Source[];
  limits: OutputLimits;
  network: NetworkSettings;
  /** Is the folder in which the packages of clouds are looked for. */
  packages: string;
}

/** Collects `config` errors that name the source and the key. What is wrong is left out. */
export function readModels(inputs: ModelInputs, collector: ErrorCollector): ModelsConfig {
  const { settings, sources, environment, limits, unsetParts, broken, network, packages } = inputs;
  const findPlace = (role: "functionCall" | "answer"): string => {
    const source = sources.findLast((each) => getValue(each.tree, ["models", role]) !== undefined);
    return source?.describePlace(["models", role]) ?? `models.${role}`;
  };
  const { functionCall, answer } = settings.models;
  const isBroken = broken.some(([first]) => first === "models");
  if (answer !== undefined && functionCall === undefined && !isBroken) {
    collector.add(configError(findPlace("answer"), needsFunctionCall));
  }

  const secrets = listEnvironmentSecrets(environment);
  const ofVendors = sources.find((each) => getValue(each.tree, ["providers"]) !== undefined);
  const providers = createVendorTable({}, { network, packages });
  for (const [name, spec] of Object.entries(settings.providers)) {
    const own = collector.attempt(() =>
      addWhere(ofVendors?.describePlace([]), secrets, () => createVendorTable({ [name]: spec }, { network, packages })),
    );
    const id = resolveVendorName(name);
    if (own?.[id] !== undefined) providers[id] = own[id];
  }
  for (const { kind, name, text } of unsetParts) {
    const id = resolveVendorName(name);
    if (kind === "provider") providers[id] = { ...unsetVendor, ...providers[id], unusable: text };
  }
  const wrong = checkVariables(providers, environment, secrets);
  for (const { error } of wrong) collector.add(error);
  const usual: UsualParameters = { temperature: settings.agent.functionCallTemperature };
  const read = (spec: ModelSpec, where: string, limit: number | undefined, others?: UsualParameters) => {
    const whole = { ...spec, maxTokens: limit ?? spec.maxTokens ?? limits.maxTokens };
    return collector.attempt(() => resolveChoice(whole, where, { providers, environment }, others));
  };
  const { ollama } = providers;
  return {
    providers,
    models: {
      functionCall:
        functionCall && read(functionCall, findPlace("functionCall"), answer ? undefined : limits.limit, usual),
      answer: answer && functionCall && read(answer, findPlace("answer"), limits.limit),
    },
    candidates: Object.keys(vendors)
      .filter((name) => isCandidate(providers[name]) && !wrong.some(({ provider }) => provider === name))
      .flatMap((provider) => {
        const spec = { provider, maxTokens: limits.limit ?? limits.maxTokens };
        return collector.attempt(() => resolveModel(spec, providers, environment, provider, usual)) ?? [];
      })
      .filter(({ apiKey, apiKeyCommand }) => apiKey !== undefined || apiKeyCommand !== undefined),
    ollama: {
      baseUrl: ollama?.unusable ? "" : toOllamaAddress(environment.OLLAMA_BASE_URL || ollama?.baseUrl),
      network: ollama?.network,
    },
  };
}

function toOllamaAddress(address = ""): string {
  return address.replace(/\/+$/, "");
}

function isCandidate(vendor: Vendor | undefined): boolean {
  return vendor?.keyEnv !== undefined && vendor.regionOf === undefined && vendor.unusable === undefined;
}

/** Stands for a provider of the user's own whose settings are left out. */
const unsetVendor: Vendor = { wire: defaultWire, baseUrl: "", temperature: defaultTemperature, quirks: {} };

/** Resolves a model as it is written. Throws `config` errors that begin with `where` and hold no secret. */
export function resolveChoice(
  spec: ModelSpec,
  where: string,
  { providers, environment }: Pick<ModelsConfig, "providers"> & { environment: Environment },
  usual?: UsualParameters,
): ModelChoice {
  if (isOffline(spec)) return { provider: offlineProvider, model: "rules" };
  const secrets = listEnvironmentSecrets(environment);
  return addWhere(undefined, secrets, () => resolveModel(spec, providers, environment, where, usual));
}

/** Passes on what the providers say is wrong: without secrets, and after the source where they do not know it. */
function addWhere<T>(where: string | undefined, secrets: readonly string[], work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof DuetError)) throw thrown;
    const text = { zh: hideSecrets(thrown.text.zh, secrets), en: hideSecrets(thrown.text.en, secrets) };
    if (where !== undefined) throw configError(where, text);
    throw new DuetError({ code: "config", text, hint: thrown.hint });
  }
}

/** Finds wrong values of the variables that the vendors' rows name, also of vendors that are not in use. */
function checkVariables(
  providers: Record<string, Vendor>,
  environment: Environment,
  secrets: string[],
): { provider: string; error: DuetError }[] {
  return Object.entries(providers).flatMap(([provider, { baseUrlEnv = "", modelEnv }]) => {
    const address = environment[baseUrlEnv];
    const model = modelEnv && environment[modelEnv.name]?.trim();
    const errors: DuetError[] = [];
    if (address && !isHttpAddress(address)) {
      errors.push(notAllowedError(baseUrlEnv, JSON.stringify(maskAddress(address)), httpAddress));
    }
    if (model && !modelEnv.match.test(model)) {
      const allowed = { zh: modelEnv.allowed, en: modelEnv.allowed };
      errors.push(notAllowedError(modelEnv.name, maskValue(model, [modelEnv.name], secrets), allowed));
    }
    return errors.map((error) => ({ provider, error }));
  });
}

const needsFunctionCall = {
  zh: "只设置回答模型是不够的：请再设置 models.functionCall、AGENT_FUNCTION_CALL_MODEL 或 --function-call-model",
  en: "is not allowed without a function-call model: set models.functionCall, AGENT_FUNCTION_CALL_MODEL or --function-call-model",
};
