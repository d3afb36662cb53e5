import { createOpenAI } from "@ai-sdk/openai";
import { generateText, streamText } from "ai";
import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { expect, test } from "vitest";
import * as z from "zod";
import { DuetError } from "../../../src/kit/errors.ts";
import { parseStreamData } from "../../fakes/event-stream.ts";
import { makeTool } from "../../fakes/events.ts";
import { startWire } from "../openai/wire.ts";
import { checkEvents, eventsOf } from "./response-events.ts";

const page = { title: "Duet", url: "https://example.com/duet", snippet: "Duet is an agent." };
const lookup = makeTool("lookup", () => ({ ok: true, text: "", sources: [page] }));
/** OpenAI's types have no such value. */
const withoutSteps = JSON.parse('{"reasoning":{"summary":"none"}}');
const call = [{ id: "1", name: "lookup", input: { query: "duet" } }];

test("a response comes whole: the text with its citations, the tokens of all models, and what was asked", async () => {
  const { client } = await startWire({ turns: [call, "Duet is an agent [1]."], tools: [lookup] });
  const response = await client.responses.create({
    model: "duet-agent",
    input: "What is Duet?",
    instructions: "Be brief.",
    metadata: { of: "test" },
    max_output_tokens: 500,
    ...withoutSteps,
  });
  expect(response).toMatchObject({
    object: "response",
    status: "completed",
    error: null,
    incomplete_details: null,
    model: "duet-agent",
    instructions: "Be brief.",
    metadata: { of: "test" },
    max_output_tokens: 500,
    store: true,
    previous_response_id: null,
  });
  expect(response.id).toMatch(/^resp_[0-9a-f]{36}$/);
  expect(response._request_id).toMatch(/^run-/);
  expect(response.output_text).toMatch(/^Duet is an agent \[1\]\./);
  expect(response.output.map(({ type }) => type)).toEqual(["message"]);
  const [message] = response.output;
  const [part] = message?.type === "message" ? message.content : [];
  expect(part?.type === "output_text" && part.annotations).toEqual([
    { type: "url_citation", url: page.url, title: "Duet", start_index: 17, end_index: 20 },
  ]);
  expect(response.usage).toEqual({
    input_tokens: 20,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 40,
  });
});

test("a streamed response is told in the order of OpenAI's: reasoning as a summary in parts, the text, its citations, the end", async () => {
  const { client } = await startWire({
    turns: [
      { text: "I look it up.", calls: call },
      { reasoning: "Hm.", text: "An agent [1]." },
    ],
    tools: [lookup],
  });
  const stream = await client.responses.create({
    model: "duet-agent",
    input: [{ role: "user", content: [{ type: "input_text", text: "What is Duet?" }] }],
    include: ["reasoning.encrypted_content"],
    stream: true,
  });
  const events: ResponseStreamEvent[] = await Array.fromAsync(stream);
  const response = checkEvents(events);
  expect(events.slice(0, 2).map(({ type }) => type)).toEqual(["response.created", "response.in_progress"]);
  expect(response.output.map(({ type }) => type)).toEqual(["reasoning", "message"]);
  const [thought] = response.output;
  if (thought?.type !== "reasoning") throw new Error("the first item is no reasoning");
  expect(thought.encrypted_content).toBe(thought.id);
  const parts = thought.summary.map(({ text }) => text);
  expect(parts.some((text) => text.startsWith("🔧 lookup "))).toBe(true);
  expect(parts.every((text) => text !== "" && text === text.trimStart())).toBe(true);
  expect(events.filter(({ type }) => type === "response.output_text.annotation.added")).toHaveLength(1);
});

test("a run's own searches are items for a client that offers web_search, whole, streamed and read again, and for no other", async () => {
  const search = makeTool("web_search", () => ({ ok: true, text: "", sources: [page] }));
  const searchCall = [{ id: "1", name: "web_search", input: { query: "duet agent" } }];
  const turns = Array.from({ length: 4 }, () => [searchCall, "An agent [1]."]).flat();
  const { client, origin, model } = await startWire({ turns, tools: [search] });
  const asked = { model: "duet-agent", input: "What is Duet?" };
  const offering = {
    ...asked,
    tools: [{ type: "web_search" as const }],
    include: ["web_search_call.action.sources" as const],
  };
  const events: ResponseStreamEvent[] = await Array.fromAsync(
    await client.responses.create({ ...offering, stream: true }),
  );
  const response = checkEvents(events);
  const item = {
    type: "web_search_call",
    id: expect.stringMatching(/^ws_/),
    status: "completed",
    action: { type: "search", query: "duet agent", queries: ["duet agent"], sources: [{ type: "url", url: page.url }] },
  };
  expect(response.output.map(({ type }) => type)).toEqual(["reasoning", "web_search_call", "reasoning", "message"]);
  expect(response.output[1]).toEqual(item);
  const kinds = ["in_progress", "searching", "completed"].map((kind) => `response.web_search_call.${kind}`);
  expect(events.map(({ type }) => type).filter((type) => type.includes("web_search"))).toEqual(kinds);
  expect((await client.responses.retrieve(response.id)).output).toEqual(response.output);
  const replayed = await (await fetch(`${origin}/v1/responses/${response.id}?stream=true`)).text();
  expect(checkEvents(parseStreamData(replayed)).output).toEqual(response.output);
  const whole = await client.responses.create({ ...offering, include: null });
  expect(whole.output[1]).toEqual({ ...item, action: { ...item.action, sources: undefined } });
  const other = await client.responses.create(asked);
  expect(other.output.map(({ type }) => type)).toEqual(["reasoning", "message"]);

  const provider = createOpenAI({ baseURL: `${origin}/v1`, apiKey: "none" });
  const tools = { web_search: provider.tools.webSearch({}) };
  const first = await generateText({ model: provider("duet-agent"), prompt: "What is Duet?", tools });
  expect(first.text).toMatch(/^An agent \[1\]/);
  expect(first.toolCalls).toMatchObject([{ toolName: "web_search", providerExecuted: true }]);
  expect(first.toolCalls.every((each) => !("invalid" in each && each.invalid))).toBe(true);
  expect(first.toolResults).toMatchObject([{ output: { action: { type: "search", query: "duet agent" } } }]);
  expect(model.requests).toHaveLength(8);
});

