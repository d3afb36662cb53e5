import { isOffline, offlineProvider } from "../../core/model.ts";
import type { ModelSettings, Vendor } from "../../core/model-settings.ts";
import { DuetError } from "../../kit/errors.ts";
import type { ProxyRules } from "../../kit/net/proxy-rules.ts";
import { vendors } from "../../providers/vendors.ts";
import { configError, notAllowedError } from "../config-errors.ts";
import type { NetworkSettings } from "../network.ts";
import type { Settings } from "../schema/file-schema.ts";
import { httpAddress, isHttpAddress } from "../schema/schema-parts.ts";
import { hideSecrets, maskAddress, maskValue } from "../secrets/mask.ts";
import { listEnvironmentSecrets } from "../sources/environment.ts";
import type { Environment } from "../sources/expand-variables.ts";
import { getValue } from "../sources/setting-path.ts";
import type { Source } from "../sources/source.ts";
import { createVendorTable, type ModelSpec, resolveModel, type UsualParameters } from "./resolve-model.ts";

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

export interface ModelInputs {
  environment: Environment;
  network: NetworkSettings;
  /** Is the folder in which the packages of clouds are looked for. */
  packages: string;
}

/** Throws `config` errors that name the source and the key. */
export function readModels(
  settings: Settings,
  sources: readonly Source[],
  { environment, network, packages }: ModelInputs,
  limits: OutputLimits,
): ModelsConfig {
  const findPlace = (role: "functionCall" | "answer"): string => {
    const source = sources.findLast((each) => getValue(each.tree, ["models", role]) !== undefined);
    return source?.describePlace(["models", role]) ?? `models.${role}`;
  };
  const { functionCall, answer } = settings.models;
  if (answer !== undefined && functionCall === undefined) throw configError(findPlace("answer"), needsFunctionCall);

  const secrets = listEnvironmentSecrets(environment);
  const ofVendors = sources.find((each) => getValue(each.tree, ["providers"]) !== undefined);
  const providers = addWhere(ofVendors?.describePlace([]), secrets, () =>
    createVendorTable(settings.providers, { network, packages }),
  );
  checkVariables(providers, environment, secrets);
  const usual: UsualParameters = { temperature: settings.agent.functionCallTemperature };
  const read = (spec: ModelSpec, where: string, limit: number | undefined, others?: UsualParameters): ModelChoice => {
    const whole = { ...spec, maxTokens: limit ?? spec.maxTokens ?? limits.maxTokens };
    return resolveChoice(whole, where, { providers, environment }, others);
  };
  const ollama = providers.ollama;
  return {
    providers,
    models: {
      functionCall:
        functionCall && read(functionCall, findPlace("functionCall"), answer ? undefined : limits.limit, usual),
      answer: answer && read(answer, findPlace("answer"), limits.limit),
    },
    candidates: Object.keys(vendors)
      .filter((provider) => providers[provider]?.keyEnv !== undefined && providers[provider].regionOf === undefined)
      .map((provider) => {
        const spec = { provider, maxTokens: limits.limit ?? limits.maxTokens };
        return resolveModel(spec, providers, environment, provider, usual);
      })
      .filter(({ apiKey }) => apiKey !== undefined),
    ollama: {
      baseUrl: (environment.OLLAMA_BASE_URL || (ollama?.baseUrl ?? "")).replace(/\/+$/, ""),
      network: ollama?.network,
    },
  };
}

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

/** Checks the variables that the vendors' rows name, also of vendors that are not in use. */
function checkVariables(providers: Record<string, Vendor>, environment: Environment, secrets: string[]): void {
  for (const { baseUrlEnv = "", modelEnv } of Object.values(providers)) {
    const address = environment[baseUrlEnv];
    if (address && !isHttpAddress(address)) {
      throw notAllowedError(baseUrlEnv, JSON.stringify(maskAddress(address)), httpAddress);
    }
    const model = modelEnv && environment[modelEnv.name]?.trim();
    if (model && !modelEnv.match.test(model)) {
      const allowed = { zh: modelEnv.allowed, en: modelEnv.allowed };
      throw notAllowedError(modelEnv.name, maskValue(model, [modelEnv.name], secrets), allowed);
    }
  }
}

const needsFunctionCall = {
  zh: "只设置回答模型是不够的：请再设置 models.functionCall、AGENT_FUNCTION_CALL_MODEL 或 --function-call-model",
  en: "is not allowed without a function-call model: set models.functionCall, AGENT_FUNCTION_CALL_MODEL or --function-call-model",
};
