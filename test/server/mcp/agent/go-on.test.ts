import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import type { Tool } from "../../../../src/core/tools/tool.ts";
import { makeTool } from "../../../fakes/events.ts";
import { startHttpDuet } from "../../../fakes/http-duet.ts";
import type { ScriptedCall, ScriptedTurn } from "../../../fakes/model.ts";

/** Answers with a page of its own for each city. */
const weather: Tool = {
  ...makeTool("weather", () => ({ ok: true, text: "" })),
  inputSchema: { type: "object", properties: { city: { type: "string" } } },
  run: async ({ city }) => {
    const source = { title: String(city), url: `https://weather.example/${String(city)}`, snippet: `12 °C in ${city}` };
    return { ok: true, text: source.snippet, kind: "files", sources: [source] };
  },
};

function callWeather(...cities: string[]): ScriptedCall[] {
  return cities.map((city) => ({ id: city, name: "weather", input: { city } }));
}

/** Asks as a host whose user wants to go on with each run that has reached a limit. */
async function askOn(turns: ScriptedTurn[]) {
  const settings = { agent: { maxToolCalls: 2, maxIterations: 4 }, tools: { askBeforeSending: false } };
  const { origin } = await startHttpDuet({ turns, tools: [weather], settings });
  const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: { form: {} } } });
  const asked: string[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message);
    return { action: "accept", content: {} };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`)));
  onTestFinished(() => client.close());
  const args = { question: "The weather of five cities", detail: "full" };
  const result = await client.callTool({ name: "agent_ask", arguments: args });
  return { result, text: JSON.stringify(result.content), asked };
}

const firstTurns: ScriptedTurn[] = [callWeather("Rome", "Bari", "Pisa"), "12 °C in Rome [1] and in Bari [2]."];

test("who goes on through a form gets the answers, sources, calls and tokens of all the runs", async () => {
  const { result, text, asked } = await askOn([
    ...firstTurns,
    callWeather("Pisa", "Oslo", "Lima"),
    "12 °C in Pisa [3] and Oslo [4], as in Rome [1]; `list[1]` is Oslo.",
    callWeather("Lima"),
    "12 °C in Lima, too [5].",
  ]);
  expect(asked).toHaveLength(2);
  expect(text).toContain("12 °C in Rome [1] and in Bari [2].");
  expect(text).toContain("12 °C in Pisa [3] and Oslo [4], as in Rome [1]; `list[1]` is Oslo.");
  expect(text).toContain("12 °C in Lima, too [5].");
  const cities = ["Rome", "Bari", "Pisa", "Oslo", "Lima"];
  expect(result.structuredContent).toMatchObject({
    status: "complete",
    citations: cities.map((title, index) => ({ n: index + 1, title })),
    tool_calls: [true, true, false, true, true, false, true].map((ok) => ({ ok })),
    meta: { total_tokens: 120, tool_calls_count: 7, models: { function_call: { calls: 4 }, answer: { calls: 2 } } },
  });
  expect(text).not.toContain("partial");
});

test("who goes on and meets an error still gets the first answer, as a partial one with that error", async () => {
  const { result, text } = await askOn(firstTurns);
  expect(result.isError).toBeUndefined();
  expect(text).toContain("12 °C in Rome [1] and in Bari [2].");
  expect(text).toMatch(/This answer is partial: Internal server error/);
  expect(result.structuredContent).toMatchObject({ status: "partial", stop_reason: "error" });
});
