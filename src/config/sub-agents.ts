import type { SubAgentSettings } from "./config.ts";
import { notAllowedError } from "./config-errors.ts";
import { type ModelChoice, type ModelsConfig, resolveChoice } from "./models/models.ts";
import { type ModelSpec, readModelName } from "./models/resolve-model.ts";
import type { Settings } from "./schema/file-schema.ts";
import type { Environment } from "./sources/expand-variables.ts";
import type { Path } from "./sources/setting-path.ts";

interface SubAgentPlace {
  providers: ModelsConfig["providers"];
  describePlace(path: Path): string;
  resolvePath(path: string): string;
}

/** Reads the agents beside the main one. Throws `config` errors that name the key. */
export function readSubAgents(
  { agents, agent }: Settings,
  environment: Environment,
  { providers, describePlace, resolvePath }: SubAgentPlace,
): SubAgentSettings[] {
  return Object.entries(agents).map(([name, settings]) => {
    const { description, models = {}, tools, instructions, prompts, mode, limits = {} } = settings;
    const read = (role: "functionCall" | "answer"): ModelChoice | undefined => {
      const written = models[role];
      if (written === undefined) return undefined;
      const place = describePlace(["agents", name, "models", role]);
      const spec: ModelSpec | undefined = typeof written === "string" ? readModelName(written) : written;
      if (spec === undefined) throw notAllowedError(place, JSON.stringify(written), modelForms);
      const maxTokens = spec.maxTokens ?? limits.maxTokens ?? agent.maxTokens;
      return resolveChoice({ ...spec, maxTokens }, place, { providers, environment });
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
      limits,
    };
  });
}

const modelForms = { zh: "provider/model 或对象", en: "provider/model, or an object" };
