import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import type { HostOutcome } from "../../../src/server/mcp/agent/host-outcome.ts";
import { written } from "../../agent/plan/planning.ts";
import { configFile, forManyStarts, npmServer, program, programEnvironment } from "../../fakes/program.ts";
import { type FakeProvider, startFakeProvider } from "../../fakes/provider.ts";

interface Host {
  provider: FakeProvider;
  ask(input: Record<string, unknown>, onMessage?: (message: string) => void): Promise<Answer>;
}

interface Answer {
  isError: boolean;
  text: string;
  outcome: HostOutcome;
  progress: string;
}

/** A host with an official client; the models speak two wires, the tools are those of the reference server. */
async function connect(agent: object = {}): Promise<Host> {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const config = await configFile({
    models: {
      functionCall: { provider: "openai", model: "cheap", baseUrl: provider.openaiUrl },
      answer: { provider: "anthropic", model: "strong", baseUrl: provider.anthropicUrl },
    },
    mcpServers: { everything: npmServer("mcp-server-everything") },
    conversations: { store: "memory" },
    agent,
  });
  const keys = { OPENAI_API_KEY: "sk-test-openai-0001", ANTHROPIC_API_KEY: "sk-test-anthropic-0002" };
  const env = await programEnvironment(keys);
  const client = new Client({ name: "test", version: "1" });
  const args = [...forManyStarts, program, "serve", "--config", config];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: "pipe" }));
  onTestFinished(() => client.close());
  return {
    provider,
    async ask(input, onMessage) {
      const messages: string[] = [];
      const onprogress = ({ message = "" }: { message?: string }): void => {
        messages.push(message);
        onMessage?.(message);
      };
      const result = await client.callTool({ name: "agent_ask", arguments: input }, { onprogress });
      const [content] = result.content;
      const outcome: HostOutcome = JSON.parse(JSON.stringify(result.structuredContent ?? null));
      return {
        isError: result.isError === true,
        text: content?.type === "text" ? content.text : "",
        outcome,
        progress: messages.join("\n"),
      };
    },
  };
}

const sum = { description: "Add", tool: "everything__get-sum", parameters: { a: 2, b: 3 } };
const echo = { description: "Say it", tool: "everything__echo", parameters: { message: "{{step_1}}" } };

test("agent_ask in mode plan carries the plan out, and progress tells the plan and its states", async () => {
  const { provider, ask } = await connect();
  const told = Promise.withResolvers<void>();
  provider.script("cheap", { text: written(sum, echo) });
  provider.script("strong", { text: "It is five.", hang: "after-text", until: told.promise });
  const input = { question: "What is 2 + 3?", mode: "plan", detail: "full" };
  const { isError, outcome, progress } = await ask(input, (message) => {
    if (message.includes("step 2 done")) told.resolve();
  });
  expect(isError).toBe(false);
  expect(outcome).toMatchObject({ status: "complete", response: "It is five.", meta: { mode: "plan" } });
  expect(outcome.tool_calls[1]?.arguments).toEqual({ message: "The sum of 2 and 3 is 5." });
  expect(progress).toContain('1. Add · everything__get-sum {"a":2,"b":3}');
  expect(progress).toContain("☑ step 2 done: Say it");
});

test("agent_ask gives the plan out to be confirmed where it is configured so, and the reply goes on from it", async () => {
  const { provider, ask } = await connect({ plan: { unattended: "stop" } });
  provider.script("cheap", { text: written(sum, echo) }, { text: written(sum) });
  provider.script("strong", { text: "It is five." });
  const first = await ask({ question: "What is 2 + 3?", mode: "plan" });
  expect(first.isError).toBe(false);
  expect(first.outcome).toMatchObject({ status: "needs_confirmation", stop_reason: "confirmation", tool_calls: [] });
  const { conversation_id: id } = first.outcome;
  expect(first.text).toContain("2. Say it — `everything__echo`");
  const { confirmation } = first.outcome;
  const call = { conversation_id: id, mode: "plan", question: "y", confirmation: confirmation?.token };
  expect(confirmation?.kind).toBe("plan");
  expect(first.text).toContain(`agent_ask ${JSON.stringify(call)}`);

  const changed = await ask({ question: "just the sum", mode: "plan", conversation_id: id });
  expect(changed.outcome.status).toBe("needs_confirmation");
  const old = await ask(call);
  expect(old.isError).toBe(true);
  expect(old.text).toContain("was already used");
  const done = await ask({ question: "y", confirmation: changed.outcome.confirmation?.token });
  expect(done.outcome).toMatchObject({ status: "complete", response: "It is five." });
  expect(done.outcome.tool_calls.map(({ tool }) => tool)).toEqual(["everything__get-sum"]);
  expect(provider.unused()).toEqual([]);
});
