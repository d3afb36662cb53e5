import { APIError } from "openai";
import { expect, test } from "vitest";
import { DuetError, type ErrorCode } from "../../../src/kit/errors.ts";
import { createOfflineModel } from "../../../src/providers/offline/model.ts";
import { title } from "../../fakes/chat-pages.ts";
import { makeTool } from "../../fakes/events.ts";
import { readMetrics, total } from "../operations/read-metrics.ts";
import { completionShape, dataOf, errorShape, startWire, user } from "./wire.ts";

const hi = [user("Hi")];

function toWireTool(name: string, parameters: object = { type: "object", properties: {} }) {
  return { type: "function", function: { name, parameters } };
}

const wrong: [string | null, unknown][] = [
  ["model", { messages: hi }],
  ["messages", { model: "duet-chat", messages: [] }],
  ["messages[0].role", { model: "duet-chat", messages: [{ role: "robot", content: "Hi" }] }],
  ["messages[0].role", { model: "duet-chat", messages: [{ content: "Hi" }] }],
  ["messages[0].content", { model: "duet-chat", messages: [{ role: "user", content: 7 }] }],
  [
    "messages[1].content[0]",
    { model: "duet-chat", messages: [...hi, { role: "user", content: [{ type: "image_url", image_url: {} }] }] },
  ],
  ["messages[0].content[0]", { model: "duet-chat", messages: [{ role: "user", content: [{ type: "input_audio" }] }] }],
  ["messages", { model: "duet-chat", messages: [{ role: "system", content: "Be brief." }] }],
  ["messages", { model: "duet-chat", messages: [user("x".repeat(100_001))] }],
  ["n", { model: "duet-chat", messages: hi, n: 2 }],
  ["temperature", { model: "duet-chat", messages: hi, temperature: 2 }],
  ["reasoning", { model: "duet-chat", messages: hi, reasoning: "some" }],
  ["top_p", { model: "duet-chat", messages: hi, top_p: "high" }],
  ["max_tokens", { model: "duet-chat", messages: hi, max_tokens: 0 }],
  ["stream", { model: "duet-chat", messages: hi, stream: "yes" }],
  ["tool_choice", { model: "duet-agent", messages: hi, tool_choice: "always" }],
  ["tools[0].type", { model: "duet-agent", messages: hi, tools: [{ type: "custom", custom: { name: "theirs" } }] }],
  ["tools[1].function.name", { model: "duet-agent", messages: hi, tools: [toWireTool("a"), toWireTool("a")] }],
  ["tools[0].function.name", { model: "duet-agent", messages: hi, tools: [toWireTool("my tool")] }],
  ["tools[0].function.parameters", { model: "duet-chat", messages: hi, tools: [toWireTool("a", { type: "array" })] }],
  [
    "tools[1].function.parameters",
    {
      model: "duet-chat",
      messages: hi,
      tools: [toWireTool("a"), toWireTool("b", { type: "object", properties: { at: { type: "text" } } })],
    },
  ],
  ["response_format.type", { model: "duet-agent", messages: hi, response_format: { type: "xml" } }],
  ["stop[0]", { model: "duet-chat", messages: hi, stop: [""] }],
  [
    "response_format.json_schema.schema",
    { model: "duet-agent", messages: hi, response_format: { type: "json_schema" } },
  ],
  [
    "response_format.json_schema.schema",
    {
      model: "duet-agent",
      messages: hi,
      response_format: { type: "json_schema", json_schema: { schema: { type: "array" } } },
    },
  ],
  [null, [1]],
];

test("what a request has wrong is one clear line that names the field", async () => {
  const { post, model } = await startWire();
  for (const [param, body] of wrong) {
    const response = await post(body);
    const { error } = errorShape.parse(await response.json());
    expect([response.status, error]).toEqual([
      400,
      {
        type: "invalid_request_error",
        param,
        code: "invalid_request",
        message: expect.stringMatching(/^.*(allowed|expected|must|missing).*$/i),
      },
    ]);
  }
  expect(model.requests).toEqual([]);
});

const statuses: [ErrorCode, number, string][] = [
  ["auth", 424, "auth"],
  ["quota", 424, "insufficient_quota"],
  ["rate_limit", 424, "rate_limit_exceeded"],
  ["context_overflow", 400, "context_length_exceeded"],
  ["content_filter", 400, "content_filter"],
  ["server", 424, "server"],
  ["overloaded", 424, "overloaded"],
  ["timeout", 424, "timeout"],
  ["bad_response", 424, "bad_response"],
];

