import type { Config } from "../../config/config.ts";
import { isOffline } from "../../core/model/model.ts";
import type { Mode } from "../../core/run/outcome.ts";
import type { ModelCatalog } from "./model-catalog.ts";

/** Holds the part of the configuration that decides the start mode. */
export interface StartConfig extends Pick<Config, "settings" | "models" | "candidates"> {
  agent: Pick<Config["agent"], "mode" | "terminalMode">;
}

/**
 * Chooses the mode in which a person's chat starts, in the terminal and on the page. It is the configured mode. Where none is
 * configured and there is no model, it is agent mode, because the offline rules are useless without tools. Models are looked for
 * only when the configuration names none and no key is set.
 */
export async function chooseStartMode(config: StartConfig, catalog: Pick<ModelCatalog, "open">): Promise<Mode> {
  const { agent, settings, models, candidates } = config;
  if ((settings.terminalMode ?? agent.mode) !== undefined) return agent.terminalMode;
  const known = models.answer ?? models.functionCall ?? candidates[0];
  return isOffline(known ?? (await catalog.open()).answer) ? "agent" : "chat";
}
