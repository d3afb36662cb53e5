import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Message } from "../../../src/core/model/messages.ts";
import type { Model, ModelEvent, Turn } from "../../../src/core/model/model.ts";
import type { ModelSettings } from "../../../src/core/model/model-settings.ts";
import { createModel } from "../../../src/providers/create-model.ts";
import { type FakeProvider, type FakeTurn, startFakeProvider } from "../../fakes/provider.ts";
import { listOf, recordOf } from "../../fakes/provider-rules.ts";
import { type WireCase, wireCases, wirePairs } from "../history/convert-history-cases.ts";
import { hear, into, settings, weather } from "../reading.ts";

let fake: FakeProvider;
beforeEach(async () => {
  fake = await startFakeProvider();
});
afterEach(() => fake.close());

function open(settingsOf: ModelSettings, locale: "zh" | "en" = "en"): Model {
  const baseUrl = settingsOf.wire === "anthropic-messages" ? fake.anthropicUrl : fake.openaiUrl;
  return createModel({ ...settingsOf, baseUrl }, { sleep: async () => {}, locale });
}

const bergen = { name: "weather", arguments: { city: "Bergen" } };
const oslo = { name: "weather", arguments: { city: "Oslo" } };
const toolTurns: FakeTurn[] = [
  { reasoning: " Two cities,\n雨 or 🌧?\n", text: "Let me look.", toolCalls: [bergen, oslo] },
  { reasoning: "", toolCalls: [oslo] },
  { toolCalls: [bergen, bergen, oslo] },
  { reasoning: "Once more.", toolCalls: [bergen] },
];

/** Asks once, and adds the turn with the results of its calls to the conversation. */
async function take(model: Model, messages: Message[]): Promise<Turn> {
  const { turn } = await hear(model, { messages, tools: [weather] });
  messages.push(turn.message);
  for (const { id, name } of turn.message.toolCalls) {
    messages.push({ role: "tool", callId: id, tool: name, content: `rain for ${id}`, ok: true });
  }
  return turn;
}

const ask = (content: string): Message => ({ role: "user", content });

describe.each(wireCases)("over $name", ({ settings: own }) => {
  test("several tool turns, with and without reasoning, are taken back as they were, also by the next question", async () => {
    fake.script(own.model, ...toolTurns, { reasoning: "Done.", text: "Rain." }, ...toolTurns, { text: "Rain." });
    const model = open(own);
    const messages = [ask("Weather?")];
    for (let turn = 0; turn < 5; turn++) await take(model, messages);
    messages.push(ask("And now?"));
    for (let turn = 0; turn < 4; turn++) await take(model, messages);
    expect((await take(model, messages)).message.content).toBe("Rain.");
    expect(fake.requests(own.model)).toHaveLength(10);
  });
});

describe.each(wirePairs.filter(({ from, to }) => from !== to))(
  "a switch from $from.name to $to.name",
  ({ from, to }) => {
    test("and back, in the middle of a question, is no matter to either", async () => {
      fake.script(from.settings.model, ...toolTurns, ...toolTurns, { reasoning: "Back.", text: "Rain." });
      fake.script(to.settings.model, ...toolTurns, { reasoning: "Mine.", text: "Showers." }, toolTurns[0] ?? {});
      const [first, second] = [open(from.settings), open(to.settings)];
      const messages = [ask("Weather?")];
      for (let turn = 0; turn < 4; turn++) await take(first, messages);
      for (let turn = 0; turn < 5; turn++) await take(second, messages);
      messages.push(ask("Sure?"));
      for (let turn = 0; turn < 3; turn++) await take(first, messages);
      await take(second, messages);
      await take(first, messages);
      expect((await take(first, messages)).message.content).toBe("Rain.");
      expect(fake.journal).toHaveLength(15);
    });
  },
);

