import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, generateText, streamText } from "ai";
import OpenAI from "openai";
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { replaceStream } from "../../../src/core/model/model.ts";
import type { Tool } from "../../../src/core/tools/tool.ts";
import { DuetError, type ErrorCode } from "../../../src/kit/errors.ts";
import { makeTool } from "../../fakes/events.ts";
import type { HttpDuetSettings } from "../../fakes/http-duet.ts";
import { scriptedModel, withoutDay } from "../../fakes/model.ts";
import { startFakeProvider } from "../../fakes/provider.ts";
import { assistant, chunkShape, completionShape, dataOf, startWire, user } from "./wire.ts";

const page = { title: "Duet", url: "https://example.com/duet", snippet: "Duet is an agent." };

function lookup(): Tool {
  return makeTool("lookup", () => ({ ok: true, text: "", sources: [page] }));
}

const call = [{ id: "1", name: "lookup", input: { query: "duet" } }];

test("the models are the modes, and a model that there is not is told as OpenAI tells it", async () => {
  const { client, origin } = await startWire();
  const list = await client.models.list();
  expect(list.data.map(({ id }) => id)).toEqual(["duet-agent", "duet-plan", "duet-chat", "duet-side"]);
  expect(await client.models.retrieve("duet-plan")).toEqual({
    id: "duet-plan",
    object: "model",
    created: expect.any(Number),
    owned_by: "duet",
  });
  const none = await fetch(`${origin}/v1/models/gpt-6`);
  expect(none.status).toBe(404);
  expect(await none.json()).toEqual({
    error: {
      message:
        'there is no model "gpt-6" (allowed: duet-agent, duet-plan, duet-chat, duet-side, each also with :none, :brief, :full)',
      type: "invalid_request_error",
      param: "model",
      code: "model_not_found",
    },
  });
});

test("an answer comes whole: text, steps as reasoning, citations where they stand, tokens of all models", async () => {
  const { client, post } = await startWire({
    turns: [call, "Duet is an agent [1].", call, "An agent [1]."],
    tools: [lookup()],
  });
  const answer = await client.chat.completions.create({ model: "duet-agent", messages: [user("What is Duet?")] });
  const message = answer.choices[0]?.message;
  expect(message?.content).toMatch(
    /^Duet is an agent \[1\]\.\n\nReferences\n\n- \[1\] Duet https:\/\/example\.com\/duet$/,
  );
  expect(message?.tool_calls).toBeUndefined();
  expect(message?.annotations).toEqual([
    { type: "url_citation", url_citation: { url: page.url, title: "Duet", start_index: 17, end_index: 20 } },
  ]);
  expect(message).toHaveProperty(
    "reasoning_content",
    expect.stringMatching(/lookup \{"query":"duet"\}[\s\S]*✓ lookup \([\s\S]*1 result: \[1\] Duet/),
  );
  expect(answer.choices[0]?.finish_reason).toBe("stop");
  expect(answer.usage).toMatchObject({ prompt_tokens: 20, completion_tokens: 20, total_tokens: 40 });
  const raw = await post({ model: "duet-agent", messages: [user("What is Duet?")] });
  expect(raw.headers.get("x-request-id")).toMatch(/^run-/);
  completionShape.parse(await raw.json());
});

test("a streamed answer: the role first, each step as reasoning, the text, citations, why it ended, usage, [DONE]", async () => {
  const { client } = await startWire({
    turns: [
      { text: "I look it up.", calls: call },
      { reasoning: "Hm.", text: "An agent [1]." },
    ],
    tools: [lookup()],
  });
  const stream = await client.chat.completions.create({
    model: "duet-agent",
    messages: [user("What is Duet?")],
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = await Array.fromAsync(stream);
  for (const chunk of chunks) chunkShape.parse(chunk);
  const deltas = chunks.flatMap(({ choices }) =>
    choices.map(({ delta }) => chunkShape.shape.choices.element.shape.delta.parse(delta)),
  );
  expect(deltas[0]).toEqual({ role: "assistant", content: "" });
  const reasoning = deltas.map((delta) => delta.reasoning_content ?? "").join("");
  expect(reasoning).toMatch(
    /🧭 deciding · fake\/scripted: [\s\S]*💭 I look it up\.\n\n🔧 lookup [\s\S]*\n\n✓ lookup [\s\S]*💭 Hm\./,
  );
  expect(deltas.map((delta) => delta.content ?? "").join("")).toContain("An agent [1].");
  expect(deltas.at(-2)?.annotations).toHaveLength(1);
  expect(deltas.at(-1)).toEqual({});
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 40 } });
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
});

