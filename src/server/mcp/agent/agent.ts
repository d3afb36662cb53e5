import type { CallToolResult } from "@modelcontextprotocol/server";
import { toAgentTool } from "../../../app/sub-agents/agent-tools.ts";
import { isRecord } from "../../../kit/json.ts";
import type { Host } from "../../../runs/input/host.ts";
import type { HostConnection } from "../../../runs/input/host-connection.ts";
import { createInputRequests } from "../../../runs/input/input-requests.ts";
import type { LiveRuns } from "../../../runs/live/live-run.ts";
import { type RunService, releaseRun } from "../../../runs/run-service.ts";
import type { Capabilities, ResourceCapability, ToolCapability } from "../capabilities.ts";
import { createObservedTimeouts } from "../observed-timeouts.ts";
import { createAgentTools, toSubAgentTool } from "./agent-tools.ts";
import { handleAsk } from "./ask.ts";
import { createAgentCompletion } from "./complete-arguments.ts";
import { type AgentDescription, describeAgent, describeForAgents, filterUsableTools } from "./describe-agent.ts";
import { handleCancel, handleMessage, handleResult } from "./handle-run-tools.ts";
import { createAgentPrompts } from "./prompts.ts";
import { createAgentResources } from "./resources.ts";
import { canShowPages, createRunPage, runPageMeta } from "./run-page.ts";
import type { AgentService, ConnectionScope } from "./serve-run.ts";
import { serveTasks } from "./tasks.ts";

export interface AgentOptions {
  /** Holds the rules of `tools.ask`. */
  asks: readonly string[];
}

/** Offers the agent as tools, for any connection. */
export interface Agent {
  readonly runs: LiveRuns;
  /** Returns the agent's capabilities for one connection. */
  createCapabilities(connection: HostConnection): Capabilities;
}

export function createAgent(shared: RunService, { asks }: AgentOptions): Agent {
  const { duet, runs, settings } = shared;
  const { locale } = duet;
  const followed = duet.storedRuns.areShared ? shared.followed : undefined;
  const inputRequests = createInputRequests<CallToolResult>({ locale });
  const service: AgentService = {
    ...shared,
    inputRequests,
    observedTimeouts: createObservedTimeouts(duet, settings.window),
  };
  const listAgentTools = createAgentTools(locale);
  /** Returns the id of the run that waits for approval of a call. */
  function readRunId(token: string): string | undefined {
    const claim = service.confirmations.read(token);
    return claim?.kind === "call" ? claim.id : undefined;
  }

  return {
    runs,
    createCapabilities(connection) {
      const { caller, server } = connection;
      const knownRuns = new Set<string>();
      const scope: ConnectionScope = { ...service, connection, caller, knownRuns, hasListedTools: false };
      serveTasks(server, scope);
      const gateway = duet.gateway(caller);
      const page = createRunPage({ runs, followed, caller, locale, runIdOf: readRunId });
      const resources = createAgentResources({ duet, runs, followed, caller, knownRuns, locale });
      return {
        tools: createToolCapability({ scope, asks, page: page.tools, listAgentTools }),
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
          // Some clients open a session for each call: over HTTP the next one may ask for the result of this one's run.
          const isSession = connection.inputEnded === undefined;
          for (const run of runs.releaseConnection(connection)) {
            if (isSession) releaseRun(service, run, [], { isLost: true });
            else if (settings.onDisconnect === "cancel") run.cancel();
          }
        },
      };
    },
  };
}

/** Limits how long servers that are starting are waited for, in milliseconds. The list changes once they are ready. */
const patienceMs = 2000;

interface AgentCapabilities {
  scope: ConnectionScope;
  asks: readonly string[];
  page: ToolCapability;
  listAgentTools: ReturnType<typeof createAgentTools>;
}

function createToolCapability({ scope, asks, page, listAgentTools }: AgentCapabilities): ToolCapability {
  const { duet, connection, settings } = scope;
  const { locale } = duet;
  async function describe(signal: AbortSignal | undefined): Promise<AgentDescription> {
    const { tools, servers } = await duet.inventory(signal, patienceMs);
    return describeAgent(filterUsableTools(tools, connection.caller), servers, { ask: asks, locale });
  }

  return {
    async list(signal, host) {
      scope.hasListedTools = true;
      const described = host && isDuet(host) ? describeForAgents(locale) : await describe(signal);
      const shows = canShowPages(host?.capabilities);
      const own = await listAgentTools({ ...described, meta: shows ? runPageMeta : undefined });
      const others = settings.agents ? duet.agents.map((agent) => toSubAgentTool(agent, locale)) : [];
      return [...own, ...others, ...(shows ? await page.list(signal, host) : [])];
    },
    async call(name, args, context) {
      if (name === "agent_ask") return handleAsk(scope, args, context);
      const agent = settings.agents ? duet.agents.find((each) => toAgentTool(each.name) === name) : undefined;
      if (agent) return handleAsk(scope, { ...(isRecord(args) && args), agent: agent.name }, context);
      if (name === "agent_result") return handleResult(scope, args, context);
      if (name === "agent_cancel") return handleCancel(scope, args, context);
      if (name === "agent_message") return handleMessage(scope, args);
      return page.call(name, args, context);
    },
  };
}

/** A Duet has a title as well; Mastra reports the name that its settings give the server. */
function isDuet({ name, title }: Host): boolean {
  return name === "duet" && title.startsWith("Duet ");
}

/** Every host can read the page; it is listed only for hosts that show pages. */
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
