import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resolveModel } from "../../../src/config/models/resolve-model.ts";
import { createVendorTable } from "../../../src/config/models/vendor-table.ts";
import type { ModelRequest, ResponseFormat } from "../../../src/core/model/model.ts";
import type { JsonSchema } from "../../../src/kit/json.ts";
import { createModel } from "../../../src/providers/create-model.ts";
import { type FakeProvider, type FakeTurn, type Reply, startFakeProvider } from "../../fakes/provider.ts";
import { hear, weather } from "../reading.ts";

let fake: FakeProvider;

beforeAll(async () => {
  fake = await startFakeProvider();
});

afterAll(() => fake.close());

type Spec = Parameters<typeof resolveModel>[0];

/** Asks a model of the table at the fake provider, which checks the request as the model's vendor does. */
async function ask(spec: Spec, request: Partial<ModelRequest>, ...replies: Reply[]) {
  const table = createVendorTable({ other: { baseUrl: fake.openaiUrl } });
  const baseUrl = spec.provider === "anthropic" ? fake.anthropicUrl : fake.openaiUrl;
  const settings = resolveModel({ baseUrl, ...spec }, table, {}, "models.answer");
  const model = createModel({ ...settings, apiKey: "sk-test" }, { retries: 0 });
  const before = fake.journal.length;
  fake.script(settings.servedAs ?? settings.model, ...(replies.length > 0 ? replies : [{ text: "{}" }]));
  const heard = await hear(model, request);
  const bodies = fake.journal.slice(before).map(({ body }) => body);
  return { ...heard, bodies, body: bodies.at(-1) ?? {} };
}

describe("stop texts", () => {
  test.each<[Spec, string[], unknown, string]>([
    [{ provider: "openai", model: "gpt-4o" }, ["a", "b"], { stop: ["a", "b"] }, ""],
    [{ provider: "openai", model: "gpt-4o" }, ["a", "b", "c", "d", "e"], { stop: ["a", "b", "c", "d"] }, '"e"'],
    [{ provider: "openai", model: "gpt-5" }, ["a"], { model: "gpt-5" }, '"a"'],
    [{ provider: "openai", model: "gpt-6.1-sol" }, ["a"], { store: false }, '"a"'],
    [{ provider: "deepseek" }, [..."abcdefgh"], { stop: [..."abcdefgh"] }, ""],
    [{ provider: "gemini" }, [..."abcdef"], { stop: [..."abcde"] }, '"f"'],
    [{ provider: "zai" }, ["a", "b"], { stop: ["a"] }, '"b"'],
    [{ provider: "xai" }, ["a"], { model: "grok-4.7" }, '"a"'],
    [{ provider: "anthropic" }, ["\n\n", "a"], { stop_sequences: ["a"] }, String.raw`"\n\n"`],
  ])("%j takes what its vendor takes of %j, and the rest is told", async (spec, stop, sent, ignored) => {
    const { body, notices } = await ask(spec, { stop });
    expect(body).toMatchObject(sent as object);
    expect(notices.join()).toContain(ignored);
    expect(notices).toHaveLength(ignored === "" ? 0 : 1);
  });

  test("that are not taken are told in each run that has them, and once in it", async () => {
    const table = createVendorTable({});
    const settings = resolveModel(
      { provider: "openai", model: "gpt-5", baseUrl: fake.openaiUrl },
      table,
      {},
      "models.answer",
    );
    const model = createModel({ ...settings, apiKey: "sk-test" }, { retries: 0 });
    const told: number[] = [];
    for (const id of ["run-a", "run-a", "run-b"]) {
      fake.script("gpt-5", { text: "{}" });
      told.push((await hear(model, { stop: ["a"], run: { id, leftMs: () => 60_000 } })).notices.length);
    }
    expect(told).toEqual([1, 0, 1]);
  });
});

