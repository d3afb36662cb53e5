import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import OpenAI from "openai";
import type { ResponseInput, Tool } from "openai/resources/responses/responses";
import { expect, onTestFinished, test } from "vitest";
import { makeTool } from "../../fakes/events.ts";
import { openHttpDuet } from "../../fakes/http-duet.ts";
import type { ScriptedCall } from "../../fakes/model.ts";
import { startWire } from "../openai/wire.ts";
import { beginConversation } from "./conversations.ts";
import { checkEvents } from "./response-events.ts";

const parameters = {
  type: "object",
  properties: { path: { type: "string" } },
  required: ["path"],
  additionalProperties: false,
};

const tools: Tool[] = [
  { type: "function", name: "read", description: "Reads.", parameters, strict: true },
  { type: "custom", name: "patch", description: "Patches." },
];

const calls: ScriptedCall[] = [
  { id: "1", name: "read", input: { path: "a.txt" } },
  { id: "2", name: "lookup", input: { query: "x" } },
  { id: "3", name: "patch", input: { input: "*** Begin" } },
];

function outputsOf(output: readonly { type: string }[]): ResponseInput {
  return output.flatMap((item): ResponseInput => {
    if (!("call_id" in item) || typeof item.call_id !== "string") return [];
    const type = item.type === "function_call" ? "function_call_output" : "custom_tool_call_output";
    return [{ type, call_id: item.call_id, output: `result of ${item.type}` }];
  });
}

test("a stream ends with the calls of the client's tools, and the same run goes on with their outputs after previous_response_id", async () => {
  const lookup = makeTool("lookup", () => ({ ok: true, text: "ours" }));
  const { client, model, origin } = await startWire({
    tools: [lookup],
    turns: [{ text: "I look.", calls }, "It is done.", "Again."],
  });
  const asked = { model: "duet-agent", tools, instructions: "Be brief." };
  const events = await Array.fromAsync(await client.responses.create({ ...asked, input: "Compare", stream: true }));
  const first = checkEvents(events);
  expect(first.status).toBe("completed");
  expect(first.output).toMatchObject([
    { type: "reasoning" },
    { type: "message", content: [{ text: "I look." }] },
    { type: "function_call", name: "read", arguments: '{"path":"a.txt"}', status: "completed" },
    { type: "custom_tool_call", name: "patch", input: "*** Begin" },
  ]);
  expect(first.usage?.total_tokens).toBe(20);
  const input = outputsOf(first.output).reverse();
  const second = await client.responses.create({ model: "duet-agent", tools, input, previous_response_id: first.id });
  expect(second.output_text).toBe("It is done.");
  expect(second.usage?.total_tokens).toBe(20);
  expect([second.id === first.id, second.id.slice(0, -2) === first.id.slice(0, -2)]).toEqual([false, true]);
  const seen = JSON.stringify(model.requests[1]?.messages);
  for (const text of ["result of function_call", "result of custom_tool_call", "ours"]) expect(seen).toContain(text);
  const third = await client.responses.create({ ...asked, input: "And?", previous_response_id: second.id });
  expect(third.output_text).toBe("Again.");
  expect(await (await fetch(`${origin}/agent/conversations`)).json()).toMatchObject({ conversations: [{ turns: 2 }] });
  for (const { id, output } of [first, second]) expect((await client.responses.retrieve(id)).output).toEqual(output);
});

test("outputs go on with the run of a named conversation, and deleting a response that is over does not end it", async () => {
  const [one, two] = [calls.slice(0, 1), calls.slice(2)];
  const { client, origin } = await startWire({ turns: ["Hi.", { calls: one }, { calls: two }, "Done."] });
  const asked = { model: "duet-agent", tools, conversation: await beginConversation(origin) };
  const first = await client.responses.create({ ...asked, input: "Compare", instructions: "Be brief." });
  const second = await client.responses.create({ ...asked, input: outputsOf(first.output) });
  expect(second.output.at(-1)).toMatchObject({ type: "custom_tool_call", name: "patch" });
  expect(second.id.slice(0, -4)).toBe(first.id.slice(0, -4));
  await client.responses.delete(first.id);
  const run = await fetch(`${origin}/agent/runs/${second._request_id}`);
  expect(await run.json()).toMatchObject({ status: "running" });
});