describe("what goes back", () => {
  async function secondRequest(named: string): Promise<Record<string, unknown>> {
    const { settings: own } = caseOf(named);
    fake.script(own.model, { ...toolTurns[0], redacted: "b3BhcXVl" }, { text: "Rain." });
    const messages = [ask("Weather?")];
    for (let turn = 0; turn < 2; turn++) await take(open(own), messages);
    return fake.requests(own.model)[1]?.body ?? {};
  }

  test.each(["deepseek", "kimi"])("to %s is reasoning_content, byte for byte", async (named) => {
    const { messages } = await secondRequest(named);
    expect(listOf(messages)[1]).toMatchObject({ reasoning_content: toolTurns[0]?.reasoning, content: "Let me look." });
  });

  test("to Gemini is the signature, on the first of the calls", async () => {
    const { messages } = await secondRequest("gemini");
    const [first, second] = listOf(listOf(messages)[1]?.tool_calls);
    expect(recordOf(first?.extra_content).google).toEqual({ thought_signature: expect.stringMatching(/=$/) });
    expect(second).not.toHaveProperty("extra_content");
  });

  test("to Anthropic are the thinking blocks, first and whole", async () => {
    const { messages } = await secondRequest("anthropic");
    expect(listOf(listOf(messages)[1]?.content).map((block) => block.type)).toEqual([
      "redacted_thinking",
      "thinking",
      "text",
      "tool_use",
      "tool_use",
    ]);
  });

  test("to a vendor that does not ask for it is no reasoning", async () => {
    expect(JSON.stringify(await secondRequest("chat"))).not.toContain("Two cities");
  });
});

