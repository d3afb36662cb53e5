import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { countedTool } from "../fakes/callers.ts";
import { type HttpDuetSettings, startHttpDuet } from "../fakes/http-duet.ts";
import { configFile } from "../fakes/program.ts";
import { runWarmProgram } from "../fakes/warm-program.ts";

const agents = { researcher: { description: "Finds facts.", tools: ["lookup"], instructions: "Be brief." } };

async function serve(turns: HttpDuetSettings["turns"] = [], settings: Record<string, unknown> = {}) {
  const tools = [countedTool("lookup"), countedTool("other")];
  return startHttpDuet({ turns, tools, settings: { agents, ...settings } });
}

async function post(origin: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(`${origin}/agent/chat`, { method: "POST", headers, body: JSON.stringify(body) });
}

test("a question over HTTP chooses an agent, which the settings list", async () => {
  const { origin, model } = await serve(["I am brief."]);
  const settings = await (await fetch(`${origin}/agent/settings`)).json();
  expect(settings).toMatchObject({ agents: [{ name: "researcher", description: "Finds facts." }] });
  const answered = await (await post(origin, { message: "Who are you?", agent: "researcher" })).json();
  expect(answered).toMatchObject({ status: "complete", response: "I am brief." });
  expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["lookup"]);
  const unknown = await (await post(origin, { message: "Who are you?", agent: "nobody" })).json();
  expect(unknown).toMatchObject({
    status: "failed",
    error: { code: "invalid_request", message: expect.stringContaining('"nobody" (allowed: researcher)') },
  });
});

test.each([
  [true, ["agent_ask", "agent_cancel", "agent_researcher", "agent_result"]],
  [false, ["agent_ask", "agent_cancel", "agent_result"]],
])("with serve.agents: %s a host sees the tools %j", async (isOffered, names) => {
  const { origin } = await serve(["It is 300 m."], { serve: { agents: isOffered } });
  const client = new Client({ name: "host", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`)));
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(
    tools
      .map(({ name }) => name)
      .filter((name) => name !== "agent_message")
      .toSorted(),
  ).toEqual(names);
  const call = client.callTool({ name: "agent_researcher", arguments: { question: "How high?" } });
  if (!isOffered) return expect(call).rejects.toThrow("agent_researcher");
  expect((await call).structuredContent).toMatchObject({ status: "complete", response: "It is 300 m." });
});

test("the command line chooses an agent, and names those that there are", async () => {
  const config = await configFile({ agents });
  const ask = (...flags: string[]) => runWarmProgram(["ask", "1+1", "--config", config, ...flags], { env: {} });
  const refused = await ask("--agent", "nobody");
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('"nobody"')]);
  expect(refused.stderr).toContain("researcher");
  expect((await ask("--agent", "researcher")).code).toBe(0);
});
