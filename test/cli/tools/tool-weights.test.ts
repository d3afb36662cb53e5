import { expect, test } from "vitest";
import { configFile, npmServer } from "../../fakes/program.ts";
import { runWarmProgram as runProgram } from "../../fakes/warm-program.ts";

const memory = { memory: npmServer("mcp-server-memory") };

/** A model that is never asked, with a window of this many tokens. */
function model(contextWindow: number) {
  return { functionCall: { provider: "openai", model: "cheap", contextWindow } };
}

const env = { OPENAI_API_KEY: "sk-test-openai-0001" };

test("what each server weighs is shown, and that all tools are listed", async () => {
  const config = await configFile({ models: model(200_000), mcpServers: memory });
  const { code, stdout } = await runProgram(["tools", "--locale", "en", "--config", config], { env });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^memory · ready · 9 tools · about \d{3,4} tokens$/m);
  expect(stdout).toMatch(/^all are listed for the model: about \d{4} tokens of at most 16000$/m);
});

test("in a small window the servers' tools are searched, in Chinese too, and in JSON", async () => {
  const config = await configFile({ models: model(8000), mcpServers: memory });
  const { stdout } = await runProgram(["tools", "--locale", "zh", "--config", config], { env });
  expect(stdout).toMatch(/^约 \d{4} token，超过上限 800：服务器的工具按需查找（find_tools），不全部列出$/m);
  const { stdout: json } = await runProgram(["tools", "--output", "json", "--config", config], { env });
  const { offer, tools, servers } = JSON.parse(json);
  expect(offer).toEqual({ mode: "searched", tokens: expect.any(Number), limit: 800 });
  const weights: { source: string; tokens: number }[] = tools;
  const sum = weights.reduce((total, { tokens }) => total + tokens, 0);
  expect(offer.tokens).toBe(sum);
  const ofMemory = weights.filter(({ source }) => source === "memory").reduce((total, { tokens }) => total + tokens, 0);
  expect(servers).toMatchObject([{ name: "memory", tokens: ofMemory }]);
});

test("for a model that goes by rules there is no limit", async () => {
  const config = await configFile({ models: { functionCall: { provider: "offline" } }, mcpServers: memory });
  const { stdout } = await runProgram(["tools", "--output", "json", "--config", config]);
  expect(JSON.parse(stdout).offer).toEqual({ mode: "listed", tokens: expect.any(Number), limit: null });
});