describe("a history that the vendor refuses", () => {
  const plain = settings({ model: "deepseek-flash" });
  const toolTurn: FakeTurn = { reasoning: "Hm.", toolCalls: [bergen] };

  test("is mended and sent again, with a notice, and what the vendor wants is known from then on", async () => {
    fake.script("deepseek-flash", toolTurn, toolTurn, { text: "Rain." });
    const model = open(plain);
    const messages = [ask("Weather?")];
    await take(model, messages);
    const events: ModelEvent[] = [];
    const turn = await model.stream({ messages, tools: [weather] }, into(events), new AbortController().signal);
    expect(events.filter((event) => event.type === "notice")).toEqual([
      {
        type: "notice",
        level: "warning",
        code: "history-repaired",
        message: expect.stringMatching(/refused the conversation's history.*reasoning_content.*must be passed back/s),
      },
    ]);
    messages.push(turn.message, {
      role: "tool",
      callId: "call_fake_2",
      tool: "weather",
      content: "rain",
      ok: true,
    });
    expect(await hear(model, { messages, tools: [weather] })).toMatchObject({ text: "Rain.", notices: [] });
    expect(fake.requests("deepseek-flash")).toHaveLength(4);
  });

  test("speaks the reader's language in its notice", async () => {
    fake.script("kimi-k2.6", toolTurn, { text: "Rain." });
    const model = open({ ...plain, model: "kimi-k2.6", quirks: { noSampling: "always" } }, "zh");
    const messages = [ask("Weather?")];
    await take(model, messages);
    const { notices } = await hear(model, { messages, tools: [weather] });
    expect(notices).toEqual([expect.stringContaining("拒绝了对话历史，已修复")]);
  });

  test("is mended once only: then the error says what to do", async () => {
    const refusal = {
      status: 400,
      body: '{"error":{"message":"The `reasoning_content` in the thinking mode must be passed back to the API."}}',
    };
    fake.script("m", refusal, refusal, { text: "never" });
    const error = await hear(open({ ...plain, model: "m" })).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "invalid_request",
      text: {
        zh: expect.stringContaining("修复之后仍然拒绝"),
        en: expect.stringContaining("even after it was repaired"),
      },
      hint: { zh: expect.stringContaining("新对话"), en: expect.stringContaining("new conversation") },
    });
    expect(fake.requests("m")).toHaveLength(2);
  });

  test("that already carries reasoning_content goes without thinking, and never with an empty field", async () => {
    const refusal = {
      status: 400,
      body: '{"error":{"message":"Missing `reasoning_content` field in the assistant message"}}',
    };
    fake.script("m", refusal, { text: "Rain." });
    const said: Message = { role: "assistant", content: "Hello.", toolCalls: [] };
    const model = open({ ...plain, model: "m", quirks: { echoReasoning: true } });
    expect((await hear(model, { messages: [ask("Hi."), said, ask("Weather?")] })).text).toBe("Rain.");
    const [first, second] = fake.requests("m").map(({ body }) => body);
    expect(listOf(first?.messages)[1]?.reasoning_content).toBe("");
    expect(listOf(second?.messages)[1]?.reasoning_content).toBe("Hello.");
    expect(second?.thinking).toEqual({ type: "disabled" });
  });

  test("goes without reasoning_content to a server that does not know it", async () => {
    fake.script("deepseek-r1", { text: "Hello." }, { text: "Rain." });
    const model = open({ ...plain, model: "deepseek-r1", quirks: { echoReasoning: true } });
    const messages = [ask("Hi.")];
    await take(model, messages);
    messages.push(ask("Weather?"));
    expect(await hear(model, { messages })).toMatchObject({ text: "Rain.", notices: [expect.any(String)] });
  });

  test("goes with a placeholder for a signature that Gemini misses, also behind another vendor's address", async () => {
    fake.script("google/gemini-3.8-flash", { text: "Rain." });
    const messages = [ask("Weather?"), ...foreignRound("weather")];
    const model = open({ ...plain, model: "google/gemini-3.8-flash" });
    expect(await hear(model, { messages, tools: [weather] })).toMatchObject({
      text: "Rain.",
      notices: [expect.stringContaining("thought_signature")],
    });
  });

  test("goes without signatures that are no longer good", async () => {
    for (const named of ["gemini", "anthropic", "responses"]) {
      const { settings: own } = caseOf(named);
      fake.script(own.model, toolTurn, { text: "Rain." });
      const model = open(own);
      const messages = [ask("Weather?")];
      await take(model, messages);
      const kept = JSON.parse(
        JSON.stringify(messages).replace(/("(thought_signature|signature|encrypted_content)":"[^"]{4})/g, "$1x"),
      );
      const { text, notices } = await hear(model, { messages: kept, tools: [weather] });
      expect({ named, text, notices }).toEqual({
        named,
        text: "Rain.",
        notices: [expect.stringContaining("sending it again")],
      });
    }
  });

  test("is another matter than a request that is wrong", async () => {
    fake.script("m", { status: 400, body: '{"error":{"message":"Model Not Exist"}}' });
    await expect(hear(open({ ...plain, model: "m" }))).rejects.toMatchObject({ code: "model_not_found" });
    expect(fake.requests("m")).toHaveLength(1);
  });

  test("is not mended behind an answer that has begun", async () => {
    const error =
      'data: {"choices":[{"delta":{"content":"It r"}}]}\n\ndata: {"error":{"message":"reasoning_content is missing"}}\n\n';
    fake.script("m", { status: 200, headers: { "content-type": "text/event-stream" }, body: error }, { text: "never" });
    await expect(hear(open({ ...plain, model: "m" }))).rejects.toMatchObject({
      message: expect.stringContaining("missing"),
    });
    expect(fake.requests("m")).toHaveLength(1);
  });
});

function caseOf(named: string): WireCase {
  const found = wireCases.find(({ name }) => name === named);
  if (!found) throw new Error(`No wire case ${named}.`);
  return found;
}

function foreignRound(name: string): Message[] {
  return [
    { role: "assistant", content: "", toolCalls: [{ id: "x", name, argumentsText: "{}", arguments: {} }] },
    { role: "tool", callId: "x", tool: name, content: "rain", ok: true },
  ];
}
