import type { Locale } from "../../kit/locale.ts";
import type { SubAgentSettings } from "../config.ts";
import { missingError, notAllowedError } from "../config-errors.ts";
import { type ModelChoice, type ModelsConfig, resolveChoice } from "../models/models.ts";
import { type ModelSpec, readModelName } from "../models/resolve-model.ts";
import type { Settings } from "../schema/file-schema.ts";
import type { Environment } from "../sources/expand-variables.ts";
import { getHomeDirectory } from "../sources/find-file.ts";
import type { Path } from "../sources/setting-path.ts";
import { describeKnownAgent, readAcp } from "./read-acp.ts";

interface SubAgentPlace {
  locale: Locale;
  /** Is the working folder of the program. */
  directory: string;
  providers: ModelsConfig["providers"];
  describePlace(path: Path): string;
  resolvePath(path: string): string;
}

/** Reads the agents beside the main one. Throws `config` errors that name the key. */
export function readSubAgents(
  { agents, agent, mcpServers, servers: alsoServers }: Settings,
  environment: Environment,
  { locale, directory, providers, describePlace, resolvePath }: SubAgentPlace,
): SubAgentSettings[] {
  return Object.entries(agents).map(([name, settings]) => {
    const { models = {}, tools, instructions, prompts, mode, limits = {} } = settings;
    const place = (...keys: string[]): string => describePlace(["agents", name, ...keys]);
    const servers = [...Object.keys(mcpServers), ...Object.keys(alsoServers)];
    const home = getHomeDirectory(environment);
    const acpPlace = { directory, home, servers, describePlace: place, resolvePath };
    const acp = settings.acp && readAcp(name, settings, settings.acp, acpPlace);
    const description = settings.description ?? (acp && describeKnownAgent(name, locale));
    if (description === undefined) throw missingError(place("description"), purpose);
    const read = (role: "functionCall" | "answer"): ModelChoice | undefined => {
      const written = models[role];
      if (written === undefined) return undefined;
      const modelPlace = place("models", role);
      const spec: ModelSpec | undefined = typeof written === "string" ? readModelName(written) : written;
      if (spec === undefined) throw notAllowedError(modelPlace, JSON.stringify(written), modelForms);
      const maxTokens = spec.maxTokens ?? limits.maxTokens ?? agent.maxTokens;
      return resolveChoice({ ...spec, maxTokens }, modelPlace, { providers, environment });
    };
    const [functionCall, answer] = [read("functionCall"), read("answer")];
    return {
      name,
      description,
      models: { ...(functionCall && { functionCall }), ...(answer && { answer }) },
      tools,
      instructions,
      prompts: prompts && resolvePath(prompts),
      mode,
      limits: acp ? { ...acpLimits, ...limits } : limits,
      ...(acp && { acp }),
    };
  });
}

/** Are the limits of a question that goes straight to another program, which works for minutes and reads its context again and again. */
const acpLimits = { maxExecutionTime: 1800, tokenBudget: 10_000_000 };

const purpose = { zh: "说明它擅长什么的文本", en: "a text that says what it is good at" };

const modelForms = { zh: "provider/model 或对象", en: "provider/model, or an object" };