test("the helpers of the official client work: stream, parse with a schema, and items of earlier responses", async () => {
  const city = z.object({ city: z.string() });
  const { client, model } = await startWire({ turns: ["Hello there.", "It is Paris.", '{"city":"Paris"}', "Yes."] });
  const stream = client.responses.stream({ model: "duet-chat", input: "Hi" });
  let said = "";
  stream.on("response.output_text.delta", ({ delta }) => {
    said += delta;
  });
  const first = await stream.finalResponse();
  expect([said, first.output_text]).toEqual(["Hello there.", "Hello there."]);
  const parsed = await client.responses.parse({
    model: "duet-agent",
    input: "Where?",
    text: { format: zodTextFormat(city, "place") },
  });
  expect(parsed.output_parsed).toEqual({ city: "Paris" });
  const item = first.output.at(-1);
  await client.responses.create({
    model: "duet-chat",
    input: [
      { role: "user", content: "Hi" },
      { type: "item_reference", id: item?.id ?? "" },
      { role: "user", content: "Sure?" },
    ],
  });
  expect(model.requests.at(-1)?.messages.map(({ content }) => content)).toEqual(
    expect.arrayContaining(["Hi", "Hello there."]),
  );
});

test("the AI SDK's own OpenAI provider takes Duet as it is: text, sources, usage, a second turn with what the first one gave", async () => {
  const { origin, model } = await startWire({
    turns: [call, "An agent [1].", "Two.", "Three."],
    tools: [lookup],
  });
  const openai = createOpenAI({ baseURL: `${origin}/v1`, apiKey: "none" });
  const first = await generateText({ model: openai("duet-agent"), prompt: "What is Duet?" });
  expect(first.reasoningText).toContain("🔧 lookup");
  expect(first.text).toMatch(/^An agent \[1\]\./);
  expect(first.sources).toMatchObject([{ url: page.url }]);
  expect(first.usage).toMatchObject({ inputTokens: 20, outputTokens: 20 });
  const messages = [
    { role: "user" as const, content: "What is Duet?" },
    ...first.response.messages,
    { role: "user" as const, content: "And now?" },
  ];
  const second = streamText({ model: openai("duet-chat"), messages });
  expect(await second.text).toBe("Two.");
  expect(await second.finishReason).toBe("stop");
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("An agent");
  const third = await generateText({
    model: openai("duet-chat"),
    prompt: "Hm?",
    providerOptions: { openai: { previousResponseId: first.response.id ?? "" } },
  });
  expect(third.text).toBe("Three.");
});

test("an answer that failed is an error with OpenAI's code, or the stream's last event where it had begun", async () => {
  const overflow = new DuetError({ code: "context_overflow", text: { zh: "太长", en: "too long" } });
  const { client, origin } = await startWire({ turns: [{ error: overflow }, { text: "Half", error: overflow }] });
  const asked = { model: "duet-chat", input: "Hi" };
  await expect(client.responses.create(asked)).rejects.toMatchObject({ status: 400, code: "context_length_exceeded" });
  const events = await eventsOf(origin, { ...asked, stream: true });
  const last = events.at(-1);
  expect(last?.type).toBe("response.incomplete");
});

test("a stream whose run fails at once tells it as its last event, for Codex asks again after every status", async () => {
  const error = new DuetError({ code: "quota", text: { zh: "没钱", en: "no money" } });
  const { origin } = await startWire({ turns: [{ error }] });
  const events = await eventsOf(origin, { model: "duet-agent", input: "Hi", stream: true });
  expect(events.at(-1)).toMatchObject({
    type: "response.failed",
    response: { status: "failed", error: { code: "insufficient_quota", message: expect.stringContaining("no money") } },
  });
});

test("what cannot be is refused in one line that names the field and what is allowed", async () => {
  const { client } = await startWire({ turns: [] });
  const cases: [object, object][] = [
    [{ model: "gpt-6" }, { status: 404, code: "model_not_found" }],
    [{ input: [] }, { status: 400, param: "input" }],
    [{ input: [{ role: "user", content: [{ type: "input_audio" }] }] }, { param: "input[0].content[0]" }],
    [{ input: [{ type: "future_item" }] }, { param: "input[0].type" }],
    [{ input: [{ type: "item_reference", id: "msg_1" }] }, { status: 404, param: "input" }],
    [{ previous_response_id: "resp_1" }, { status: 400, code: "previous_response_not_found" }],
    [{ conversation: "conv-1" }, { status: 404, param: "conversation" }],
    [
      { background: true, store: false },
      { status: 400, param: "background" },
    ],
    [{ tool_choice: { type: "function", name: "none" } }, { status: 400, param: "tool_choice" }],
    [{ text: { format: { type: "xml" } } }, { status: 400, param: "text.format.type" }],
  ];
  for (const [changes, error] of cases) {
    const body = { model: "duet-chat", input: "Hi", ...changes };
    const refused = await client.responses.create(body).catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(OpenAI.APIError);
    expect(refused).toMatchObject(error);
    expect(String(refused)).toMatch(/allowed|允许/);
  }
});