test("a run without an answer is an error of OpenAI's shape, which clients do not repeat by themselves", async () => {
  const turns = statuses.map(([code]) => ({ error: new DuetError({ code, text: { zh: "坏了", en: "it broke" } }) }));
  const { post } = await startWire({ turns });
  for (const [, status, code] of statuses) {
    const response = await post({ model: "duet-chat", messages: hi });
    expect([response.status, response.headers.get("x-should-retry")]).toEqual([status, "false"]);
    const { error } = errorShape.parse(await response.json());
    expect(error).toMatchObject({ code, message: expect.stringContaining("it broke") });
  }
});

test("a failed run with tools advises the model without, because a model API has no mode to switch to", async () => {
  const error = new DuetError({ code: "server", text: { zh: "坏了", en: "it broke" } });
  const { post } = await startWire({ turns: [{ error }] });
  const response = await post({ model: "duet-agent", messages: hi });
  const { message } = errorShape.parse(await response.json()).error;
  expect(message).toBe("it broke\nYou can also try again with the model duet-chat.");
});

test("the same in a stream is a status before the first word, and an event after it; the official client throws both", async () => {
  const error = new DuetError({ code: "quota", text: { zh: "欠费", en: "no money left" } });
  const call = [{ id: "1", name: "lookup", input: {} }];
  const { client, post } = await startWire({
    turns: [{ error }, call, { error }, { error }, { error, text: "It beg" }],
    tools: [makeTool("lookup", () => ({ ok: true, text: "found" }))],
  });
  const told = { code: "insufficient_quota", message: expect.stringContaining("no money left") };
  const streamed = { messages: hi, stream: true } as const;
  const early = await client.chat.completions.create({ ...streamed, model: "duet-chat" }).catch((reason) => reason);
  expect(early).toBeInstanceOf(APIError);
  expect(early).toMatchObject({ status: 424, ...told });
  // An answer of this form is never made of the results alone.
  const form = { ...streamed, model: "duet-agent", response_format: { type: "json_object" } } as const;
  const stream = await client.chat.completions.create(form);
  const thrown = await Array.fromAsync(stream).catch((reason: unknown) => reason);
  expect(thrown).toBeInstanceOf(APIError);
  expect(thrown).toMatchObject(told);
  const data = await dataOf(await post({ ...streamed, model: "duet-chat" }));
  expect(data.at(-1)).toBe("[DONE]");
  expect(data.join("\n")).toContain('"finish_reason":"length"');
});

test("where nobody may be asked, a call that needs consent does not run, and the answer and the reasoning say why", async () => {
  const ran: unknown[] = [];
  const wipe = {
    ...makeTool("wipe", (args) => {
      ran.push(args);
      return { ok: true, text: "done" };
    }),
    annotations: { destructive: true },
  };
  const calls = [{ id: "1", name: "wipe", input: {} }];
  const settings = { serve: { confirm: "never" } };
  const { client } = await startWire({ turns: [calls, "It could not be wiped."], tools: [wipe], settings });
  const answer = await client.chat.completions.create({ model: "duet-agent", messages: [user("Wipe it")] });
  expect(ran).toEqual([]);
  expect(answer.choices[0]?.message).toMatchObject({
    content: expect.stringMatching(/^It could not be wiped\.\n\n> wipe needs consent .*tools\.ask\.$/),
    reasoning_content: expect.stringMatching(/✗ wipe .*(consent|agree|approv)/),
  });
});

test("a request of a page's own is answered by the function-call model in one call: no prompt of ours, no tools, no steps", async () => {
  const { post, model } = await startWire({ turns: ['{ "title": "Greetings" }'] });
  const response = await post({ model: "duet-agent", messages: title, max_tokens: 50 });
  const { choices, usage } = completionShape.parse(await response.json());
  expect(choices[0].message).toEqual({
    role: "assistant",
    content: '{ "title": "Greetings" }',
    refusal: null,
    annotations: [],
  });
  expect(usage.total_tokens).toBe(20);
  expect(model.requests).toMatchObject([{ messages: title, tools: [], maxTokens: 50 }]);
});

