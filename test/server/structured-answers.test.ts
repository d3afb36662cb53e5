import { describe, expect, test } from "vitest";
import { isRecord } from "../../src/kit/json.ts";
import { linkHost } from "../fakes/linked-hosts.ts";
import { openFace } from "../runs/mcp-interface.ts";
import { outcomeIn, serveApi } from "./api/served-api.ts";
import { startWire, user } from "./openai/wire.ts";

const schema = {
  type: "object",
  properties: { city: { type: "string" }, note: { type: "string" } },
  required: ["city"],
};
const written = '{"city":"Paris","note":null}';
const output = { city: "Paris" };
const response = '{"city":"Paris"}';
/** One model plays both roles: it decides first, and then writes the answer in its form. */
const turns = ["It is Paris.", written];

const wrong: [unknown, string][] = [
  [
    { type: "array" },
    '{"type": "array"} does not describe an object (allowed: a JSON Schema whose root has "type": "object")',
  ],
  [
    { type: "object", properties: { a: { $ref: "https://example.com/a.json" } } },
    '"$ref": "https://example.com/a.json" leads out of the schema and is not fetched (allowed: references that begin with #)',
  ],
  [{ type: "object", required: "city" }, "it is not a valid JSON Schema: required: must be an array"],
  [
    { type: "object", properties: { a: { type: "string", pattern: "(" } } },
    '"pattern": "(" is no regular expression (allowed: regular expressions of ECMAScript)',
  ],
  [{ type: "object", description: "x".repeat(100_001) }, "the schema is too large: 100035 characters (limit 100000)"],
];

describe("agent_ask with output_schema", () => {
  test("gives the object, and its text alone for hosts that read only text", async () => {
    const host = await linkHost((await openFace({ turns })).mcp);
    const { content, outcome } = await host.call("agent_ask", { question: "Where?", output_schema: schema });
    expect(content).toEqual([{ type: "text", text: response }]);
    expect(outcome).toMatchObject({ status: "complete", response, output });
  });

  test("takes a schema as text, and takes an empty one for none", async () => {
    const host = await linkHost((await openFace({ turns: [...turns, "Paris."] })).mcp);
    expect((await host.ask("Where?", { output_schema: JSON.stringify(schema) })).outcome).toMatchObject({ output });
    const { outcome } = await host.ask("Where is it?", { output_schema: {} });
    expect(outcome).toMatchObject({ status: "complete", response: "Paris." });
    expect(outcome).not.toHaveProperty("output");
  });

  test("refuses a schema that cannot be used in one line, before any model is called", async () => {
    const face = await openFace({ turns: [] });
    const host = await linkHost(face.mcp);
    for (const [output_schema, message] of wrong) {
      const { content, isError } = await host.call("agent_ask", { question: "Where?", output_schema });
      const [part] = Array.isArray(content) ? content : [];
      expect(isError).toBe(true);
      expect(isRecord(part) && String(part.text)).toContain(`output_schema: ${message}`);
    }
    expect(face.model.requests).toEqual([]);
  });
});

describe("POST /agent/chat with output_schema", () => {
  test("answers with output", async () => {
    const { chat, send } = await serveApi({ turns });
    const outcome = await outcomeIn(chat({ message: "Where?", output_schema: schema }));
    expect(outcome).toMatchObject({ success: true, response, output, citations: [] });
    // The trace keeps it, from which the outcome is made again once the run is forgotten.
    expect(await (await send(`/agent/runs/${outcome.run_id}/trace`)).json()).toMatchObject({ output });
  });

  test("refuses a schema that cannot be used with 400", async () => {
    const { chat } = await serveApi({ turns: [] });
    const [output_schema, message] = wrong[1] ?? expect.fail();
    const refused = await chat({ message: "Where?", output_schema });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(await refused.json())).toContain(JSON.stringify(`output_schema: ${message}`).slice(1, -1));
  });
});

describe("/v1/chat/completions", () => {
  const base = { model: "duet-agent", messages: [user("Where?")] };

  test("answers in the response_format, to the official client", async () => {
    const { client, model } = await startWire({ turns: [...turns, "It is Paris.", '{"a":1}'] });
    const byName = { type: "json_schema" as const, json_schema: { name: "place", schema, strict: true } };
    const first = await client.chat.completions.create({ ...base, response_format: byName });
    expect(first.choices[0]?.message.content).toBe(response);
    const any = await client.chat.completions.create({ ...base, response_format: { type: "json_object" } });
    expect(any.choices[0]?.message.content).toBe('{"a":1}');
    expect(model.requests.map(({ responseFormat }) => responseFormat?.type)).toEqual([
      undefined,
      "json_schema",
      undefined,
      "json_object",
    ]);
  });

  test("streams the JSON text and nothing else as content", async () => {
    const { client } = await startWire({ turns });
    const byName = { type: "json_schema" as const, json_schema: { name: "place", schema } };
    let text = "";
    for await (const { choices } of await client.chat.completions.create({
      ...base,
      response_format: byName,
      stream: true,
    }))
      text += choices[0]?.delta.content ?? "";
    expect(text).toBe(response);
  });

  test("hands stop texts to the answer, and calls no tool with tool_choice none", async () => {
    const { client, model } = await startWire({ turns: ["Paris.", "It is", "Paris."] });
    await client.chat.completions.create({ ...base, stop: "." });
    expect(model.requests.map(({ stop }) => stop)).toEqual([undefined, ["."]]);
    await client.chat.completions.create({ ...base, tool_choice: "none" });
    expect(model.requests.map(({ tools }) => tools.length > 0)).toEqual([true, false, false]);
  });
});