test("outputs alone go on with the run that waits for them, in the conversation that the client has named for it", async () => {
  const { client, model, origin } = await startWire({ turns: ["Hi.", { calls: calls.slice(0, 1) }, "Done."] });
  const asked = { model: "duet-agent", tools, instructions: "Be brief." };
  const conversation = await beginConversation(origin);
  const first = await client.responses.create({ ...asked, input: "Compare", conversation });
  const second = await client.responses.create({ ...asked, input: outputsOf(first.output) });
  expect([second.output_text, second._request_id]).toEqual(["Done.", first._request_id]);
  expect(JSON.stringify(model.requests[2]?.messages)).toContain("result of function_call");
  for (const { id } of [first, second]) await client.responses.delete(id);
  expect((await fetch(`${origin}/agent/conversations/${conversation}`)).status).toBe(200);
});

test("a client that keeps its items sends them all again, and a run that is gone is answered from them", async () => {
  const { client, model } = await startWire({ turns: [{ calls: calls.slice(0, 1) }, "Done.", "From the history."] });
  const asked = { model: "duet-agent", tools, store: false };
  const question = { role: "user" as const, content: "Compare" };
  const first = await client.responses.create({ ...asked, input: [question] });
  const said = first.output.filter((item) => item.type === "function_call" || item.type === "message");
  const items: ResponseInput = [question, ...said, ...outputsOf(first.output)];
  const second = await client.responses.create({ ...asked, input: items });
  expect([second.output_text, second.id.slice(0, -2) === first.id.slice(0, -2)]).toEqual(["Done.", true]);
  const renamed: ResponseInput = JSON.parse(JSON.stringify(items).replaceAll(/"call_id":"[^"]+"/g, '"call_id":"gone"'));
  const third = await client.responses.create({ ...asked, input: renamed });
  expect([third.output_text, third.id.slice(0, -2) === first.id.slice(0, -2)]).toEqual(["From the history.", false]);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("result of function_call");
});

test("after a restart of the server, outputs are answered from the response that asked for them, and never about nothing", async () => {
  const home = await mkdtemp(join(tmpdir(), "duet-client-tools-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const disk = { settings: { conversations: { store: "disk" } }, environment: { DUET_HOME: home } };
  const before = await openHttpDuet({ ...disk, turns: [{ calls: calls.slice(0, 1) }] });
  const asked = { model: "duet-agent", tools, instructions: "Be brief." };
  const first = await new OpenAI({ baseURL: `${before.origin}/v1`, apiKey: "none" }).responses.create({
    ...asked,
    input: "What does a say?",
  });
  await before.close();
  const { client, model, origin } = await startWire({ ...disk, turns: ["From what was kept.", "Hi."] });
  const input = outputsOf(first.output);
  const second = await client.responses.create({ ...asked, input, previous_response_id: first.id });
  expect(second.output_text).toBe("From what was kept.");
  const read = JSON.stringify(model.requests[0]?.messages);
  for (const text of ["What does a say?", "a.txt", "result of function_call", "Be brief."])
    expect(read).toContain(text);
  for (const more of [{}, { conversation: await beginConversation(origin) }])
    await expect(client.responses.create({ ...asked, ...more, input })).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(
        /input: there are results of tools, and no calls before them \(allowed: .*previous_response_id/,
      ),
    });
});

test("the AI SDK's loop of tools works with its own OpenAI provider, which sends back the ids of items", async () => {
  const { origin, model } = await startWire({ turns: [{ calls: calls.slice(0, 1) }, "It is B."] });
  const read: unknown[] = [];
  const { text, steps } = await generateText({
    model: createOpenAI({ baseURL: `${origin}/v1`, apiKey: "none" })("duet-agent"),
    prompt: "What is in it?",
    stopWhen: stepCountIs(5),
    tools: {
      read: tool({
        description: "Reads.",
        inputSchema: jsonSchema<{ path: string }>({ type: "object", properties: { path: { type: "string" } } }),
        execute: async (input) => {
          read.push(input);
          return "B";
        },
      }),
    },
  });
  expect([text, steps.length, read]).toEqual(["It is B.", 2, [{ path: "a.txt" }]]);
  expect(model.requests).toHaveLength(2);
});