describe("a forced call", () => {
  const tools = [weather];
  const called: FakeTurn = { toolCalls: [{ name: "weather", arguments: { city: "Paris" } }] };
  test.each<[Spec, ModelRequest["toolChoice"], unknown]>([
    [{ provider: "openai", model: "gpt-4o" }, "required", "required"],
    [{ provider: "openai", model: "gpt-4o" }, { tool: "weather" }, { type: "function", function: { name: "weather" } }],
    [{ provider: "openai" }, { tool: "weather" }, { type: "function", name: "weather" }],
    [{ provider: "openai" }, "none", "none"],
    [{ provider: "anthropic" }, "required", { type: "any" }],
    [{ provider: "anthropic" }, { tool: "weather" }, { type: "tool", name: "weather" }],
    [{ provider: "anthropic" }, "none", { type: "none" }],
    [{ provider: "deepseek" }, "required", "required"],
    [{ provider: "openai", model: "gpt-4o" }, "auto", undefined],
  ])("is asked of %j in the words of its wire: %j", async (spec, toolChoice, sent) => {
    const { body, notices } = await ask(spec, { tools, toolChoice }, called);
    expect(body.tool_choice).toEqual(sent);
    expect(notices).toEqual([]);
  });

  test.each<Spec>([
    { provider: "anthropic", reasoningEffort: "low" },
    { provider: "deepseek", model: "deepseek-reasoner" },
    { provider: "qwen", reasoningEffort: "high" },
    { provider: "other", model: "kimi-k3" },
  ])("is left to the model where its vendor would refuse it, and that is told: %j", async (spec) => {
    const { body, notices } = await ask(spec, { tools, toolChoice: "required" }, called);
    expect(body.tool_choice).toBeUndefined();
    expect(notices.join()).toContain("does not use the setting toolChoice (required)");
  });
});

const schema: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    city: { type: "string", minLength: 1 },
    celsius: { type: "number", minimum: -90 },
    note: { type: "string" },
    day: { $ref: "#/$defs/day" },
  },
  required: ["city", "celsius"],
  $defs: { day: { type: "object", properties: { date: { type: "string", format: "date" } } } },
};
const format: ResponseFormat = { type: "json_schema", name: "answer", schema };

