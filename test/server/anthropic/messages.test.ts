import Anthropic from "@anthropic-ai/sdk";
import { expect, test } from "vitest";
import type { Tool } from "../../../src/core/tools/tool.ts";
import { DuetError } from "../../../src/kit/errors.ts";
import { makeTool } from "../../fakes/events.ts";
import { type HttpDuetSettings, startHttpDuet } from "../../fakes/http-duet.ts";
import { images } from "../../fakes/images.ts";

const page = { title: "Duet", url: "https://example.com/duet", snippet: "Duet is an agent." };

function lookup(): Tool {
  return makeTool("lookup", () => ({ ok: true, text: "", sources: [page] }));
}

const call = [{ id: "1", name: "lookup", input: { query: "duet" } }];
const question = { role: "user", content: "What is Duet?" } as const;

/** A served Duet and the official client of its wire, which repeats nothing by itself. */
async function startMessages(options: HttpDuetSettings = {}) {
  const duet = await startHttpDuet(options);
  return { ...duet, client: new Anthropic({ baseURL: duet.origin, apiKey: "none", maxRetries: 0 }) };
}

test("a message comes whole: thoughts where they are wanted, the text with its sources, tokens, why it ended", async () => {
  const { client } = await startMessages({
    turns: [call, "Duet is an agent [1].", call, "An agent [1]."],
    tools: [lookup()],
  });
  const body = { model: "duet-agent", max_tokens: 500, messages: [question] };
  const message = await client.messages.create({ ...body, thinking: { type: "adaptive" } });
  expect(message).toMatchObject({ type: "message", role: "assistant", model: "duet-agent", stop_reason: "end_turn" });
  expect(message.id).toMatch(/^msg_/);
  expect(message._request_id).toMatch(/^run-/);
  expect(message.usage).toMatchObject({ input_tokens: 20, output_tokens: 20, cache_read_input_tokens: 0 });
  const [thought, text] = message.content;
  expect(thought).toMatchObject({ type: "thinking", thinking: expect.stringMatching(/✓ lookup/) });
  expect(text).toMatchObject({
    type: "text",
    text: expect.stringMatching(/^Duet is an agent \[1\]\./),
    citations: [{ type: "web_search_result_location", url: page.url, title: "Duet" }],
  });
  const plain = await client.messages.create(body);
  expect(plain.content.map(({ type }) => type)).toEqual(["text"]);
});

test("a streamed message is put together by the official client, block by block", async () => {
  const { client } = await startMessages({
    turns: [
      { text: "I look it up.", calls: call },
      { reasoning: "Hm.", text: "An agent [1]." },
    ],
    tools: [lookup()],
  });
  const stream = client.messages.stream({
    model: "duet-agent",
    max_tokens: 500,
    messages: [question],
    thinking: { type: "enabled", budget_tokens: 1024 },
  });
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  expect(types[0]).toBe("message_start");
  expect(types.slice(-3)).toEqual(["content_block_stop", "message_delta", "message_stop"]);
  expect(types.filter((type) => type === "content_block_start")).toHaveLength(
    types.filter((type) => type === "content_block_stop").length,
  );
  const message = await stream.finalMessage();
  expect(message.content[0]).toMatchObject({
    type: "thinking",
    thinking: expect.stringContaining("I look it up."),
    signature: expect.stringMatching(/^msg_/),
  });
  expect(message.content.map(({ type }) => type)).toEqual(["thinking", "text"]);
  expect(message.content[1]).toMatchObject({
    type: "text",
    text: expect.stringMatching(/^An agent \[1\]\./),
    citations: [{ type: "web_search_result_location", url: page.url }],
  });
  expect(message).toMatchObject({ stop_reason: "end_turn", usage: { output_tokens: 20 } });
});

test("the models read the system text, the earlier messages, and what an image shows", async () => {
  const { client, model } = await startMessages({ turns: ["Red, as it was before."] });
  const image = Buffer.from(images.png).toString("base64");
  await client.messages.create({
    model: "duet-chat",
    max_tokens: 500,
    system: [{ type: "text", text: "Answer in one word." }],
    messages: [
      { role: "user", content: "Which colour is the sky?" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "It is day.", signature: "s" },
          { type: "text", text: "Blue." },
        ],
      },
      {
        role: "user",
        content: [
          { type: "image", source: { type: "base64", media_type: "image/png", data: image } },
          { type: "text", text: "And this?" },
        ],
      },
    ],
  });
  const said = JSON.stringify(model.requests[0]?.messages);
  for (const text of ["Answer in one word.", "Which colour is the sky?", "Blue.", "And this?", "image/png"])
    expect(said).toContain(text);
  expect(said).not.toContain("It is day.");
});