test("the wire is OpenAI's to the letter: events of data alone, and usage only where it is asked for", async () => {
  const { post } = await startWire({ turns: ["Hello."] });
  const response = await post({ model: "duet-chat", messages: [user("Hi")], stream: true });
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const data = await dataOf(response);
  expect(data.at(-1)).toBe("[DONE]");
  const chunks = data.slice(0, -1).map((line) => chunkShape.parse(JSON.parse(line)));
  expect(chunks.every(({ usage, choices }) => usage === undefined && choices.length === 1)).toBe(true);
});

test("a stream on which nothing happens is kept alive with empty pieces, and never a comment", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const { post } = await startWire({ turns: [{ hang: true }] });
  const response = await post({ model: "duet-chat", messages: [user("Hi")], stream: true });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes('"delta":{}')) {
    vi.advanceTimersByTime(10_000);
    text += (await reader?.read())?.value ?? "";
  }
  await reader?.cancel();
  const lines = text.split("\n").filter((line) => line !== "");
  for (const line of lines) chunkShape.parse(JSON.parse(line.replace(/^data: /, "")));
  expect(lines.at(-1)).toContain('"finish_reason":null');
});

test("a client that leaves stops the model's request, streamed or not", async () => {
  const stopped: unknown[] = [];
  const begun = Promise.withResolvers<void>();
  const both = Promise.withResolvers<void>();
  let going = 0;
  const model = replaceStream(scriptedModel([]), async (_request, _onEvent, signal) => {
    if (++going === 2) begun.resolve();
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    if (stopped.push(signal.reason) === 2) both.resolve();
    throw signal.reason;
  });
  const { client } = await startWire({ models: { functionCall: model, answer: model } });
  const leave = new AbortController();
  const asked = { model: "duet-chat", messages: [user("Hi")] };
  const whole = client.chat.completions.create(asked, { signal: leave.signal });
  const stream = await client.chat.completions.create({ ...asked, stream: true });
  await begun.promise;
  leave.abort();
  stream.controller.abort();
  await expect(whole).rejects.toThrow();
  await both.promise;
  expect(stopped).toHaveLength(2);
});

test("an answer that was cut off says so", async () => {
  const { client } = await startWire({
    turns: [
      { text: "It begins", finish: "length" },
      { text: "No.", finish: "content-filter" },
    ],
  });
  const asked = { model: "duet-chat", messages: [user("Tell me all")], max_tokens: 5 };
  const cut = await client.chat.completions.create(asked);
  expect(cut.choices[0]?.finish_reason).toBe("length");
  expect(cut.choices[0]?.message).toMatchObject({
    content: "It begins",
    reasoning_content: expect.stringContaining("⚠ This answer is partial: the model's output was cut off."),
  });
  const refused = await client.chat.completions.create(asked);
  expect(refused.choices[0]?.finish_reason).toBe("content_filter");
});

test("the client's limits reach the model, and what it says is in the language of the question", async () => {
  const turns = [{ text: "你好！", finish: "length" as const }];
  const settings = { locale: undefined };
  // The language of the system that the server runs on is not that of whoever asks.
  const { client, model } = await startWire({ turns, settings, environment: { LANG: "en_US.UTF-8" } });
  const answer = await client.chat.completions.create({
    model: "duet-chat",
    messages: [user("你好")],
    max_completion_tokens: 77,
    temperature: 0.1,
    user: "somebody",
    seed: 1,
  });
  expect(model.requests[0]?.maxTokens).toBe(77);
  expect(model.requests[0]?.tools).toEqual([]);
  expect(answer.choices[0]?.message).toHaveProperty("reasoning_content", expect.stringContaining("回答"));
});

test("temperature and top_p are those of the answer, as far as its model takes them", async () => {
  const provider = await startFakeProvider();
  onTestFinished(provider.close);
  provider.script("one", { text: "Hello." });
  const one = { provider: "openai", model: "one", baseUrl: provider.openaiUrl, wire: "openai-chat" };
  const { client } = await startWire({
    models: {},
    settings: { models: { functionCall: one } },
    environment: { OPENAI_API_KEY: "sk-test-openai-0001" },
  });
  const asked = { model: "duet-chat", messages: [user("Hi")] };
  await client.chat.completions.create({ ...asked, temperature: 0.1, top_p: 0.5 });
  expect(provider.requests("one")[0]?.body).toMatchObject({ temperature: 0.1, top_p: 0.5 });
  await expect(client.chat.completions.create({ ...asked, temperature: 2 })).rejects.toMatchObject({
    status: 400,
    param: "temperature",
    message: expect.stringContaining("temperature: 2 is not allowed (allowed: a number, "),
  });
});

