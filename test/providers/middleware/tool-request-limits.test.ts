import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Message } from "../../../src/core/model/messages.ts";
import type { ToolDefinition } from "../../../src/core/model/model.ts";
import type { ModelSettings, Quirks, WireName } from "../../../src/core/model/model-settings.ts";
import { isRecord } from "../../../src/kit/json.ts";
import { createModel } from "../../../src/providers/create-model.ts";
import { createToolNames } from "../../../src/providers/middleware/tool-request-limits.ts";
import { type FakeProvider, startFakeProvider } from "../../fakes/provider.ts";
import { listOf } from "../../fakes/provider-rules.ts";
import { hear, question, settings, weather } from "../reading.ts";

let fake: FakeProvider;
beforeEach(async () => {
  fake = await startFakeProvider();
});
afterEach(() => fake.close());

describe("the name of a tool", () => {
  test("stays as it is when every vendor takes it", () => {
    const names = createToolNames(["maps__weather", "a-b_C9"]);
    expect(["maps__weather", "a-b_C9", "unknown"].map(names.toVendor)).toEqual(["maps__weather", "a-b_C9", "unknown"]);
    expect(names.fromVendor("unknown")).toBe("unknown");
  });

  test("is made to fit otherwise, each differently, the same each time, with a way back", () => {
    const long = "x".repeat(80);
    const odd = ["server.tool", "server/tool", "天气", "", long, `${long}y`];
    const names = createToolNames(odd);
    const made = odd.map(names.toVendor);
    for (const name of made) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(new Set(made).size).toBe(odd.length);
    expect(made.map(names.fromVendor)).toEqual(odd);
    expect(createToolNames(odd.toReversed()).toVendor("server.tool")).toBe(made[0]);
    const taken = createToolNames(["server.tool", made[0] ?? ""]);
    expect(taken.toVendor("server.tool")).not.toBe(made[0]);
  });
});