describe("a schema for the answer", () => {
  const city = { type: "string", description: "(minLength: 1)" };
  test("goes to OpenAI with every field required, and null for what may be left out", async () => {
    const expected = {
      type: "object",
      properties: {
        city,
        celsius: { type: "number", minimum: -90 },
        note: { type: ["string", "null"] },
        day: { anyOf: [{ $ref: "#/$defs/day" }, { type: "null" }] },
      },
      required: ["city", "celsius", "note", "day"],
      additionalProperties: false,
      $defs: {
        day: {
          type: "object",
          properties: { date: { type: ["string", "null"], format: "date" } },
          required: ["date"],
          additionalProperties: false,
        },
      },
    };
    const chat = await ask({ provider: "openai", model: "gpt-4o" }, { responseFormat: format });
    expect(chat.body.response_format).toEqual({
      type: "json_schema",
      json_schema: { name: "answer", schema: expected, strict: true },
    });
    const responses = await ask({ provider: "openai" }, { responseFormat: format });
    expect(responses.body.text).toEqual({
      format: { type: "json_schema", name: "answer", schema: expected, strict: true },
    });
  });

  test("goes to Claude without limits on values, and beside the effort", async () => {
    const { body } = await ask({ provider: "anthropic", reasoningEffort: "low" }, { responseFormat: format });
    expect(body.output_config).toEqual({
      effort: "low",
      format: {
        type: "json_schema",
        schema: {
          type: "object",
          properties: {
            city,
            celsius: { type: "number", description: "(minimum: -90)" },
            note: { type: "string" },
            day: { $ref: "#/$defs/day" },
          },
          required: ["city", "celsius"],
          additionalProperties: false,
          $defs: {
            day: {
              type: "object",
              properties: { date: { type: "string", format: "date" } },
              required: [],
              additionalProperties: false,
            },
          },
        },
      },
    });
  });

  test("goes to Gemini in its part of OpenAPI", async () => {
    const { body } = await ask({ provider: "gemini" }, { responseFormat: format });
    expect(body.response_format).toMatchObject({
      json_schema: {
        schema: { type: "object", properties: { city, day: { type: "object" } }, required: ["city", "celsius"] },
      },
    });
    expect(JSON.stringify(body.response_format)).not.toMatch(/\$ref|\$defs|additionalProperties/);
  });

  test.each<[Spec, unknown]>([
    [{ provider: "deepseek" }, { type: "json_object" }],
    [{ provider: "qwen", model: "qwen-plus" }, { type: "json_object" }],
    [{ provider: "qwen", reasoningEffort: "high" }, undefined],
    [{ provider: "openai", model: "gpt-4" }, undefined],
    [{ provider: "anthropic", model: "claude-3-5-haiku-latest" }, undefined],
  ])("is asked for in words where the vendor takes none: %j", async (spec, sent) => {
    const { body } = await ask(spec, { responseFormat: format });
    expect(body.response_format ?? body.output_config).toEqual(sent);
    expect(JSON.stringify(body.messages)).toContain(JSON.stringify(JSON.stringify(schema)).slice(1, -1));
  });

  test.each<[string, JsonSchema]>([
    [
      "names of its own",
      { type: "object", properties: { by: { type: "object", additionalProperties: { type: "number" } } } },
    ],
    ["a value of any type", { type: "object", properties: { any: {} } }],
    ["itself, for Claude", { type: "object", properties: { next: { $ref: "#" } } }],
  ])("is asked for in words where the dialect cannot say it: %s", async (_, odd) => {
    const { body } = await ask({ provider: "anthropic" }, { responseFormat: { ...format, schema: odd } });
    expect(body.output_config).toBeUndefined();
    expect(JSON.stringify(body.messages)).toContain("It must match this JSON Schema:");
  });

  test("is asked for in words, too, of a server that may ignore it without a word, and not of one known to obey", async () => {
    for (const [structuredOutput, model] of [
      [undefined, "unknown-1"],
      [true, "known-1"],
    ] as const) {
      const capabilities = structuredOutput && { structuredOutput };
      const { body } = await ask({ provider: "other", model, capabilities }, { responseFormat: format });
      expect(body.response_format).toMatchObject({ type: "json_schema" });
      const isInWords = JSON.stringify(body.messages).includes("It must match this JSON Schema:");
      expect(isInWords).toBe(structuredOutput === undefined);
    }
  });

  test("is asked for in words where the model is known not to keep to one", async () => {
    const spec = { provider: "other", model: "plain-1", capabilities: { structuredOutput: false } };
    const { body } = await ask(spec, { responseFormat: format });
    expect(body.response_format).toEqual({ type: "json_object" });
  });

  test("that an unknown server refuses is asked for in words from then on, and the next call begins there", async () => {
    const table = createVendorTable({ other: { baseUrl: fake.openaiUrl } });
    const settings = resolveModel({ provider: "other", model: "no-schema-1" }, table, {}, "models.answer");
    const model = createModel({ ...settings, apiKey: "sk-test" }, { retries: 0 });
    fake.script("no-schema-1", { text: "{}" }, { text: "{}" });
    await hear(model, { responseFormat: format });
    await hear(model, { responseFormat: format });
    const sent = fake.requests("no-schema-1").map(({ body }) => body.response_format);
    expect(sent).toMatchObject([{ type: "json_schema" }, { type: "json_object" }, { type: "json_object" }]);
  });
});

test("any JSON object is asked for with the word that vendors require, and of Claude in words alone", async () => {
  const responseFormat: ResponseFormat = { type: "json_object" };
  for (const spec of [{ provider: "openai", model: "gpt-4o" }, { provider: "deepseek" }])
    expect((await ask(spec, { responseFormat })).body.response_format).toEqual({ type: "json_object" });
  expect((await ask({ provider: "openai" }, { responseFormat })).body.text).toEqual({
    format: { type: "json_object" },
  });
  const { body } = await ask({ provider: "anthropic" }, { responseFormat });
  expect(JSON.stringify(body)).toContain("Answer with one JSON object");
});

