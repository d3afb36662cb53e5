import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, expect, test } from "vitest";
import { configFile, program, programEnvironment } from "../fakes/program.ts";
import { type FakeProvider, startFakeProvider } from "../fakes/provider.ts";
import { runWarmProgram as runProgram } from "../fakes/warm-program.ts";

let fake: FakeProvider;
beforeEach(async () => {
  fake = await startFakeProvider();
});
afterEach(() => fake.close());

const input = `in${"put ".repeat(600)}.`;
const thought = `I think ${"that ".repeat(220)}.`;

/** The words of a command line whose one model thinks and calls a tool with a long text, and whose other answers. */
async function withScript(command: string[]): Promise<string[]> {
  const modelOf = (model: string) => ({ provider: "openai", model, baseUrl: fake.openaiUrl });
  fake.script(
    "cheap",
    { text: thought, toolCalls: [{ name: "echo", arguments: { text: input } }] },
    { text: "Enough." },
  );
  fake.script("strong", { text: "It echoes." });
  const config = await configFile({ models: { functionCall: modelOf("cheap"), answer: modelOf("strong") } });
  return [...command, "--config", config];
}

// docs/development/agent-mode.md#详细日志配置
test("AGENT_VERBOSE tells each thought, and the whole input and output of each tool, on stderr", async () => {
  const env = { OPENAI_API_KEY: "a", AGENT_VERBOSE: "true" };
  const { stdout, stderr } = await runProgram(await withScript(["ask", "Echo"]), { env });
  expect(stdout).toBe("It echoes.\n");
  expect(stderr).toContain(`💭 ${thought}\n`);
  expect(stderr).toContain(`🔧 echo ${JSON.stringify({ text: input })}\n`);
  expect(stderr).toContain(`── echo ${JSON.stringify({ text: input })}\n${input}\n`);
});

test("without it inputs, outputs and thoughts are cut to a line", async () => {
  const { stderr } = await runProgram(await withScript(["ask", "Echo"]), { env: { OPENAI_API_KEY: "a" } });
  expect(stderr).toContain("🔧 echo");
  for (const line of stderr.split("\n")) expect(line.length).toBeLessThan(400);
});

test("a server tells the same on its stderr, uncut", async () => {
  const env = await programEnvironment({ OPENAI_API_KEY: "a", AGENT_VERBOSE: "true" });
  const args = [program, ...(await withScript(["serve"]))];
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: "pipe" });
  if (!(transport.stderr instanceof Readable)) throw new Error("the server has no stderr");
  const told = text(transport.stderr);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  await client.callTool({ name: "agent_ask", arguments: { question: "Echo" } });
  await client.close();
  const stderr = await told;
  expect(stderr).toContain(`💭 ${thought}\n`);
  expect(stderr).toContain(`── echo ${JSON.stringify({ text: input })} ${input}\n`);
});
