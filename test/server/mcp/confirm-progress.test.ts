import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { isRecord } from "../../../src/kit/json.ts";
import { configFile, startProgram } from "../../fakes/program.ts";
import { startFakeProvider } from "../../fakes/provider.ts";

/** A host that reads line by line, as no official client does, and answers what it is told to. */
async function startHost(answersPing: boolean) {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const models = { functionCall: { provider: "openai", model: "cheap", baseUrl: provider.openaiUrl } };
  const config = await configFile({ models });
  const child = await startProgram(["serve", "--config", config], { env: { OPENAI_API_KEY: "sk-test" } });
  /** Holds what the answer to each question waits for: that the host has heard of its progress. */
  const heard = new Map<unknown, () => void>();
  const kinds: string[] = [];
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const over = new Promise<unknown>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const { id, method, params, result } = JSON.parse(line);
      kinds.push(method ?? `result ${id}`);
      heard.get(params?.progressToken)?.();
      if (method === "ping" && answersPing) send({ id, result: {} });
      if (id === 2) resolve(result);
    });
  });
  const clientInfo = { name: "test", version: "0" };
  send({
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
  });
  await once(child.stdout, "data");
  const ask = (id: number): void => {
    const { promise, resolve } = Promise.withResolvers<void>();
    heard.set(id, resolve);
    provider.script("cheap", { text: "Here it is.", hang: "after-text", until: promise });
    send({
      id,
      method: "tools/call",
      params: { name: "agent_ask", arguments: { question: `Question ${id}` }, _meta: { progressToken: id } },
    });
  };
  return { kinds, ask, over };
}

describe("over stdio, the result of a call with progress", () => {
  test("comes after the host has answered a ping that follows the last notification", async () => {
    const { kinds, ask, over } = await startHost(true);
    ask(2);
    expect(isRecord(await over)).toBe(true);
    expect(kinds.slice(-3)).toEqual(["notifications/progress", "ping", "result 2"]);
  });

  test("comes all the same from a host that answers no ping, which is pinged once only", async () => {
    const { kinds, ask, over } = await startHost(false);
    ask(1);
    await expect.poll(() => kinds).toContain("result 1");
    ask(2);
    await over;
    expect(kinds.filter((kind) => kind === "ping")).toHaveLength(1);
  });
});
