// Runs `duet serve` and exchanges lines over its stdin and stdout, so that a test decides how it ends.
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Outcome } from "../../src/core/run/outcome.ts";
import { isRecord } from "../../src/kit/json.ts";
import { startProgram } from "../fakes/program.ts";

export interface Served {
  pid: number;
  /** Asks with `agent_ask` and gives its outcome; `onProgress` hears each line of progress. */
  ask(question: string, onProgress?: (line: string) => void): Promise<Outcome>;
  /** Ends its stdin. */
  hangUp(): void;
  /** Settles when it has ended, with its exit code or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>;
  /** All that it has written. */
  output(): string;
}

export async function startServing(config: string, env: Record<string, string>): Promise<Served> {
  const child = await startProgram(["serve", "--config", config], { env });
  const ended = once(child, "close").then(([code, signal]) => code ?? signal);
  const waiting = new Map<unknown, (result: Record<string, unknown>) => void>();
  let onLine: ((line: string) => void) | undefined;
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    output += `${line}\n`;
    const message: unknown = JSON.parse(line);
    if (!isRecord(message)) return;
    const { id, method, params } = message;
    if (method === "notifications/progress" && isRecord(params)) onLine?.(String(params.message));
    waiting.get(id)?.(message);
  });

  let lastId = 0;
  async function request(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
    const id = ++lastId;
    const answer = new Promise<Record<string, unknown>>((resolve) => waiting.set(id, resolve));
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const { result, error } = await answer;
    if (!isRecord(result)) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  const clientInfo = { name: "test", version: "0" };
  await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  return {
    pid: child.pid ?? 0,
    async ask(question, onProgress) {
      onLine = onProgress;
      const call = { name: "agent_ask", arguments: { question, detail: "full" }, _meta: { progressToken: lastId } };
      const { structuredContent } = await request("tools/call", call);
      return structuredContent as Outcome;
    },
    hangUp: () => child.stdin.end(),
    ended,
    output: () => output,
  };
}
