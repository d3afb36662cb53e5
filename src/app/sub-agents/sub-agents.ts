import type { Config, SubAgentSettings } from "../../config/config.ts";
import { createOnce } from "../../kit/async/once.ts";
import { DuetError } from "../../kit/errors.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { type Agent, openAgent } from "../agent/open-agent.ts";
import type { DuetParts, SubAgent, SubAgents } from "../duet-parts.ts";
import type { ModelRegistry } from "../models/model-registry.ts";
import type { OtherAgents } from "./other-agents.ts";

/** `createModels` opens the models of another configuration with the secrets of this process. */
export function createSubAgents(
  { agents }: Pick<Config, "agents">,
  others: OtherAgents,
  createModels: (config: Config) => ModelRegistry,
): SubAgents {
  const opened = new Map<string, SubAgent>();
  return {
    all: agents,
    others,
    open(name, parts) {
      const known = opened.get(name);
      if (known) return known;
      const settings = agents.find((each) => each.name === name);
      if (settings === undefined) throw unknownAgentError(name, agents);
      const made = { settings, parts: createParts(settings, parts, createModels) };
      opened.set(name, made);
      return made;
    },
  };
}

function createParts(
  { models, limits, prompts, mode }: SubAgentSettings,
  parts: DuetParts,
  createModels: (config: Config) => ModelRegistry,
): DuetParts {
  const { config } = parts;
  const hasOwnModels = models.functionCall !== undefined || models.answer !== undefined;
  const own: Config = {
    ...config,
    agent: { ...config.agent, ...limits, mode },
    models: models.functionCall ? models : { ...config.models, ...models },
  };
  return {
    ...parts,
    config: own,
    models: hasOwnModels ? createModels(own) : parts.models,
    agent: prompts === undefined ? parts.agent : createOnce(() => openAgentWithPrompts(prompts)),
  };
}

async function openAgentWithPrompts(directory: string): Promise<Agent> {
  const { readUserPrompts } = await import("../agent/user-prompts.ts");
  return openAgent(await readUserPrompts(directory));
}

function unknownAgentError(name: string, agents: readonly SubAgentSettings[]): DuetError {
  const shown = toShortLine(JSON.stringify(name), 80);
  const names = agents.map((each) => each.name).join(", ");
  return new DuetError({
    code: "invalid_request",
    text: {
      zh: `没有智能体 ${shown}（${names === "" ? "配置中没有 agents" : `允许：${names}`}）`,
      en: `There is no agent ${shown} (${names === "" ? "the configuration has no agents" : `allowed: ${names}`}).`,
    },
  });
}
