import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { openFace } from "../../../runs/mcp-interface.ts";

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
  expect(uris).toEqual(expect.arrayContaining([`duet://conversations/${conversation_id}`, `duet://runs/${run_id}`]));
  const { contents } = await client.readResource({ uri: `duet://runs/${run_id}` });
  const trace = contents[0] && "text" in contents[0] ? JSON.parse(contents[0].text) : undefined;
  expect(trace).toMatchObject({ run_id, conversation_id, question: "What is MCP?", final_answer: "A protocol." });
  const ref = { type: "ref/prompt" as const, name: "plan" };
  const { completion } = await client.complete({ ref, argument: { name: "conversation_id", value: "conv" } });
  expect(completion.values).toEqual([conversation_id]);
});
