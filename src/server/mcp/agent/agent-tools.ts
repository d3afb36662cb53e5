import type { CallToolResult } from "@modelcontextprotocol/server";
import { say } from "../../../kit/locale.ts";
import type { HostConnection } from "../../../runs/input/host-connection.ts";
import { createInputRequests } from "../../../runs/input/input-requests.ts";
import { describeWithdrawnQuestion } from "../../../runs/input/withdrawn-question.ts";
import type { LiveRuns } from "../../../runs/live-run.ts";
import type { RunService } from "../../../runs/run-service.ts";
import type { Capabilities, ResourceCapability, ToolCapability } from "../capabilities.ts";
import { createFailedResult } from "../failed-result.ts";
import { handleAsk as askAgent } from "./ask.ts";
import { createAgentCompletion } from "./complete-arguments.ts";
import type { AgentService, ConnectionScope } from "./connection-scope.ts";
import { type AgentDescription, describeAgent, describeForAgents } from "./describe-agent.ts";
import { createAgentPrompts } from "./prompts.ts";
import { createAgentResources } from "./resources.ts";
import { handleCancel, handleResult } from "./result.ts";
import { createRunPage } from "./run-page.ts";
import { canShowPages, runPageMeta } from "./run-page-support.ts";
import { serveTasks } from "./tasks.ts";
import { createAgentTools } from "./tool-list.ts";
import { filterUsableTools } from "./usable-servers.ts";

export interface AgentOptions {
  /** The rules of `tools.ask`. */
  asks: readonly string[];
}

/** The agent as tools, for any connection. */
export interface Agent {
  readonly runs: LiveRuns;
  /** A connection's part of it. */
  offer(connection: HostConnection): Capabilities;
}

export function createAgent(shared: RunService, { asks }: AgentOptions): Agent {
  const { duet, runs, settings } = shared;
  const { locale } = duet;
  const inputRequests = createInputRequests<CallToolResult>({
    tooLate: (state) => createFailedResult(say(locale, describeWithdrawnQuestion(state))),
  });
  const service: AgentService = { ...shared, inputRequests };
  const toTools = createAgentTools(locale);
  /** The run that waits for a call to be confirmed. */
  function runIdOf(token: string): string | undefined {
    const claim = service.confirmations.read(token);
    return claim?.kind === "call" ? claim.id : undefined;
  }

  return {
    runs,
    offer(connection) {
      const { caller, server } = connection;
      const scope: ConnectionScope = { ...service, connection, caller };
      serveTasks(server, scope);
      const gateway = duet.gateway(caller);
      const page = createRunPage({ runs, caller, locale, runIdOf });
      const resources = createAgentResources({ duet, runs, caller, locale });
      return {
        tools: offerTools({ scope, asks, page: page.tools, toTools }),
        prompts: createAgentPrompts({ duet, caller, locale }),
        resources: withPage(resources, page.resources),
        complete: createAgentCompletion({ duet, caller }),
        onChange(listener) {
          const stop = [gateway.onChange((list) => list === "tools" && listener(list)), resources.onChange(listener)];
          return () => {
            for (const each of stop) each();
          };
        },
        close() {
          if (connection.isOneRequest) return;
          inputRequests.closeConnection(connection);
          const unheld = runs.leave(connection);
          if (settings.onDisconnect === "cancel") for (const run of unheld) run.cancel();
        },
      };
    },
  };
}

/** How long servers that are starting are waited for, in milliseconds; the list is another one once they are there. */
const patienceMs = 2000;

interface Offered {
  scope: ConnectionScope;
  asks: readonly string[];
  page: ToolCapability;
  toTools: ReturnType<typeof createAgentTools>;
}

function offerTools({ scope, asks, page, toTools }: Offered): ToolCapability {
  const { duet, connection } = scope;
  const { locale } = duet;
  async function describe(signal: AbortSignal | undefined): Promise<AgentDescription> {
    const { tools, servers } = await duet.inventory(signal, patienceMs);
    return describeAgent(filterUsableTools(tools, connection.caller), servers, { ask: asks, locale });
  }

  return {
    async list(signal, host) {
      const described = host?.name === "duet" ? describeForAgents(locale) : await describe(signal);
      const shows = canShowPages(host?.capabilities);
      const own = toTools({ ...described, meta: shows ? runPageMeta : undefined });
      return shows ? [...own, ...(await page.list(signal, host))] : own;
    },
    async call(name, args, context) {
      if (name === "agent_ask") return askAgent(scope, args, context);
      if (name === "agent_result") return handleResult(scope, args, context);
      if (name === "agent_cancel") return handleCancel(scope, args, context);
      return page.call(name, args, context);
    },
  };
}

/** The page is there for all, and listed where it is shown. */
function withPage(one: ResourceCapability, other: ResourceCapability): ResourceCapability {
  return {
    async list(signal, host) {
      const page = canShowPages(host?.capabilities) ? await other.list(signal, host) : [];
      return [...(await one.list(signal, host)), ...page];
    },
    templates: one.templates,
    read: async (uri, context) => (await one.read(uri, context)) ?? other.read(uri, context),
  };
}