test("what was said before reaches the models as conversation, with the client's wishes below our own prompt", async () => {
  const { client, model, origin } = await startWire({ turns: ["Blue."] });
  await client.chat.completions.create({
    model: "duet-agent",
    messages: [
      { role: "system", content: "Answer like a pirate." },
      assistant("Ahoy!"),
      user("My ship is blue."),
      assistant("Noted."),
      user("And fast."),
      { role: "assistant", content: null, tool_calls: [] },
      { role: "tool", tool_call_id: "1", content: "12 knots" },
      {
        role: "user",
        content: [
          { type: "text", text: "What colour" },
          { type: "text", text: "is it?" },
        ],
      },
    ],
  });
  const [prompt, wishes, , ...said] = model.requests[0]?.messages ?? [];
  expect(prompt).toMatchObject({ role: "system", content: expect.not.stringContaining("pirate") });
  expect(wishes).toMatchObject({ role: "user", content: expect.stringContaining("Answer like a pirate.") });
  expect(said.map(({ role, content }) => [role, withoutDay(String(content))])).toEqual([
    ["user", "…"],
    ["assistant", "Ahoy!"],
    ["user", "My ship is blue."],
    ["assistant", "Noted."],
    ["user", "And fast.\n\nWhat colour\nis it?"],
  ]);
  const kept = await fetch(`${origin}/agent/conversations`);
  expect(await kept.json()).toMatchObject({ conversations: [] });
  const runs = await fetch(`${origin}/agent/runs`);
  expect(await runs.json()).toMatchObject({
    runs: [{ conversation_id: "", question: expect.stringContaining("colour") }],
  });
});

test("sources keep their numbers for whoever brings the conversation back as it was", async () => {
  const pages = [1, 2].map((n) => ({ title: `Page ${n}`, url: `https://example.com/${n}`, snippet: "" }));
  const lookup = makeTool("lookup", () => ({ ok: true, text: "", sources: pages }));
  const call = [{ id: "1", name: "lookup", input: {} }];
  const { client, model } = await startWire({
    turns: [call, "The second says so [2].", "As said [2].", "Nothing [2]."],
    tools: [lookup],
  });
  const ask = async (...messages: Parameters<typeof user>[0][]) => {
    const said = messages.map((text, index) => (index % 2 === 0 ? user(text) : assistant(text)));
    const { choices } = await client.chat.completions.create({ model: "duet-agent", messages: said });
    return choices[0]?.message;
  };
  const first = await ask("Who says so?");
  expect(first?.content).toContain("[2] Page 2 https://example.com/2");
  const second = await ask("Who says so?", first?.content ?? "", "Sure?");
  expect(second?.annotations?.[0]?.url_citation).toMatchObject({ url: "https://example.com/2" });
  // What the model reads is what it wrote and the asker was shown, without the list of references.
  expect(model.requests[2]?.messages).toContainEqual(expect.objectContaining({ content: "The second says so [2]." }));
  const other = await ask("Who says so?", "Somebody else.", "Sure?");
  expect(other?.annotations).toEqual([]);
});

test("a plan that waits is carried out by the next request's yes, once", async () => {
  const ran: unknown[] = [];
  const echo = makeTool("echo_it", (args) => {
    ran.push(args);
    return { ok: true, text: "an echo" };
  });
  const plan = JSON.stringify({
    steps: [{ step: 1, description: "Echo", tool: "echo_it", parameters: { text: "hi" } }],
  });
  const { client } = await startWire({
    turns: [plan, "Echoed.", plan],
    tools: [echo],
    settings: { agent: { plan: { unattended: "stop" } } },
  });
  const messages = [user("Echo hi")];
  const waiting = await client.chat.completions.create({ model: "duet-plan", messages });
  const shown = waiting.choices[0]?.message.content ?? "";
  expect(shown).toMatch(/1\. Echo[\s\S]*y to run it/);
  expect(waiting.choices[0]?.finish_reason).toBe("stop");
  expect(ran).toEqual([]);
  const yes = { model: "duet-plan", messages: [...messages, assistant(shown), user("y")] };
  const done = await client.chat.completions.create(yes);
  expect(done.choices[0]?.message.content).toBe("Echoed.");
  expect(ran).toHaveLength(1);
  await client.chat.completions.create(yes);
  expect(ran).toHaveLength(1);
});