describe("hidden reasoning that counts into the output limit", () => {
  test.each<[Spec, string, number]>([
    [{ provider: "openai", model: "gpt-5" }, "max_completion_tokens", 18_000],
    [{ provider: "openai", model: "gpt-5", reasoningEffort: "high" }, "max_completion_tokens", 34_000],
    [{ provider: "openai", model: "gpt-4o" }, "max_completion_tokens", 2000],
    [{ provider: "openai", reasoningEffort: "medium" }, "max_output_tokens", 18_000],
    [{ provider: "deepseek", model: "deepseek-reasoner" }, "max_tokens", 34_000],
    [{ provider: "deepseek" }, "max_tokens", 2000],
    [{ provider: "gemini", model: "gemini-4-argon" }, "max_tokens", 18_000],
    [{ provider: "gemini", model: "gemini-4-argon", maxTokens: 30_000 }, "max_tokens", 32_768],
    [{ provider: "anthropic", reasoningEffort: "low" }, "max_tokens", 6000],
    [{ provider: "anthropic" }, "max_tokens", 2000],
    [{ provider: "qwen", reasoningEffort: "high" }, "max_tokens", 2000],
    [{ provider: "other", model: "kimi-k3", contextWindow: 8000 }, "max_tokens", 4000],
  ])("gets an allowance beside what can be read: %j", async (spec, field, limit) => {
    const { body, turn } = await ask(spec, {}, { text: "Yes." });
    expect(body[field]).toBe(limit);
    expect(turn.allowance ?? 0).toBe(limit - (spec.maxTokens ?? 2000));
  });

  test("that used up the limit is given more once, with a notice, and both turns are billed", async () => {
    const { text, turn, notices, bodies, spent } = await askTwice({ finish: "length" }, { text: "Paris." });
    expect(bodies.map((body) => body.max_completion_tokens)).toEqual([18_000, 72_000]);
    expect(text).toBe("Paris.");
    expect(turn).toMatchObject({ allowance: 70_000, usage: { outputTokens: 7 } });
    expect(spent).toMatchObject([{ outputTokens: 18_000 }]);
    expect(notices).toEqual([expect.stringContaining("used up its output limit of 18000 tokens")]);
  });

  test.each<[string, FakeTurn, number]>([
    ["when it fails again", { finish: "length" }, 2],
    ["when something can be read", { finish: "length", text: "Par" }, 1],
    ["when something else than the limit has ended the turn", { finish: "length", usage: { output: 600 } }, 1],
  ])("is not given more %s", async (_, reply, calls) => {
    const { turn, bodies } = await askTwice(reply, reply);
    expect(turn.finish).toBe("length");
    expect(bodies).toHaveLength(calls);
  });

  test("is given up where the server has no room for more: the turn ends as it was", async () => {
    const body = JSON.stringify({ error: { message: "max_tokens is too large: 72000", param: "max_tokens" } });
    const { turn, spent } = await askTwice({ finish: "length" }, { status: 400, body });
    expect(turn).toMatchObject({ finish: "length", usage: { outputTokens: 0 } });
    expect(spent).toMatchObject([{ outputTokens: 18_000 }]);
  });

  async function askTwice(first: FakeTurn, second: FakeTurn) {
    // Not every test takes both replies.
    const name = `gpt-5-${fake.journal.length}`;
    const table = createVendorTable({});
    const settings = resolveModel(
      { provider: "openai", model: name, baseUrl: fake.openaiUrl },
      table,
      {},
      "models.answer",
    );
    const model = createModel({ ...settings, apiKey: "sk-test" }, { retries: 0 });
    const spent: unknown[] = [];
    const before = fake.journal.length;
    fake.script(name, { usage: { output: 18_000 }, ...first }, { usage: { output: 7 }, ...second });
    const stream: typeof model.stream = (request, onEvent, signal) =>
      model.stream(
        request,
        (event) => {
          if (event.type === "spent") spent.push(event.usage);
          onEvent(event);
        },
        signal,
      );
    const heard = await hear({ ...model, stream });
    return { ...heard, spent, bodies: fake.journal.slice(before).map(({ body }) => body) };
  }
});
