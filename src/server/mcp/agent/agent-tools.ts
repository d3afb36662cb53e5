import type { CallToolResult } from "@modelcontextprotocol/server";
import { say } from "../../../kit/locale.ts";
import type { Connection } from "../../../runs/input/host-connection.ts";
import { createRounds } from "../../../runs/input/input-requests.ts";
import { nobodyWaits } from "../../../runs/input/withdrawn-question.ts";
import type { LiveRuns } from "../../../runs/live-run.ts";
import type { RunRoom } from "../../../runs/run-service.ts";
import type { Provider, ResourceProvider, ToolProvider } from "../capabilities.ts";
import { failedResult } from "../failed-result.ts";
import { ask as askAgent } from "./ask.ts";
import { createAgentCompletion } from "./complete-arguments.ts";
import type { AgentRoom, AgentSeat } from "./connection-scope.ts";
import { type AgentDescription, describeAgent, describedToAgents } from "./describe-agent.ts";
import { createAgentPrompts } from "./prompts.ts";
import { createAgentResources } from "./resources.ts";
import { cancel, giveResult } from "./result.ts";
import { createRunPage } from "./run-page.ts";
import { runPageMeta, showsPages } from "./run-page-support.ts";
import { serveTasks } from "./tasks.ts";
import { createAgentTools } from "./tool-list.ts";
import { usableTools } from "./usable-servers.ts";

export interface AgentOptions {
  /** The rules of `tools.ask`. */
  asks: readonly string[];
}

/** The agent as tools, for any connection. */
export interface Agent {
  readonly runs: LiveRuns;
  /** A connection's part of it. */
  offer(connection: Connection): Provider;
}

export function createAgent(shared: RunRoom, { asks }: AgentOptions): Agent {
  const { duet, runs, settings } = shared;
  const { locale } = duet;
  const rounds = createRounds<CallToolResult>({
    tooLate: (state) => failedResult(say(locale, nobodyWaits(state))),
  });
  const room: AgentRoom = { ...shared, rounds };
  const toTools = createAgentTools(locale);
  /** The run that waits for a call to be confirmed. */
  function runIdOf(token: string): string | undefined {
    const claim = room.confirmations.read(token);
    return claim?.kind === "call" ? claim.id : undefined;
  }

  return {
    runs,
    offer(connection) {
      const { caller, server } = connection;
      const seat: AgentSeat = { ...room, connection, caller };
      serveTasks(server, seat);
      const gateway = duet.gateway(caller);
      const page = createRunPage({ runs, caller, locale, runIdOf });
      const resources = createAgentResources({ duet, runs, caller, locale });
      return {
        tools: offerTools({ seat, asks, page: page.tools, toTools }),
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
          rounds.leave(connection);
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
  seat: AgentSeat;
  asks: readonly string[];
  page: ToolProvider;
  toTools: ReturnType<typeof createAgentTools>;
}

function offerTools({ seat, asks, page, toTools }: Offered): ToolProvider {
  const { duet, connection } = seat;
  const { locale } = duet;
  async function describe(signal: AbortSignal | undefined): Promise<AgentDescription> {
    const { tools, servers } = await duet.inventory(signal, patienceMs);
    return describeAgent(usableTools(tools, connection.caller), servers, { ask: asks, locale });
  }

  return {
    async list(signal, host) {
      const described = host?.name === "duet" ? describedToAgents(locale) : await describe(signal);
      const shows = showsPages(host?.capabilities);
      const own = toTools({ ...described, meta: shows ? runPageMeta : undefined });
      return shows ? [...own, ...(await page.list(signal, host))] : own;
    },
    async call(name, args, context) {
      if (name === "agent_ask") return askAgent(seat, args, context);
      if (name === "agent_result") return giveResult(seat, args, context);
      if (name === "agent_cancel") return cancel(seat, args, context);
      return page.call(name, args, context);
    },
  };
}

/** The page is there for all, and listed where it is shown. */
function withPage(one: ResourceProvider, other: ResourceProvider): ResourceProvider {
  return {
    async list(signal, host) {
      const page = showsPages(host?.capabilities) ? await other.list(signal, host) : [];
      return [...(await one.list(signal, host)), ...page];
    },
    templates: one.templates,
    read: async (uri, context) => (await one.read(uri, context)) ?? other.read(uri, context),
  };
}
