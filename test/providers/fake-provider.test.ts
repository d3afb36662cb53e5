import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../fakes/provider.ts";

let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider();
});
afterAll(() => fake.close());

const user = { role: "user", content: "hello" };
const call = { id: "a", type: "function", function: { name: "weather", arguments: "{}" } };
const use = { type: "tool_use", id: "a", name: "weather", input: {} };
const result = { type: "tool_result", tool_use_id: "a", content: "rain" };

async function post(path: string, body: unknown, headers: Record<string, string>) {
  const response = await fetch(fake.url + path, { method: "POST", body: JSON.stringify(body), headers });
  return { status: response.status, text: await response.text() };
}

const chat = (body: object, headers: Record<string, string> = { authorization: "Bearer x" }) =>
  post("/v1/chat/completions", { model: "m", messages: [user], ...body }, headers);

const responses = (body: object, headers: Record<string, string> = { authorization: "Bearer x" }) =>
  post("/v1/responses", { model: "m", input: [user], store: false, ...body }, headers);

const messages = (body: object, headers: Record<string, string> = { "x-api-key": "x" }) =>
  post(
    "/v1/messages",
    { model: "m", max_tokens: 10, messages: [user], ...body },
    { "anthropic-version": "2023-06-01", ...headers },
  );

describe("the fake provider", () => {
  test("answers with the scripted replies in order, and with a 500 that says so when there are none left", async () => {
    fake.script("m", { text: "one" }, { text: "two" });
    expect(fake.unused()).toEqual(["m (2)"]);
    expect((await chat({})).text).toContain('"content":"one"');
    expect((await messages({})).text).toContain('"text":"two"');
    expect(await chat({})).toMatchObject({
      status: 500,
      text: expect.stringContaining("has no reply scripted for model"),
    });
    expect(fake.unused()).toEqual([]);
    expect(fake.requests("m").map((entry) => entry.wire)).toEqual(["openai-chat", "anthropic-messages", "openai-chat"]);
    expect(fake.requests("m").every((entry) => entry.endedAt !== undefined && !entry.aborted)).toBe(true);
  });

  test("lets a reply depend on the request", async () => {
    fake.script("m", (request) => ({ text: `temp=${request.body.temperature}`, chunkSize: 100 }));
    expect((await chat({ temperature: 0.25 })).text).toContain("temp=0.25");
  });

  test("sends the raw status, body and headers of a scripted failure", async () => {
    fake.script("m", { status: 429, body: '{"error":{"message":"slow down"}}', headers: { "retry-after": "2" } });
    expect(await chat({})).toEqual({ status: 429, text: '{"error":{"message":"slow down"}}' });
  });

  test("ends both streams with the markers of their wires, unless they are cut", async () => {
    fake.script(
      "m",
      { text: "hi" },
      { text: "hi" },
      { text: "hi", cut: "before-finish" },
      { text: "hi", cut: "before-finish" },
    );
    expect((await chat({})).text).toMatch(/"finish_reason":"stop"[\s\S]*data: \[DONE\]\n\n$/);
    expect((await messages({})).text).toMatch(/"stop_reason":"end_turn"[\s\S]*"type":"message_stop"}\n\n$/);
    expect((await chat({})).text).not.toMatch(/"finish_reason":"stop"|DONE/);
    expect((await messages({})).text).not.toMatch(/stop_reason|message_stop/);
  });

  test("cuts a tool call in the middle of its arguments", async () => {
    const turn = { toolCalls: [{ name: "weather", arguments: { city: "Bergen" } }], cut: "in-tool-call" as const };
    fake.script("m", turn, turn);
    for (const { text } of [await chat({}), await messages({})]) {
      expect(text).toContain("weather");
      expect(text).not.toContain("Bergen");
    }
  });

  test("lists the scripted models", async () => {
    expect(await (await fetch(`${fake.openaiUrl}/models`)).json()).toMatchObject({ data: [{ id: "m" }] });
  });
});

