import { toModelName } from "../core/model/model.ts";
import type { Config } from "./config.ts";
import type { ModelChoice } from "./models/models.ts";
import { maskTree } from "./secrets/mask.ts";
import { listSecrets } from "./secrets/secrets.ts";
import { type Path, renderPath } from "./sources/setting-path.ts";
import { listLeaves, type Origin } from "./sources/source.ts";

export interface Overview {
  /** Holds the settings in force in the shape of the file, with secrets masked. `null` marks a required value that is not set. */
  values: unknown;
  /** Maps the path of each setting to its origin. */
  origins: Record<string, Origin>;
}

/** Returns the configuration in force and the origin of each value, with secrets masked. */
export function createOverview(config: Config): Overview {
  const { agent, providers, mcpServers, servers, tools, search, web, email, serve } = config.settings;
  const { terminal, prompts, conversations, store } = config.settings;
  const functionCall = config.models.functionCall ?? config.candidates[0];
  const { answer } = config.models;
  const tree = {
    home: config.home,
    locale: config.locale,
    models: {
      functionCall: functionCall === undefined ? null : toShownModel(functionCall),
      answer: answer && toShownModel(answer),
    },
    providers,
    agent: { ...agent, mode: config.agent.terminalMode, maxTokens: config.agent.maxTokens },
    ...{ mcpServers, servers, tools: { ...tools, directory: config.tools.directory }, search, web, email, serve },
    ...{ terminal, prompts, conversations, store },
    httpToken: config.httpToken,
    signInSecret: config.signInSecret,
  };
  const origins = listLeaves(tree).map((path): [string, Origin] => [renderPath(path), findOrigin(path, config)]);
  return { values: maskTree(tree, listSecrets(config)), origins: Object.fromEntries(origins) };
}

function toShownModel(model: ModelChoice): Record<string, unknown> {
  if (!("wire" in model)) return { ...model };
  const {
    provider,
    servedAs,
    wire,
    baseUrl,
    apiKey,
    apiKeyEnv,
    temperature,
    topP,
    maxTokens,
    contextWindow,
    capabilities,
  } = model;
  return {
    ...{ provider, model: model.model, servedAs, wire, baseUrl },
    apiKey: apiKey ?? (apiKeyEnv === undefined ? undefined : null),
    ...{ temperature, topP, maxTokens, timeout: model.timeoutMs / 1000, contextWindow },
    reasoningEffort: model.reasoningEffort,
    capabilities,
    fallbacks: model.fallbacks?.map(toModelName),
  };
}

function findOrigin(path: Path, config: Config): Origin {
  const said = config.origins[renderPath(path)];
  const [first, second, key] = path;
  const model = second === "functionCall" || second === "answer" ? second : undefined;
  if (first === "models" && model !== undefined) return findModelOrigin(model, String(key), config, said);
  if (first === "agent" && second === "mode") return findTerminalModeOrigin(config);
  if (first === "agent" && second === "maxTokens") return config.origins.answerMaxTokens ?? said ?? { from: "default" };
  if (first === "locale") return said ?? getVariableOrigin(findLocaleVariable(config), config);
  return said ?? { from: "default" };
}

/**
 * Returns the origin of a value that the model does not set. It is the vendor's row, unless the environment or the file changes
 * that.
 */
function findModelOrigin(
  role: "functionCall" | "answer",
  key: string,
  config: Config,
  said: Origin | undefined,
): Origin {
  const model = config.models[role] ?? config.candidates[0];
  if (model === undefined || !("wire" in model)) return said ?? { from: "default" };
  const { origins, providers } = config;
  const row = providers[model.provider];
  const limit = origins.answerMaxTokens;
  if (key === "maxTokens" && limit !== undefined && isAnswerRole(role, config)) return limit;
  if (said !== undefined) return said;
  if (key === "maxTokens") return origins["agent.maxTokens"] ?? { from: "default" };
  if (key === "temperature" && role === "functionCall")
    return origins["agent.functionCallTemperature"] ?? { from: "default" };
  if (key === "apiKey" || key === "provider") return getNamedOrigin(model.apiKeyEnv, config);
  const inPlace = { baseUrl: row?.baseUrlEnv, model: row?.modelEnv?.name }[key];
  const origin = getVariableOrigin(inPlace, config);
  return origin.from === "default" ? (origins[renderPath(["providers", model.provider, key])] ?? origin) : origin;
}

function isAnswerRole(role: "functionCall" | "answer", { models }: Config): boolean {
  return role === "answer" || models.answer === undefined;
}

function findTerminalModeOrigin({ origins }: Config): Origin {
  const mode = origins["agent.mode"];
  return (mode?.from === "flag" ? mode : (origins.terminalMode ?? mode)) ?? { from: "default" };
}

function findLocaleVariable({ environment }: Config): string | undefined {
  return ["LC_ALL", "LC_MESSAGES", "LANG"].find((name) => environment[name]);
}

function getVariableOrigin(name: string | undefined, config: Config): Origin {
  return name !== undefined && config.environment[name] ? getNamedOrigin(name, config) : { from: "default" };
}

function getNamedOrigin(name: string | undefined, { dotEnv }: Config): Origin {
  if (name === undefined) return { from: "default" };
  return { from: "environment", name, file: dotEnv.added.has(name) ? dotEnv.file : undefined };
}
