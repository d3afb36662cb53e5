import type { Config } from "../config.ts";
import { checkSource } from "../schema/check-source.ts";
import { configurationSchema } from "../schema/file-schema.ts";
import { parseOnce } from "../schema/object-schema.ts";
import { listEnvironmentSecrets } from "../sources/environment.ts";
import { createAssignedSource } from "../sources/source.ts";
import { readModelFlag } from "./model-text.ts";
import { type ModelChoice, resolveChoice } from "./models.ts";
import type { ModelSpec } from "./resolve-model.ts";

/** Describes the role whose model is changed. `maxTokens` limits its output, in tokens, when the change sets no limit. */
export interface ChangedRole {
  role: "functionCall" | "answer";
  /** Errors use this name for the setting. */
  name: string;
  maxTokens: number;
}

/**
 * Reads a model that is named while the program runs: `provider`, `provider/model` or the JSON of AGENT_FUNCTION_CALL_MODEL. It
 * is validated as in the configuration. Throws a `config` error of one line that shows the value and what is allowed.
 */
export async function readChangedModel(
  written: string,
  { role, name, maxTokens }: ChangedRole,
  { providers, environment, settings }: Pick<Config, "providers" | "environment" | "settings">,
): Promise<ModelChoice> {
  const secrets = listEnvironmentSecrets(environment);
  const value = await readModelFlag(written, name, secrets);
  const source = createAssignedSource(
    [{ path: ["models", role], value, written, origin: { from: "flag", name } }],
    secrets,
  );
  checkSource(source, configurationSchema);
  const spec: ModelSpec | undefined = configurationSchema.parse(source.tree, parseOnce).models[role];
  const whole = { provider: "", ...spec, maxTokens: spec?.maxTokens ?? maxTokens };
  const usual = role === "functionCall" ? { temperature: settings.agent.functionCallTemperature } : {};
  return resolveChoice(whole, name, { providers, environment }, usual);
}
