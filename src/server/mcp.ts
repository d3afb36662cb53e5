import { McpServer, type ServerContext } from "@modelcontextprotocol/server";
import type { Duet } from "../app.ts";
import { fromMeta } from "../core/chain.ts";
import { DuetError } from "../core/errors.ts";
import type { AgentEvent } from "../core/events.ts";
import { say } from "../core/locale.ts";
import type { Mode, Outcome } from "../core/outcome.ts";
import { createStepLog } from "../core/step-log.ts";
import { version } from "../core/version.ts";
import { toResult } from "./ask-result.ts";
import { type AskInput, askInput, askOutput } from "./ask-schema.ts";
import { reportProgress } from "./progress.ts";
import { progressSender } from "./send-progress.ts";

export interface FaceOptions {
  /** The mode of a call that names none. */
  mode?: Mode | undefined;
  /** Takes each thought, tool input and output, line by line; absent unless they are wanted. */
  logSteps?: ((line: string) => void) | undefined;
  /** What the host gets: the agent (when absent), everything that the agent could use, or both. */
  expose?: "agent" | "tools" | "both" | undefined;
  /** Tokens that a list of tools may weigh; beyond them it is searched. */
  listLimit?: number | undefined;
}

/** The MCP face: a server, for one connection. Cheap; the agent behind it is shared. */
export async function createMcpServer(duet: Duet, options: FaceOptions): Promise<McpServer> {
  const { expose = "agent", listLimit } = options;
  const { locale } = duet;
  const server = new McpServer(
    { name: "duet", title: "Duet", version },
    { instructions: instructions[expose].map((text) => say(locale, text)).join("\n") },
  );
  const register = (): void => registerAgent(server, duet, options);
  if (expose === "agent") {
    register();
    return server;
  }
  const gateway = await import("./gateway/expose.ts");
  const own = expose === "both" ? { names: [agentName], register } : undefined;
  gateway.expose(server, { gateway: duet.gateway(), locale, listLimit, own });
  return server;
}

const agentName = "agent_ask";

function registerAgent(server: McpServer, duet: Duet, options: FaceOptions): void {
  server.registerTool(
    agentName,
    {
      title: say(duet.locale, { zh: "询问 Duet", en: "Ask Duet" }),
      description: say(duet.locale, description),
      inputSchema: askInput,
      outputSchema: askOutput,
      // What it may do depends on the tools it is given, so it promises nothing; a host takes the worst for what is not said.
      annotations: { readOnlyHint: false, idempotentHint: false, openWorldHint: true },
    },
    (input, context) => ask(duet, input, context, options),
  );
}

const ofAgent = {
  zh: "Duet 是一个智能体：把完整的问题交给 agent_ask，它会自己选择并调用工具，返回带来源的回答。要继续同一话题，请传回 conversation_id。",
  en: "Duet is an agent: hand agent_ask a whole question; it chooses and calls tools by itself and returns an answer with its sources. To go on with a topic, pass conversation_id back.",
};

const ofTools = {
  zh: "Duet 在这里转接其下各 MCP 服务器的工具、提示词和资源，名称为 服务器__名称。",
  en: "Duet passes on the tools, prompts and resources of the MCP servers below it, named server__name.",
};

const instructions = { agent: [ofAgent], tools: [ofTools], both: [ofAgent, ofTools] };

const description = {
  zh: "向智能体提问。它用一个模型决定调用哪些工具（联网搜索、文件搜索、计算、日志分析以及已连接的 MCP 服务器），评估结果，再由另一个模型写出带引用的回答。适合需要多步查找、核实或计算的问题。过程以进度通知逐步给出。",
  en: "Asks an agent. One model decides which tools to call (web search, file search, calculation, log analysis and the connected MCP servers), the results are judged, and another model writes the answer with citations. For questions that need several steps of looking up, checking or calculating. Each step is reported as progress.",
};

async function ask(duet: Duet, input: AskInput, context: ServerContext, { mode, logSteps }: FaceOptions) {
  const { signal, _meta } = context.mcpReq;
  const locale = duet.localeFor(input.question);
  const send = progressSender(context);
  const progress = send && reportProgress({ locale, signal, send });
  const log = logSteps && createStepLog({ write: logSteps, locale, verbose: true });
  try {
    const events = duet.ask({ ...toRequest(input), mode: input.mode ?? mode, chain: fromMeta(_meta), signal });
    const outcome = await follow(events, (event) => {
      progress?.take(event);
      log?.(event);
    });
    return toResult(outcome, locale);
  } finally {
    await progress?.end();
  }
}

function toRequest(input: AskInput) {
  return {
    question: input.question,
    // Hosts fill optional texts with "".
    conversationId: input.conversation_id || undefined,
    search: input.search,
    tools: input.tools,
    limits: {
      maxIterations: input.max_iterations,
      maxToolCalls: input.max_tool_calls,
      maxTokens: input.max_tokens,
      maxExecutionTimeMs: input.timeout_s === undefined ? undefined : input.timeout_s * 1000,
    },
  };
}

async function follow(events: AsyncIterable<AgentEvent>, take: (event: AgentEvent) => void): Promise<Outcome> {
  for await (const event of events) {
    take(event);
    if (event.type === "run-end") return event.outcome;
  }
  throw new DuetError({ code: "internal", text: { zh: "运行没有结束事件", en: "the run ended without run-end" } });
}