describe.each<WireName>(["openai-chat", "openai-responses", "anthropic-messages"])("tools over %s", (wire) => {
  function model(changes: Partial<ModelSettings> = {}) {
    const baseUrl = wire === "anthropic-messages" ? fake.anthropicUrl : fake.openaiUrl;
    return createModel(settings({ wire, baseUrl, ...changes }));
  }
  const tools: ToolDefinition[] = [weather, { ...weather, name: "server.天气" }, { ...weather, name: "alarm" }];

  test("come in one order, whatever the order in which they were found", async () => {
    fake.script("test-model", { text: "Hi." }, { text: "Hi." });
    await hear(model(), { tools });
    await hear(model(), { tools: tools.toReversed() });
    const [first, second] = fake.requests("test-model").map(({ body }) => JSON.stringify(body.tools));
    expect(first).toBe(second);
  });

  test("that came late stand behind the others, in the order they came", async () => {
    fake.script("test-model", { text: "Hi." }, { text: "Hi." });
    const late = ["zebra", "apple"].map((name): ToolDefinition => ({ ...weather, name, late: true }));
    await hear(model(), { tools });
    await hear(model(), { tools: [late[0] ?? weather, ...tools.toReversed(), ...late.slice(1)] });
    const [before = [], after = []] = fake.requests("test-model").map(({ body }) => namesIn(body.tools));
    expect(after).toEqual([...before, "zebra", "apple"]);
    expect(JSON.stringify(fake.requests("test-model")[1]?.body.tools)).not.toContain("late");
  });

  test("are called back by their own names, also in later turns", async () => {
    const called = createToolNames(tools.map(({ name }) => name)).toVendor("server.天气");
    fake.script(
      "test-model",
      { toolCalls: [{ id: "a", name: called, arguments: { city: "Bergen" } }] },
      { text: "Rain." },
    );
    const asked = model();
    const { turn } = await hear(asked, { tools });
    expect(turn.message.toolCalls.map(({ name }) => name)).toEqual(["server.天气"]);
    const result = { role: "tool", callId: "a", tool: "server.天气", content: "rain", ok: true } as const;
    await hear(asked, { tools, messages: [...question.messages, turn.message, result] });
    expect(JSON.stringify(fake.requests("test-model")[1]?.body)).not.toContain("server.天气");
  });

  test("of real servers go out in the dialect of the vendor", async () => {
    const dialects: Quirks[] = [{}, { toolDialect: "inlined" }, { toolDialect: "openapi" }];
    const offered = await toolsOfRealServers();
    fake.script("test-model", ...dialects.map(() => ({ text: "Hi." })));
    for (const quirks of dialects) await hear(model({ quirks }), { tools: offered });
    const sent = fake
      .requests("test-model")
      .map(({ body }) => (Array.isArray(body.tools) ? body.tools.map(parametersOf) : []));
    for (const [position, schemas] of sent.entries()) {
      expect(schemas).toHaveLength(offered.length);
      const text = JSON.stringify(schemas);
      expect(text).not.toContain("$schema");
      if (position > 0) expect(text).not.toMatch(/"\$ref"|"oneOf"|"\$defs"/);
      if (position > 1) expect(text).not.toMatch(/"additionalProperties":|"format":"(?!date-time)|"default":/);
    }
  });
});

function parametersOf(tool: unknown): unknown {
  if (!isRecord(tool)) return undefined;
  return isRecord(tool.function) ? tool.function.parameters : (tool.parameters ?? tool.input_schema);
}

describe("Anthropic's cache", () => {
  test("is told where a request will be the same next time: at most four marks", async () => {
    fake.script("test-model", { text: "Hi." }, { text: "Hi." });
    const model = createModel(
      settings({ wire: "anthropic-messages", baseUrl: fake.anthropicUrl, quirks: { cacheMarks: true } }),
    );
    const messages = [{ role: "system" as const, content: "Be brief." }, ...question.messages];
    await hear(model, { messages, tools: [weather, { ...weather, name: "alarm" }] });
    await hear(model, question);
    const mark = { cache_control: { type: "ephemeral" } };
    const [first, second] = fake.requests("test-model").map(({ body }) => body);
    expect(first).toMatchObject({
      tools: [{ name: "alarm" }, { name: "weather", ...mark }],
      system: [{ type: "text", text: "Be brief.", ...mark }],
      messages: [{ role: "user", content: [{ type: "text", ...mark }] }],
    });
    expect(JSON.stringify(first).split("cache_control")).toHaveLength(4);
    expect(second).toMatchObject({ messages: [{ content: [{ ...mark }] }] });
    expect(second).not.toHaveProperty("system");
  });

  const round = (id: string): Message[] => [
    { role: "user", content: `Question ${id}?`, cacheMark: true },
    { role: "assistant", content: "", toolCalls: [{ id, name: "weather", argumentsText: "{}", arguments: {} }] },
    { role: "tool", callId: id, tool: "weather", content: `Result ${id}.`, ok: true, cacheMark: true },
    { role: "assistant", content: `Answer ${id}.`, toolCalls: [], cacheMark: true },
  ];
  const conversation: Message[] = [
    { role: "system", content: "Be brief.", cacheMark: true },
    ...round("one"),
    ...round("two"),
    { role: "user", content: "What stays the same.", cacheMark: true },
    { role: "user", content: "And now?" },
  ];

  test("is told by marks on messages too, of which the last go out as far as the vendor takes them", async () => {
    fake.script("test-model", { text: "Hi." }, { text: "Hi." }, { text: "Hi." });
    const quirks = { cacheMarks: true };
    const model = createModel(settings({ wire: "anthropic-messages", baseUrl: fake.anthropicUrl, quirks }));
    await hear(model, { messages: conversation, tools: [weather] });
    await hear(model, { messages: conversation.slice(1) });
    await hear(model, { messages: conversation.slice(1), tools: [weather] });
    expect(fake.requests("test-model").map(({ body }) => findMarked(body))).toEqual([
      ["weather", "Be brief.", "What stays the same.", "And now?"],
      // Past calls need their tools.
      ["weather", "Answer two.", "What stays the same.", "And now?"],
      ["weather", "Answer two.", "What stays the same.", "And now?"],
    ]);
  });

  test.each<[string, WireName, object]>([
    ["chat completions", "openai-chat", {}],
    ["Responses", "openai-responses", {}],
    ["Anthropic's messages at a vendor without a cache", "anthropic-messages", {}],
  ])("is no matter of %s: no mark goes out, and neighbours of the user stay one message", async (_, wire, quirks) => {
    fake.script("test-model", { text: "Hi." });
    const baseUrl = wire === "anthropic-messages" ? fake.anthropicUrl : fake.openaiUrl;
    await hear(createModel(settings({ wire, baseUrl, quirks })), { messages: conversation, tools: [weather] });
    const sent = JSON.stringify(fake.requests("test-model")[0]?.body);
    expect(sent).not.toMatch(/cache_?(control|mark)/i);
    expect(sent).toContain("What stays the same.\\n\\nAnd now?");
  });
});

/** What carries a mark, in the order in which the vendor reads it. */
function findMarked(body: Record<string, unknown>): unknown[] {
  const blocks = listOf(body.messages).flatMap(({ content }) => listOf(content));
  return [...listOf(body.tools), ...listOf(body.system), ...blocks]
    .filter(({ cache_control }) => cache_control !== undefined)
    .map(({ name, text, content }) => name ?? text ?? content);
}

const require = createRequire(import.meta.url);
const packages: [name: string, ...args: string[]][] = [
  ["@modelcontextprotocol/server-everything"],
  ["@modelcontextprotocol/server-filesystem", "."],
  ["@amap/amap-maps-mcp-server"],
];

/** What the servers list of themselves, in their own words. */
async function toolsOfRealServers(): Promise<ToolDefinition[]> {
  const lists = await Promise.all(
    packages.map(async ([name, ...args]) => {
      const manifest = require.resolve(`${name}/package.json`);
      const { bin }: { bin: string | Record<string, string> } = require(manifest);
      const script = join(dirname(manifest), typeof bin === "string" ? bin : (Object.values(bin)[0] ?? ""));
      const client = new Client({ name: "test", version: "0" });
      const env = { PATH: process.env.PATH ?? "", AMAP_MAPS_API_KEY: "none" };
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args: [script, ...args], env, stderr: "ignore" }),
      );
      try {
        return (await client.listTools()).tools;
      } finally {
        await client.close();
      }
    }),
  );
  return lists.flat().map(({ name, description = "", inputSchema }) => ({ name, description, inputSchema }));
}

function namesIn(tools: unknown): string[] {
  if (!Array.isArray(tools)) return [];
  return tools.map((tool) => /"name":"([^"]*)"/.exec(JSON.stringify(tool))?.[1] ?? "");
}