describe("what OpenAI refuses", () => {
  test.each([
    ["no key", 401, {}, {}],
    [
      "a tool name with a dot",
      400,
      { tools: [{ type: "function", function: { name: "a.b", parameters: { type: "object", properties: {} } } }] },
    ],
    [
      "parameters that are no object schema",
      400,
      { tools: [{ type: "function", function: { name: "a", parameters: { type: "string" } } }] },
    ],
    ["an empty list of tools", 400, { tools: [] }],
    ["a result without its call", 400, { messages: [user, { role: "tool", tool_call_id: "a", content: "x" }] }],
    [
      "a call without its result",
      400,
      { messages: [user, { role: "assistant", content: null, tool_calls: [call] }, user] },
    ],
    [
      "a call without its result at the end",
      400,
      { messages: [user, { role: "assistant", content: null, tool_calls: [call] }] },
    ],
    [
      "broken arguments in the history",
      400,
      {
        messages: [
          user,
          {
            role: "assistant",
            content: null,
            tool_calls: [{ ...call, function: { name: "weather", arguments: "{" } }],
          },
          { role: "tool", tool_call_id: "a", content: "x" },
        ],
      },
    ],
    ["an assistant message that says nothing", 400, { messages: [user, { role: "assistant", content: null }, user] }],
    ["an unknown role", 400, { messages: [{ role: "robot", content: "x" }] }],
    ["no messages", 400, { messages: [] }],
    ["a temperature above 2", 400, { temperature: 2.5 }],
  ])("%s", async (_, status, body, headers?) => {
    expect((await chat(body, headers as Record<string, string> | undefined)).status).toBe(status);
  });
});

describe("what OpenAI refuses of its newer models on chat completions", () => {
  const tools = [{ type: "function", function: { name: "a", parameters: { type: "object", properties: {} } } }];
  test.each([
    ["gpt-5.6-terra", {}, 400],
    ["gpt-6-luna", { reasoning_effort: "low" }, 400],
    ["gpt-5.4", { reasoning_effort: "low" }, 400],
    ["gpt-6-luna", { reasoning_effort: "none" }, 200],
    ["gpt-5.4", {}, 200],
    ["gpt-4o", { reasoning_effort: "low" }, 200],
  ])("tools of %s with %j: %d", async (model, body, status) => {
    fake.script(model, { text: "ok" });
    const answer = await chat({ model, tools, ...body });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.text).toContain(`are not supported for ${model} in /v1/chat/completions`);
  });

  test("max_tokens", async () => {
    const { status, text } = await chat({ model: "o4-mini", max_tokens: 5 });
    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining("Use 'max_completion_tokens'") });
  });
});

