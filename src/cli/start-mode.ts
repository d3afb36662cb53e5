import type { Duet } from "../app.ts";
import type { Config } from "../config.ts";
import type { Mode } from "../core/outcome.ts";

/** The configured mode; where nobody chose one and there is no model, agent mode: the rules are nothing without tools. */
export async function startMode({ agent, settings }: Config, duet: Pick<Duet, "models">): Promise<Mode> {
  const { terminalMode } = agent;
  const chosen = settings.terminalMode ?? agent.mode;
  if (chosen !== undefined) return terminalMode;
  const { answer } = await duet.models();
  return answer.provider === "offline" ? "agent" : "chat";
}
