import type { Duet } from "../app.ts";
import { cutText } from "../core/cut-text.ts";
import { report } from "../core/errors.ts";
import { errorLine } from "../core/lines.ts";
import { say } from "../core/locale.ts";
import { printableJson, printableLine } from "../core/printable.ts";
import { type Console, writeSafely } from "./console.ts";
import { healthOf } from "./server-health.ts";
import { offerLine, weighTools } from "./tool-weights.ts";

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
      error: server.error && report(server.error, duet.locale),
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
    console.stdout.write(
      `${printableJson({ tools: list, servers: states, dropped: left, offer: weights.offer }, 2)}\n`,
    );
    return 0;
  }
  const write = (line: string): void => writeSafely(console.stdout, `${line}\n`);
  for (const source of new Set(["builtin", ...servers.map(({ name }) => name), ...tools.map((tool) => tool.source)])) {
    const own = tools.filter((tool) => tool.source === source);
    const state = servers.find(({ name }) => name === source);
    const weight = weights.of(own);
    const tokens = say(duet.locale, { zh: `约 ${weight} token`, en: `about ${weight} tokens` });
    write(`${source} · ${state ? state.state : "ready"} · ${own.length} · ${tokens}`);
    if (state?.error) write(`  ${errorLine(report(state.error, duet.locale))}`);
    for (const problem of state?.problems ?? []) write(`  ✗ ${say(duet.locale, problem)}`);
    for (const fact of state ? healthOf(state) : []) write(`  ⚠ ${printableLine(say(duet.locale, fact))}`);
    for (const { name, description } of own) write(`  ${name.padEnd(30)} ${cutText(printableLine(description), 100)}`);
  }
  const offered = offerLine(weights, duet.locale);
  if (offered) write(offered);
  const unwanted = dropped.filter(({ reason }) => reason === "not-allowed").length;
  for (const { text, reason } of dropped) if (reason !== "not-allowed") write(`✗ ${say(duet.locale, text)}`);
  if (unwanted > 0)
    write(
      say(duet.locale, {
        zh: `– tools.allow 不包括另外 ${unwanted} 个`,
        en: `– tools.allow leaves out ${unwanted} more`,
      }),
    );
  return 0;
}
