// Fault group P (docs/development/faults-models.md#p-loops-budgets-chains-of-agents): agents that call agents. A case's number
// stands first in its title.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { configFile, program, programEnvironment, runProgram } from "../fakes/program.ts";
import { type FakeProvider, type FakeTurn, type JournalEntry, startFakeProvider } from "../fakes/provider.ts";

const key = { OPENAI_API_KEY: "sk-test-openai-0001" };

async function provide(): Promise<FakeProvider> {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  return provider;
}

function model(provider: FakeProvider) {
  return { functionCall: { provider: "openai", model: "cheap", baseUrl: provider.openaiUrl } };
}

async function connect(config: string): Promise<Client> {
  const env = await programEnvironment(key);
  const client = new Client({ name: "agent-above", version: "1" });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program, "serve", "--config", config], env }),
  );
  onTestFinished(() => client.close());
  return client;
}

test("183: a Duet that is its own tool comes to an end, however its model insists", async () => {
  const provider = await provide();
  const insist = ({ body }: JournalEntry): FakeTurn => {
    const messages = Array.isArray(body.messages) ? body.messages : [];
    const mayCall = JSON.stringify(body.tools ?? []).includes("self__agent_ask");
    if (mayCall && messages.at(-1)?.role !== "tool")
      return { toolCalls: [{ name: "self__agent_ask", arguments: { question: "And what do you say?" } }] };
    return { text: "I say no more." };
  };
  provider.script("cheap", ...Array.from({ length: 50 }, () => insist));
  const file = await configFile({
    models: model(provider),
    tools: { allow: ["*__agent_ask"] },
    // Itself, by the file it is configured with.
    mcpServers: {
      self: {
        command: process.execPath,
        args: [program, "serve", "--config", "duet.config.json"],
        cwd: ".",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the configuration's own way to name a variable.
        env: { OPENAI_API_KEY: "${OPENAI_API_KEY}" },
      },
    },
  });
  const env = { ...key, OPENAI_BASE_URL: provider.openaiUrl };
  const { code, stdout } = await runProgram(["ask", "What do you say?", "--output", "json", "--config", file], { env });
  expect(code).toBe(0);
  expect(JSON.parse(stdout).response).toBe("I say no more.");
  // Three calls one inside the other, two turns each; the fourth Duet has no server to call.
  expect(provider.journal).toHaveLength(7);
});

test("183: a call that stands too deep in a chain is refused in words that a model understands", async () => {
  const provider = await provide();
  const client = await connect(await configFile({ models: model(provider) }));
  const params = { name: "agent_ask", arguments: { question: "Who?" }, _meta: { "duet/depth": 4 } };
  const result = await client.callTool(params);
  expect(result.isError).toBe(true);
  expect(JSON.stringify(result.content)).toContain("Do not call this tool again");
  expect(provider.journal).toHaveLength(0);
});

test("184, 189: an agent below is told its depth, its deadline and its share of the budget, and keeps to them", async () => {
  const provider = await provide();
  const decide: FakeTurn = {
    toolCalls: [{ name: "echo", arguments: { text: "x" } }],
    usage: { input: 900, output: 100 },
  };
  provider.script("cheap", decide, { text: "Done." });
  const client = await connect(await configFile({ models: model(provider) }));
  const _meta = { "duet/depth": 1, "duet/deadline": Date.now() + 20_000, "duet/budget": 1500 };
  const result = await client.callTool({ name: "agent_ask", arguments: { question: "Echo x" }, _meta });
  expect(result.structuredContent).toMatchObject({ status: "partial", stop_reason: "token_limit" });
  // One round, then the answer: a second round would have gone over.
  expect(provider.requests("cheap")).toHaveLength(2);

  const before = provider.journal.length;
  provider.script("cheap", ...Array<FakeTurn>(4).fill({ hang: "before-headers" }));
  // With a few milliseconds left, too, the end of the run is told, and not that it is running.
  for (const left of [-1000, 20, 60]) {
    const late = { "duet/deadline": Date.now() + left };
    const ended = await client.callTool({ name: "agent_ask", arguments: { question: "Echo x" }, _meta: late });
    expect(ended.structuredContent).toMatchObject({ stop_reason: "time_limit" });
    if (left < 0) expect(provider.journal).toHaveLength(before);
  }
});