async function vercel(options: HttpDuetSettings) {
  const { origin } = await startWire(options);
  const provider = createOpenAICompatible({ name: "duet", baseURL: `${origin}/v1`, includeUsage: true });
  return provider("duet-agent");
}

const callAll = [{ id: "1", name: "answer_all", input: {} }];
const answerAll = makeTool("answer_all", () => ({ ok: true, text: "42" }));

test("Vercel's client streams reasoning and text apart, and counts tokens", async () => {
  const model = await vercel({ turns: [callAll, "It is 42."], tools: [answerAll] });
  const result = streamText({ model, messages: [{ role: "user", content: "6*7?" }], maxRetries: 0 });
  const parts = await Array.fromAsync(result.fullStream);
  const kinds = new Set(parts.map(({ type }) => type));
  expect(kinds.has("error")).toBe(false);
  expect(kinds.has("tool-call")).toBe(false);
  expect(await result.text).toBe("It is 42.");
  expect(await result.reasoningText).toMatch(/🔧 answer_all[\s\S]*✓ answer_all .* 42/);
  expect(await result.finishReason).toBe("stop");
  expect(await result.usage).toMatchObject({ inputTokens: 20, outputTokens: 20, totalTokens: 40 });
});

test("it reads a whole answer, and an error with its words", async () => {
  const error = new DuetError({ code: "rate_limit", text: { zh: "慢一点", en: "slow down" } });
  const model = await vercel({ turns: ["Hello.", { error }] });
  const asked = { model, prompt: "Hi", maxRetries: 0 };
  const { text, usage } = await generateText(asked);
  expect([text, usage.totalTokens]).toEqual(["Hello.", 20]);
  const thrown = await generateText(asked).catch((reason: unknown) => reason);
  expect(APICallError.isInstance(thrown)).toBe(true);
  expect(thrown).toMatchObject({ statusCode: 424, message: expect.stringContaining("slow down") });
});

const failures: ErrorCode[] = ["auth", "config", "rate_limit", "quota", "overloaded", "server", "network", "timeout"];

test("a run that has failed is not begun again by a client that repeats by itself: Vercel's, OpenAI's, whole or streamed", async () => {
  const turns = failures.flatMap((code) => {
    const failed = { error: new DuetError({ code, text: { zh: "坏了", en: "it broke" } }) };
    return [failed, failed, failed, failed];
  });
  const { origin, model } = await startWire({ turns });
  const vercels = createOpenAICompatible({ name: "duet", baseURL: `${origin}/v1` })("duet-chat");
  const openai = new OpenAI({ baseURL: `${origin}/v1`, apiKey: "none" });
  const asked = { model: "duet-chat", messages: [user("Hi")] };
  for (const [index, code] of failures.entries()) {
    const failed: unknown[] = [];
    await generateText({ model: vercels, prompt: "Hi" }).catch((thrown) => failed.push(thrown));
    await streamText({ model: vercels, prompt: "Hi", onError: ({ error }) => void failed.push(error) }).consumeStream();
    await openai.chat.completions.create(asked).catch((thrown) => failed.push(thrown));
    const streamed = openai.chat.completions.create({ ...asked, stream: true });
    await streamed.then((stream) => Array.fromAsync(stream)).catch((thrown) => failed.push(thrown));
    expect(failed.at(-1)).toMatchObject({ status: 424 });
    expect([code, failed.length, model.requests.length]).toEqual([code, 4, 4 * (index + 1)]);
  }
});

test("what was written when a run was cancelled is no whole answer, streamed or not", async () => {
  const { client, origin, model } = await startWire({
    turns: [
      { text: "It begins", hang: true },
      { text: "It begins", hang: true },
    ],
  });
  const asked = { model: "duet-chat", messages: [user("Tell me all")] };
  const whole = client.chat.completions.create(asked);
  const chunks = Array.fromAsync(await client.chat.completions.create({ ...asked, stream: true }));
  await expect.poll(() => model.requests.length).toBe(2);
  const { runs } = runList.parse(await (await fetch(`${origin}/agent/runs`)).json());
  for (const { run_id } of runs) await fetch(`${origin}/agent/runs/${run_id}`, { method: "DELETE" });
  const [choice] = (await whole).choices;
  expect(choice).toMatchObject({
    finish_reason: "length",
    message: {
      content: "It begins\n\n> ⚠ The answer was cancelled.",
      reasoning_content: expect.stringContaining("Cancelled."),
    },
  });
  expect((await chunks).at(-1)?.choices[0]?.finish_reason).toBe("length");
});

const runList = z.looseObject({ runs: z.array(z.looseObject({ run_id: z.string() })) });
