import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { createAgentTools } from "../../../../src/server/mcp/agent/agent-tools.ts";
import { describeAgent } from "../../../../src/server/mcp/agent/describe-agent.ts";
import { runPageMeta } from "../../../../src/server/mcp/agent/run-page.ts";
import { createWatchTool } from "../../../../src/server/mcp/agent/watch-run.ts";
import { createSuccess, createTool } from "../../../../src/tools/create-tool.ts";
import { linkHost } from "../../../fakes/linked-hosts.ts";
import { openFace } from "../../../runs/mcp-interface.ts";
import { inventoryOf } from "./inventories.ts";

test("the run of a prompt's call becomes a trace, a conversation and their completions, and the host is told", async () => {
  const { mcp } = await openFace({ turns: ["A protocol."] });
  const told = Promise.withResolvers<void>();
  const client = new Client(
    { name: "test", version: "1" },
    { listChanged: { resources: { onChanged: () => told.resolve(), autoRefresh: false, debounceMs: 0 } } },
  );
  const [above, below] = InMemoryTransport.createLinkedPair();
  const server = await mcp.createServer();
  await Promise.all([server.connect(below), client.connect(above)]);
  onTestFinished(async () => void (await Promise.all([client.close(), server.close()])));
  expect((await client.listResources()).resources.filter(({ uri }) => uri.startsWith("duet:"))).toEqual([]);

  const { messages } = await client.getPrompt({ name: "ask", arguments: { question: "What is MCP?" } });
  const content = messages[0]?.content;
  const text = content?.type === "text" ? content.text : "";
  const { structuredContent } = await client.callTool({
    name: "agent_ask",
    arguments: JSON.parse(text.slice(text.indexOf("{"))),
  });
  const { run_id, conversation_id } = JSON.parse(JSON.stringify(structuredContent));

  await told.promise;
  const uris = (await client.listResources()).resources.map(({ uri }) => uri);
  expect(uris).toEqual([`duet://runs/${run_id}`]);
  const { contents } = await client.readResource({ uri: `duet://runs/${run_id}` });
  const trace = contents[0] && "text" in contents[0] ? JSON.parse(contents[0].text) : undefined;
  expect(trace).toMatchObject({ run_id, conversation_id, question: "What is MCP?", final_answer: "A protocol." });
  const ref = { type: "ref/prompt" as const, name: "plan" };
  const { completion } = await client.complete({ ref, argument: { name: "conversation_id", value: "conv" } });
  expect(completion.values).toEqual([conversation_id]);
});

test.each(["en", "zh"] as const)("the list of tools is small, in words that every host knows: %s", async (locale) => {
  const tools = Array.from({ length: 40 }, (_, index) =>
    createTool({
      name: `server_${index}__a_rather_long_name_of_a_tool`,
      description: "",
      source: `server_${index}`,
      inputSchema: { type: "object" },
      annotations: {},
      run: async () => createSuccess(""),
    }),
  );
  const { servers } = inventoryOf(Object.fromEntries(tools.map(({ source, name }) => [source, [name]])));
  const described = describeAgent(tools, servers, { ask: ["*"], locale });
  const list = JSON.stringify({ tools: await createAgentTools(locale)({ ...described, meta: undefined }) });
  expect(Buffer.byteLength(list)).toBeLessThanOrEqual(6000);
  // What a host that shows pages is listed beside them, for the page alone.
  expect(Buffer.byteLength(JSON.stringify([runPageMeta, createWatchTool(locale)]))).toBeLessThanOrEqual(550);
  expect(list).not.toMatch(/"type":\[|:\{\}|9007199254740991/);
  expect(list).not.toMatch(/duet_chain|max_iterations|max_tool_calls|max_tokens|"search"/);
});

test("what is not listed is accepted all the same", async () => {
  const { mcp } = await openFace({ turns: ["A protocol."] });
  const host = await linkHost(mcp);
  const unlisted = { search: false, max_iterations: 2, max_tool_calls: 2, max_tokens: 100, duet_chain: "1" };
  expect((await host.ask("What is MCP?", unlisted)).outcome).toMatchObject({ status: "complete" });
});
