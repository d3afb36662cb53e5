import type { Config } from "../../config/load-config.ts";
import type { Mode } from "../../core/outcome.ts";
import type { Duet } from "../duet.ts";

/** What of the configuration decides it. */
export interface StartConfig extends Pick<Config, "settings" | "models" | "candidates"> {
  agent: Pick<Config["agent"], "mode" | "terminalMode">;
}

/**
 * In which mode a person's chat starts, in the terminal and on the page: the configured mode; where nobody chose one and there is no model, agent mode: the rules are nothing without tools. The
 * models are looked for only where the configuration names none and no key is set.
 */
export async function chooseStartMode(config: StartConfig, duet: Pick<Duet, "models">): Promise<Mode> {
  const { agent, settings, models, candidates } = config;
  if ((settings.terminalMode ?? agent.mode) !== undefined) return agent.terminalMode;
  const known = models.answer ?? models.functionCall ?? candidates[0];
  const { provider } = known ?? (await duet.models()).answer;
  return provider === "offline" ? "agent" : "chat";
}
