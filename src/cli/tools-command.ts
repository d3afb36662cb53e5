import type { Duet } from "../app.ts";
import { cutText } from "../core/cut-text.ts";
import { DuetError, report } from "../core/errors.ts";
import { isRecord, type JsonObject } from "../core/json.ts";
import { errorLine } from "../core/lines.ts";
import { say } from "../core/locale.ts";
import { printableJson, printableLine } from "../core/printable.ts";
import type { Tool } from "../core/tool.ts";
import { type Console, writeSafely } from "./console.ts";
import { createAskElicitation, elicitByHand } from "./elicit.ts";
import { createQuietScreen } from "./quiet-screen.ts";
import { canBeAsked, openTerminalQuestions } from "./reader.ts";
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

/** Calls one tool by hand; its result goes to stdout. 0 if it succeeded, 1 if not. */
export async function callTool(options: ToolsOptions, name: string, argumentsText: string): Promise<number> {
  const { duet, console, output, signal } = options;
  const args = parseArguments(argumentsText);
  const { tools } = await duet.inventory(signal);
  const tool = tools.find((known) => known.name === name);
  if (!tool) throw noSuchTool(name, tools);
  const { locale } = duet;
  const questions = canBeAsked(console) ? openTerminalQuestions(console) : undefined;
  const screen = questions && createQuietScreen(questions.ask);
  const write = (line: string): void => writeSafely(console.stderr, `${line}\n`);
  const note = (line: string): void => void Promise.resolve(screen?.free()).then(() => write(line));
  const ask = screen && createAskElicitation({ locale, ask: screen.ask, write });
  const running = tool.run(args, {
    signal,
    locale,
    // Whoever calls it by hand has agreed to the call.
    approve: async () => "once",
    elicit: ask && elicitByHand(ask, signal),
    progress: (message) => note(`… ${printableLine(message)}`),
    notice: (_, message) => note(`ℹ ${printableLine(message)}`),
  });
  const result = await running.finally(() => questions?.close());
  await screen?.free();
  if (output === "json") console.stdout.write(`${printableJson(result, 2)}\n`);
  else writeSafely(result.ok ? console.stdout : console.stderr, `${result.text}\n`);
  return result.ok ? 0 : 1;
}

function parseArguments(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw badArguments(text, cause);
  }
  if (!isRecord(value)) throw badArguments(text);
  return value as JsonObject;
}

function badArguments(text: string, cause?: unknown): DuetError {
  const shown = cutText(printableLine(text), 100);
  return new DuetError({
    code: "config",
    text: { zh: `JSON: ${shown} 不是 JSON 对象`, en: `JSON: ${shown} is not a JSON object` },
    cause,
  });
}

function noSuchTool(name: string, tools: readonly Tool[]): DuetError {
  const names = tools.map((tool) => tool.name).join(", ");
  return new DuetError({
    code: "config",
    text: { zh: `没有名为 ${name} 的工具；有：${names}`, en: `there is no tool named ${name}; there are: ${names}` },
  });
}
