import { McpServer } from "@modelcontextprotocol/server";
import type { Duet } from "../../app/open-duet.ts";
import { type Caller, operator } from "../../core/caller.ts";
import { say } from "../../kit/locale.ts";
import { version } from "../../kit/version.ts";
import type { HostConnection } from "../../runs/input/host-connection.ts";
import type { LiveRuns } from "../../runs/live-run.ts";
import { openRunService, type RunService, type RunServiceOptions } from "../../runs/run-service.ts";
import { createAgent } from "./agent/agent-tools.ts";
import type { Capabilities } from "./capabilities.ts";
import { serveCapabilities } from "./serve-capabilities.ts";

export interface McpInterfaceOptions extends RunServiceOptions {
  /** The runs that it shares with other faces; its own when absent. */
  service?: RunService | undefined;
  /** The rules of `tools.ask`: which calls need a person's consent. */
  asks: readonly string[];
  /** What hosts get: the agent (when absent), everything that the agent could use, or both. */
  expose?: "agent" | "tools" | "both" | undefined;
  /** Tokens that a list of tools may weigh; beyond them it is searched. */
  listLimit?: number | undefined;
}

/** The MCP face of the whole process: its runs are shared by all connections. */
export interface McpInterface {
  readonly runs: LiveRuns;
  /** A server for one connection; cheap. `isOneRequest` and `inputEnded`: as in `Connection`. */
  createServer(caller?: Caller, isOneRequest?: boolean, inputEnded?: AbortSignal): Promise<McpServer>;
}

export function createMcpInterface(
  duet: Duet,
  { expose = "agent", listLimit, ...options }: McpInterfaceOptions,
): McpInterface {
  const { locale } = duet;
  const agent = createAgent(options.service ?? openRunService(duet, options), options);
  let exposure: Promise<(connection: HostConnection) => Capabilities> | undefined;
  return {
    runs: agent.runs,
    async createServer(caller = operator, isOneRequest = false, inputEnded?: AbortSignal) {
      const instructions = instructionsOf[expose].map((text) => say(locale, text)).join("\n");
      const server = new McpServer({ name: "duet", title: "Duet", version }, { instructions });
      const connection: HostConnection = { server, caller, isOneRequest, inputEnded };
      const providers = expose === "tools" ? [] : [agent.offer(connection)];
      if (expose !== "agent") {
        exposure ??= import("./gateway/create-exposure.ts").then((part) => part.createExposure(duet, { listLimit }));
        providers.push((await exposure)(connection));
      }
      serveCapabilities(server, providers);
      return server;
    },
  };
}

const ofAgent = {
  zh: "Duet 是一个智能体：把完整的问题交给 agent_ask，它会自己选择并调用工具，返回带来源的回答。要继续同一话题，请传回 conversation_id。结果的状态为 running 时，用 agent_result 取得其余部分。",
  en: "Duet is an agent: hand agent_ask a whole question; it chooses and calls tools by itself and returns an answer with its sources. To go on with a topic, pass conversation_id back. When a result has the status running, agent_result gives the rest.",
};

const ofTools = {
  zh: "Duet 在这里转接其下各 MCP 服务器的工具、提示词和资源，名称为 服务器__名称。",
  en: "Duet passes on the tools, prompts and resources of the MCP servers below it, named server__name.",
};

const instructionsOf = { agent: [ofAgent], tools: [ofTools], both: [ofAgent, ofTools] };