describe("what OpenAI refuses on Responses", () => {
  const asked = { type: "function_call", id: "fc_1", call_id: "c", name: "weather", arguments: "{}" };
  const answer = { type: "function_call_output", call_id: "c", output: "rain" };
  const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "encrypted-by-m" };
  const tool = { type: "function", name: "a", strict: false, parameters: { type: "object", properties: {} } };
  test.each<[string, object, string]>([
    ["no input", { input: [] }, "input"],
    ["chat's messages", { messages: [user] }, "moved to 'input'"],
    ["chat's limit", { max_tokens: 20 }, "moved to 'max_output_tokens'"],
    ["chat's effort", { reasoning_effort: "low" }, "moved to 'reasoning.effort'"],
    ["an unknown parameter", { mood: "grey" }, "Unknown parameter: 'mood'"],
    ["a limit below 16", { max_output_tokens: 15 }, ">= 16, but got 15"],
    [
      "a temperature while it reasons",
      { temperature: 1, reasoning: { effort: "low" } },
      "'temperature' is not supported",
    ],
    ["effort for a model without it", { model: "gpt-4o", reasoning: { effort: "low" } }, "'reasoning.effort' is not"],
    ["chat's form of a tool", { tools: [{ type: "function", function: tool }] }, "tools[0].name"],
    ["a tool name with a dot", { tools: [{ ...tool, name: "a.b" }] }, "does not match pattern"],
    ["a tool that is strict by default", { tools: [{ ...tool, strict: undefined }] }, "additionalProperties"],
    ["an output without its call", { input: [user, answer] }, "No tool call found for function call output"],
    ["a call without its output", { input: [user, asked] }, "No tool output found for function call c"],
    ["reasoning at the end", { input: [user, thought] }, "without its required following item"],
    ["reasoning before the user", { input: [user, thought, user] }, "without its required following item"],
    [
      "reasoning by its id alone",
      { input: [user, { ...thought, encrypted_content: null }, asked, answer] },
      "not found",
    ],
    [
      "reasoning of another model",
      { input: [user, { ...thought, encrypted_content: "x" }, asked, answer] },
      "could not be verified",
    ],
    ["a long call id", { input: [user, { ...asked, call_id: "c".repeat(65) }] }, "string too long"],
    ["an unknown role", { input: [{ role: "robot", content: "x" }] }, "robot"],
  ])("%s", async (_, body, words) => {
    expect(await responses(body)).toMatchObject({ status: 400, text: expect.stringContaining(words) });
  });

  test("and nothing about a right conversation", async () => {
    fake.script("m", { reasoning: "Hm.", text: "ok", chunkSize: 99 });
    const { status, text } = await responses({ tools: [tool], input: [user, thought, asked, answer] });
    expect(status).toBe(200);
    expect(text).toMatch(/event: response.completed\ndata: .*"status":"completed".*\n\n$/);
    expect(fake.requests("m").at(-1)?.wire).toBe("openai-responses");
  });
});

describe("what Anthropic refuses", () => {
  test.each([
    ["no key", 401, {}, { "x-api-key": "" }],
    ["no max_tokens", 400, { max_tokens: undefined }],
    ["a temperature above 1", 400, { temperature: 1.5 }],
    ["a first message that is not the user's", 400, { messages: [{ role: "assistant", content: "x" }] }],
    ["a system message among the messages", 400, { messages: [user, { role: "system", content: "x" }] }],
    ["a tool without an object schema", 400, { tools: [{ name: "a", input_schema: {} }] }],
    ["a use without its result", 400, { messages: [user, { role: "assistant", content: [use] }, user] }],
    ["a use without its result at the end", 400, { messages: [user, { role: "assistant", content: [use] }] }],
    [
      "a result that is not first",
      400,
      {
        messages: [
          user,
          { role: "assistant", content: [use] },
          { role: "user", content: [{ type: "text", text: "x" }, result] },
        ],
      },
    ],
    ["a result without its use", 400, { messages: [{ role: "user", content: [result] }] }],
    [
      "an id used twice",
      400,
      {
        messages: [
          user,
          { role: "assistant", content: [use] },
          { role: "user", content: [result] },
          { role: "assistant", content: [use] },
          { role: "user", content: [result] },
        ],
      },
    ],
    [
      "an id with a dot",
      400,
      {
        messages: [
          user,
          { role: "assistant", content: [{ ...use, id: "a.b" }] },
          { role: "user", content: [{ ...result, tool_use_id: "a.b" }] },
        ],
      },
    ],
    ["an empty text", 400, { messages: [{ role: "user", content: "  " }] }],
  ])("%s", async (_, status, body, headers?) => {
    expect((await messages(body, headers as Record<string, string> | undefined)).status).toBe(status);
  });

  test("and nothing about a right conversation", async () => {
    fake.script("m", { text: "ok" }, { text: "ok" });
    const turns = [
      user,
      { role: "assistant", content: [use] },
      { role: "user", content: [result, { type: "text", text: "go on" }] },
    ];
    const tools = [{ name: "weather", input_schema: { type: "object" } }];
    expect((await messages({ messages: turns, tools })).status).toBe(200);
    const chatTurns = [
      user,
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "a", content: "rain" },
    ];
    expect((await chat({ messages: chatTurns })).status).toBe(200);
  });
});
