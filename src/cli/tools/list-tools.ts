import type { Duet } from "../../app/duet.ts";
import type { Config } from "../../config/config.ts";
import { describeDangerousVariables, findDangerousVariables } from "../../config/trust/dangerous-variables.ts";
import { toErrorReport } from "../../kit/errors.ts";
import { say } from "../../kit/locale.ts";
import { toSafeJson } from "../../kit/text/sanitize.ts";
import { documentTools } from "../../tools/tool-documents.ts";
import { type Console, createWarn, writeSafely } from "../console.ts";
import { renderTools, weighTools } from "./tool-lines.ts";

export interface ToolsOptions {
  signal: AbortSignal;
  duet: Duet;
  console: Console;
  output: "text" | "json";
}

/** Lists the tools the agent would have, by server, with their state and their weight in tokens (an estimate). */
export async function listTools({ duet, console, output, signal }: ToolsOptions): Promise<number> {
  const { tools, servers, dropped } = await duet.inventory(signal);
  const weights = await weighTools(duet, tools);
  if (output === "json") {
    const list = tools.map((tool) => ({
      name: tool.name,
      source: tool.source,
      description: tool.description,
      tokens: weights.of([tool]),
      annotations: tool.annotations,
      input_schema: tool.inputSchema,
    }));
    const states = servers.map((server) => ({
      name: server.name,
      transport: server.transport,
      state: server.state,
      tool_count: server.toolCount,
      tokens: weights.of(tools.filter(({ source }) => source === server.name)),
      error: server.error && toErrorReport(server.error, duet.locale),
      problems: server.problems.map((problem) => say(duet.locale, problem)),
      warnings: server.warnings.map((warning) => say(duet.locale, warning)),
      waiting: server.waiting,
      restarts: server.restarts,
      retry_in_ms: server.retryInMs,
      start_ms: server.startMs,
      server_info: server.serverInfo,
      protocol_version: server.protocolVersion,
    }));
    const left = dropped.map(({ name, source, reason, text }) => ({
      name,
      source,
      reason,
      message: say(duet.locale, text),
    }));
    console.stdout.write(`${toSafeJson({ tools: list, servers: states, dropped: left, offer: weights.offer }, 2)}\n`);
    return 0;
  }
  for (const line of renderTools({ tools, servers, dropped }, weights, duet.locale))
    writeSafely(console.stdout, `${line}\n`);
  return 0;
}

/** Reports which variables of servers can make them run other code: they are obeyed. */
export function warnDangers(config: Config, console: Console): void {
  for (const found of findDangerousVariables(config.servers))
    createWarn(config, console)(describeDangerousVariables(found));
}

/** Writes a document of every tool the agent would have, as Markdown. */
export async function documentAllTools(options: Omit<ToolsOptions, "output"> & { config: Config }): Promise<number> {
  const { duet, config, console, signal } = options;
  const { tools } = await duet.inventory(signal);
  console.stdout.write(documentTools(tools, { locale: duet.locale, ask: config.tools.ask }));
  return 0;
}
