import type { Models } from "../../agent/run.ts";
import { toModelName } from "../../core/model/model.ts";
import type { Mode } from "../../core/run/outcome.ts";
import type { RunChoices } from "../conversations/last-choices.ts";
import type { DuetParts, SubAgent } from "../duet-parts.ts";
import { createAgentModels } from "../models/agent-models.ts";

/** Holds what a question names itself; the agent that answers it says the rest. */
export interface AskedChoices {
  agent: string | undefined;
  mode: Mode | undefined;
  models: Models | undefined;
}

/** Returns the mode in which a question is answered. Another program has modes of its own. */
export function chooseMode(agent: SubAgent | undefined, asked: Mode | undefined): Mode {
  if (agent?.settings.acp !== undefined) return "agent";
  return asked ?? agent?.settings.mode ?? "agent";
}

/** Returns the mode and the models with which a question would run. Throws for an agent that is not configured. */
export async function openChoices(main: DuetParts, { agent: name, mode, models }: AskedChoices): Promise<RunChoices> {
  const agent = name === undefined ? undefined : main.subAgents.open(name, main);
  const isOther = agent?.settings.acp !== undefined;
  const opened = isOther
    ? createAgentModels(agent.settings.name)
    : (models ?? (await (agent?.parts ?? main).models.open()));
  const { functionCall, answer } = opened;
  return {
    mode: chooseMode(agent, mode),
    models: { functionCall: toModelName(functionCall), answer: toModelName(answer) },
  };
}
