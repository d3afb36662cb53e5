import type * as z from "zod";
import { listAgentPrograms } from "../../app/sub-agents/list-agent-programs.ts";
import { describeKnownAgent } from "../../config/agents/read-acp.ts";
import type { Config } from "../../config/config.ts";
import type { operatorAgentsSchema } from "../../core/schemas/operator-schema.ts";
import { toJsonResponse } from "../api/json-response.ts";
import type { Route } from "../http/routes.ts";

/** Serves the agents to the operator: those of the configuration, and programs that are known by name. None is started. */
export function createAgentsRoute(config: Config): Route {
  return {
    async GET() {
      const programs = await listAgentPrograms(config);
      const configured = config.agents.map(({ name, description, acp, mode }) => {
        const program = programs.find((each) => each.isConfigured && each.name === name);
        return {
          ...{ name, description, kind: acp === undefined ? ("own" as const) : ("program" as const), configured: true },
          installed: acp === undefined ? null : program?.file !== undefined,
          install: program?.install ?? null,
          mode: acp === undefined ? mode : (acp.mode ?? null),
        };
      });
      const others = programs
        .filter(({ isConfigured }) => !isConfigured)
        .map(({ name, file, install = null }) => ({
          ...{ name, description: describeKnownAgent(name, config.locale) ?? "", kind: "program" as const },
          ...{ configured: false, installed: file !== undefined, install, mode: null },
        }));
      return toJsonResponse({ agents: [...configured, ...others] } satisfies z.infer<typeof operatorAgentsSchema>);
    },
  };
}
