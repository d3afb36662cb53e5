import type { Config } from "../config.ts";
import { checkSource } from "../schema/check-source.ts";
import { parseOnce, settingsSchema } from "../schema/file-schema.ts";
import { listEnvironmentSecrets } from "../sources/environment.ts";
import { createAssignedSource } from "../sources/source.ts";
import { readModelFlag } from "./model-text.ts";
import { type ModelChoice, resolveChoice } from "./models.ts";
import type { ModelSpec } from "./resolve-model.ts";

/** Whose model is changed, and what it writes at most where the change does not say, in tokens. */
export interface ChangedRole {
  role: "functionCall" | "answer";
  /** How errors call it. */
  name: string;
  maxTokens: number;
}

/**
 * A model that somebody names while the program runs: `provider`, `provider/model` or the JSON of AGENT_FUNCTION_CALL_MODEL, read
 * and checked as the configuration's are. Throws a `config` error of one line that shows the value and what is allowed.
 */
export async function readChangedModel(
  written: string,
  { role, name, maxTokens }: ChangedRole,
  { providers, environment }: Pick<Config, "providers" | "environment">,
): Promise<ModelChoice> {
  const secrets = listEnvironmentSecrets(environment);
  const value = await readModelFlag(written, name, secrets);
  const source = createAssignedSource(
    [{ path: ["models", role], value, written, origin: { from: "flag", name } }],
    secrets,
  );
  checkSource(source, settingsSchema);
  const spec: ModelSpec | undefined = settingsSchema.parse(source.tree, parseOnce).models[role];
  const whole = { provider: "", ...spec, maxTokens: spec?.maxTokens ?? maxTokens };
  return resolveChoice(whole, name, { providers, environment });
}