test("a request that cannot be served is refused in Anthropic's form, with the field, its value and what is allowed", async () => {
  const { client } = await startMessages({ turns: ["Unused."] });
  const body = { model: "duet-agent", max_tokens: 500, messages: [question] };
  const refused = async (more: object): Promise<unknown> =>
    client.messages.create({ ...body, ...more } as never).then(
      () => undefined,
      (error: unknown) =>
        error instanceof Anthropic.APIError ? `${error.status} ${JSON.stringify(error.error)}` : error,
    );
  expect(await refused({ model: "claude-9" })).toMatch(/^404 .*not_found_error.*claude-9.*allowed: duet-agent/);
  expect(await refused({ max_tokens: 0 })).toMatch(/^400 .*invalid_request_error.*max_tokens/);
  expect(await refused({ tools: [{ name: "look" }] })).toMatch(/^400 .*tools\[0\]\.input_schema.*JSON Schema/);
  const uploaded = [{ type: "document", source: { type: "file", file_id: "file_1" } }];
  expect(await refused({ messages: [{ role: "user", content: uploaded }] })).toMatch(
    /^400 .*file_id is not supported.*base64.*url.*text/,
  );
  const result = [{ type: "tool_result", tool_use_id: "1", content: "B" }];
  const alone = await refused({ messages: [{ role: "user", content: result }] });
  expect(alone).toMatch(/^400 .*messages: there are results of tools, and no calls before them \(allowed: .*tool_use/);
  expect(alone).not.toMatch(/previous_response_id|gone/);
  expect(await refused({ tool_choice: { type: "tool" } })).toMatch(/^400 .*tool_choice\.name/);
  expect(await refused({ messages: [{ role: "user", content: [{ type: "video" }] }] })).toMatch(
    /^400 .*messages\[0\]\.content\[0\].*video.*allowed: text, image/,
  );
});

test("the official tool runner, which asks for a thread first, goes on without one: each run and each call once", async () => {
  const { client, model } = await startMessages({
    turns: [[{ id: "1", name: "read", input: { path: "a.txt" } }], "It says A."],
  });
  const asked: unknown[] = [];
  const read = {
    name: "read",
    input_schema: { type: "object" as const, properties: { path: { type: "string" } } },
    parse: (input: unknown) => input,
    run: (input: unknown) => {
      asked.push(input);
      return "A";
    },
  };
  const body = { model: "duet-agent", max_tokens: 500, messages: [question] };
  const message = await client.beta.messages.toolRunner({ ...body, tools: [read] });
  expect(message.content).toMatchObject([{ type: "text", text: "It says A." }]);
  expect([asked, model.requests.length]).toEqual([[{ path: "a.txt" }], 2]);
  await expect(client.beta.messages.create({ ...body, thread: { type: "create" } })).rejects.toMatchObject({
    status: 400,
    message: expect.stringMatching(/thread: Duet holds no messages \(allowed: to leave it out/),
  });
});

test("a stream begins with the status of a run that failed before it said anything: Claude Code asks again after an error inside", async () => {
  const error = new DuetError({ code: "quota", text: { zh: "没钱", en: "no money" } });
  const { client, model } = await startMessages({ turns: [{ error }] });
  const asked = client.messages.create({ model: "duet-agent", max_tokens: 500, messages: [question], stream: true });
  await expect(asked).rejects.toMatchObject({ status: 424, message: expect.stringContaining("no money") });
  expect(model.requests).toHaveLength(1);
});

test("tokens are counted for what the request brings", async () => {
  const { client } = await startMessages({ turns: [] });
  const count = (content: string, tools?: Anthropic.Tool[]) =>
    client.messages.countTokens({
      model: "duet-agent",
      messages: [{ role: "user", content }],
      ...(tools && { tools }),
    });
  const [short, long] = [await count("Hello"), await count("Hello ".repeat(1000))];
  expect(short.input_tokens).toBeGreaterThan(0);
  expect(long.input_tokens).toBeGreaterThan(short.input_tokens + 900);
  const tool = { name: "look", description: "Looks. ".repeat(100), input_schema: { type: "object" } } as const;
  expect((await count("Hello", [tool])).input_tokens).toBeGreaterThan(short.input_tokens + 100);
});
