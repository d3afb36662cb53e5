import { findKnownAgent, type KnownAgent, knownAgents } from "../../config/agents/known-agents.ts";
import type { Config } from "../../config/config.ts";
import { createChildEnvironment } from "../../kit/process/child-environment.ts";
import { findCommand } from "../../kit/process/find-command.ts";

/** Says whether the program of an agent is installed. */
export interface AgentProgram {
  name: string;
  command: string;
  /** Is the path of the program; undefined where it is not installed. */
  file: string | undefined;
  /** Says how it is installed, for a program that is known by its name. */
  install: string | undefined;
  isConfigured: boolean;
}

/** Finds the programs of the configured agents, and of those known by name that are not configured. None is started. */
export async function listAgentPrograms({
  agents,
  environment,
  directory,
}: Pick<Config, "agents" | "environment" | "directory">): Promise<AgentProgram[]> {
  const configured = agents.flatMap(({ name, acp }) => {
    if (acp === undefined) return [];
    const { command } = acp.transport;
    const known = findKnownAgent(name);
    const install = known?.command === command ? known.install : undefined;
    const env = createChildEnvironment(environment, acp.transport);
    return { name, command, install, isConfigured: true, env, cwd: acp.cwd };
  });
  const names = new Set(configured.map(({ name }) => name));
  const env = createChildEnvironment(environment);
  const others = Object.entries<KnownAgent>(knownAgents)
    .filter(([name]) => !names.has(name))
    .map(([name, { command, install }]) => ({ name, command, install, isConfigured: false, env, cwd: directory }));
  return Promise.all(
    [...configured, ...others].map(async ({ env, cwd, ...program }) => {
      return { ...program, file: await findCommand(program.command, env, cwd) };
    }),
  );
}