test("such a request counts as a run: in the figures, among what the caller may take, and in no list", async () => {
  const asked = { model: "duet-agent", messages: title };
  const { post, origin } = await startWire({
    turns: ["Greetings"],
    settings: { serve: { limits: { tokensPerDay: 20 } } },
  });
  const written = await post(asked);
  expect([written.status, written.headers.get("x-request-id")]).toEqual([200, expect.stringMatching(/^run-/)]);
  const refused = await post(asked);
  expect([refused.status, Number(refused.headers.get("retry-after"))]).toEqual([429, expect.any(Number)]);
  expect(errorShape.parse(await refused.json()).error).toMatchObject({
    code: "insufficient_quota",
    message: expect.stringContaining("tokensPerDay"),
  });
  const samples = readMetrics(await (await fetch(`${origin}/metrics`)).text());
  expect(total(samples, "duet_tokens_total", { role: "function_call" })).toBe(20);
  expect(total(samples, "duet_runs_total", { mode: "chat", status: "complete" })).toBe(1);
  expect(total(samples, "duet_runs_active")).toBe(0);
  expect(await (await fetch(`${origin}/agent/runs`)).json()).toMatchObject({ runs: [] });
});

test("what the model of such a request throws is told as that of a run, and a client that leaves stops it", async () => {
  const asked = { model: "duet-agent", messages: title };
  const error = new DuetError({ code: "rate_limit", text: { zh: "慢一点", en: "slow down" } });
  const { post, client, origin, model } = await startWire({ turns: [{ error }, { hang: true }] });
  const failed = await post(asked);
  expect([failed.status, failed.headers.get("x-should-retry")]).toEqual([424, "false"]);
  expect(errorShape.parse(await failed.json()).error.message).toContain("slow down");
  const leave = new AbortController();
  const left = client.chat.completions.create(asked, { signal: leave.signal });
  await expect.poll(() => model.requests.length).toBe(2);
  leave.abort();
  await expect(left).rejects.toThrow();
  const cancelled = async () =>
    (await (await fetch(`${origin}/metrics`)).text()).includes('duet_runs_total{mode="chat",status="cancelled"} 1');
  await expect.poll(cancelled).toBe(true);
});

test("a model that goes by rules names nothing", async () => {
  const rules = createOfflineModel({ locale: "en" });
  const { post } = await startWire({ models: { functionCall: rules, answer: rules } });
  const response = await post({ model: "duet-agent", messages: title });
  expect(completionShape.parse(await response.json()).choices[0].message.content).toBe("");
});

test("a stream says as reasoning what may become the answer, and as content the answer alone, once", async () => {
  const echo = makeTool("echo", () => ({ ok: true, text: "An echo that is long enough to count." }));
  const turns = [{ text: "I look it up.", calls: [{ id: "1", name: "echo", input: {} }] }, "Forty-two."];
  const { client } = await startWire({ turns, tools: [echo] });
  const asked = { model: "duet-agent", messages: [user("What is it?")] };
  const stream = await client.chat.completions.create({ ...asked, stream: true });
  const deltas = (await Array.fromAsync(stream)).flatMap(({ choices }) => choices.map(({ delta }) => delta));
  const join = (name: string): string => deltas.map((delta) => (delta as Record<string, string>)[name] ?? "").join("");
  expect(join("content")).toBe("Forty-two.");
  expect(join("reasoning_content").match(/💭 I look it up\.(?!.*I look)[\s\S]*💭 Forty-two\./)).not.toBeNull();
  expect(join("reasoning_content").split("I look it up.")).toHaveLength(2);
  const reasons = deltas.findIndex((delta) => (delta as Record<string, string>).reasoning_content?.includes("Fort"));
  expect(reasons).toBeLessThan(deltas.findIndex(({ content }) => content));
});

test("an answer in one piece is not said in its reasoning, too", async () => {
  const echo = makeTool("echo", () => ({ ok: true, text: "An echo." }));
  const { client } = await startWire({ turns: ["Forty-two."], tools: [echo] });
  const answer = await client.chat.completions.create({ model: "duet-agent", messages: [user("What is it?")] });
  expect(answer.choices[0]?.message.content).toBe("Forty-two.");
  expect(JSON.stringify(answer).match(/Forty-two/g)).toHaveLength(1);
});
