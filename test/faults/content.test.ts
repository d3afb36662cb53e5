// Fault group O (docs/development/faults-models.md#o-what-a-model-sends): what a model sends, and what must not come of it.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { openDuet } from "../../src/app/open-duet.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { Message } from "../../src/core/model/messages.ts";
import type { Model } from "../../src/core/model/model.ts";
import { type ModelSettings, type WireName, wires } from "../../src/core/model/model-settings.ts";
import { toUser } from "../../src/core/questions/user.ts";
import type { AgentEvent } from "../../src/core/run/events.ts";
import type { Outcome } from "../../src/core/run/outcome.ts";
import { createFailure, type Tool } from "../../src/core/tools/tool.ts";
import type { JsonObject } from "../../src/kit/json.ts";
import { createModel } from "../../src/providers/create-model.ts";
import { fakePath, readJournal } from "../client/servers.ts";
import { temporaryFolder } from "../fakes/program.ts";
import { type FakeProvider, type FakeTurn, type Reply, startFakeProvider } from "../fakes/provider.ts";
import { encryptedFor } from "../fakes/provider-responses.ts";
import { listOf } from "../fakes/provider-rules.ts";
import { hear, settings } from "../providers/reading.ts";

let fake: FakeProvider;
/** The cities for which a room was really booked. */
let booked: unknown[];
beforeEach(async () => {
  fake = await startFakeProvider();
  booked = [];
  onTestFinished(() => fake.close());
});

const name = "test-model";
const finished: FakeTurn = { text: "That is all I can say." };

function modelOn(wire: WireName, changes: Partial<ModelSettings> = {}): Model {
  const baseUrl = wire === "anthropic-messages" ? fake.anthropicUrl : fake.openaiUrl;
  return createModel(settings({ wire, baseUrl, model: name, ...changes }), { sleep: async () => {} });
}

/** A tool with a side effect that nobody wants twice, or by accident. */
function bookingTool(): Tool {
  return {
    name: "book",
    description: "Books a room.",
    inputSchema: {
      type: "object",
      properties: { city: { type: "string" }, nights: { type: "array", items: { type: "integer" } } },
      required: ["city"],
    },
    source: "user",
    annotations: { destructive: true },
    async run({ city }: JsonObject) {
      if (city === "Atlantis") return createFailure("tool", "No hotel in Atlantis has a room.");
      booked.push(city);
      return { ok: true, text: `One room in ${city} is booked, number ${booked.length}.` };
    },
  };
}

/** One that needs no arguments, so that a call without any is a good one. */
function bellTool(): Tool {
  return {
    name: "bell",
    description: "Rings for the porter.",
    inputSchema: { type: "object", properties: {} },
    source: "user",
    annotations: { destructive: true },
    async run() {
      booked.push("bell");
      return { ok: true, text: "The porter has heard the bell." };
    },
  };
}

interface Asked {
  answer?: Model;
  file?: string;
  /** Asked one after the other in one conversation, each with the tools that fit its patterns. */
  questions?: { question: string; tools?: string[] }[];
  limits?: Parameters<Awaited<ReturnType<typeof openDuet>>["ask"]>[0]["limits"];
}

/** Asks the whole agent, whose function-call model is the given one, and answers too unless there is another. */
async function ask(model: Model, asked: Asked = {}): Promise<{ outcome: Outcome; events: AgentEvent[] }> {
  const folder = await temporaryFolder();
  const config = await loadConfig(
    { config: asked.file, locale: "en" },
    { HOME: folder, PATH: process.env.PATH },
    folder,
  );
  const models = { functionCall: model, answer: asked.answer ?? model };
  const duet = await openDuet(config, { models, tools: [bookingTool(), bellTool()] });
  onTestFinished(() => duet.close());
  let events: AgentEvent[] = [];
  let conversationId: string | undefined;
  for (const { question, tools } of asked.questions ?? [{ question: "Book a room in Oslo." }]) {
    const request = { question, tools, conversationId, limits: asked.limits, user: agree };
    events = await Array.fromAsync(duet.ask(request));
    const first = events[0];
    if (first?.type === "run-start") conversationId = first.conversationId;
  }
  const last = events.at(-1);
  if (last?.type !== "run-end") throw new Error("The run did not end.");
  return { outcome: last.outcome, events };
}

/** The tools say that they are destructive, so that somebody has to agree. */
const agree = toUser({ approveCall: async () => "once" });

function script(...replies: Reply[]): void {
  fake.script(name, ...replies);
}

/** The same reply, however often it is asked for. */
function scriptAlways(reply: Reply): void {
  script(...Array.from({ length: 40 }, () => reply));
}

const call = (city: string, id?: string) => ({ name: "book", arguments: { city }, id });

/** What the model was told in its nth request, as one text. */
const told = (index: number): string => JSON.stringify(fake.requests(name)[index]?.body);

describe.each(wires)("over %s", (wire) => {
  describe("167: arguments that are no object", () => {
    test.each<[string, string, RegExp]>([
      ["truncated", '{"city":"Oslo', /one JSON object/],
      ["with a trailing comma", '{"city":"Oslo",}', /one JSON object/],
      ["with single quotes", "{'city':'Oslo'}", /one JSON object/],
      ["a list", '["Oslo"]', /one JSON object/],
      ["encoded twice", JSON.stringify('{"city":"Oslo"}'), /one JSON object/],
      ["in a code fence", '```json\n{"city":"Oslo"}\n```', /one JSON object/],
      ["two objects", '{"city":"Oslo"}{"city":"Rome"}', /one JSON object/],
      ["an empty text", '""', /one JSON object/],
      // Nothing and null are how vendors write "no arguments"; the schema decides whether that will do.
      ["nothing", "", /city/],
      ["null", "null", /city/],
    ])("167: %s are never repaired and run: the model is told", async (_, argumentsText, error) => {
      script({ toolCalls: [{ name: "book", arguments: argumentsText }] }, finished);
      const { outcome } = await ask(modelOn(wire));
      expect(booked).toEqual([]);
      expect(outcome.tool_calls).toMatchObject([{ tool: "book", ok: false, result: expect.stringMatching(error) }]);
      expect(told(1)).toMatch(error);
      expect(outcome.response).toBe(finished.text);
    });

    test("167: a tool that needs none runs without any", async () => {
      script({ toolCalls: [{ name: "bell", arguments: "" }] }, finished);
      await ask(modelOn(wire));
      expect(booked).toEqual(["bell"]);
    });

    test("167: a model that never learns is not asked for ever", async () => {
      scriptAlways({ toolCalls: [{ name: "book", arguments: '{"city":' }] });
      const { outcome } = await ask(modelOn(wire), { limits: { maxIterations: 5 } });
      expect(booked).toEqual([]);
      expect(outcome.status).not.toBe("complete");
      expect(fake.requests(name).length).toBeLessThanOrEqual(6);
    });
  });

  test.each<[string, unknown]>([
    ["whole", { city: "Oslo" }],
    ["empty", {}],
    ["half", '{"city":"Os'],
  ])("168: a call that is %s when the output limit ends the turn is not run", async (_, args) => {
    const finish = words[wire].length;
    const toolCalls = ["book", "bell"].map((tool) => ({ name: tool, arguments: args }));
    script({ text: "I will book.", toolCalls, finish }, finished);
    const { outcome, events } = await ask(modelOn(wire));
    expect(booked).toEqual([]);
    expect(events.some((event) => event.type === "tool-start")).toBe(false);
    expect(outcome).toMatchObject({ status: "partial", stop_reason: "length", tool_calls: [] });
    expect(events).toContainEqual(expect.objectContaining({ type: "evaluation", reason: "turn-cut" }));
  });

  test("171: two calls under one id are two calls", async () => {
    script({ toolCalls: [call("Oslo", "same"), call("Rome", "same")] }, finished);
    const { outcome } = await ask(modelOn(wire));
    expect(booked.toSorted()).toEqual(["Oslo", "Rome"]);
    expect(outcome.status).toBe("complete");
    expect(fake.requests(name)).toHaveLength(2);
  });

  test("172: of 500 calls in one turn 50 run, and each of the others is answered with an error", async () => {
    const toolCalls = Array.from({ length: 500 }, (_, index) => call(`city ${index}`, `call_${index}`));
    script({ toolCalls }, finished);
    const { outcome, events } = await ask(modelOn(wire), { limits: { maxToolCalls: 100, tokenBudget: 1e9 } });
    expect(booked).toHaveLength(50);
    expect(events.filter((event) => event.type === "tool-start")).toHaveLength(50);
    expect(told(1).match(/this call was not run/g)).toHaveLength(450);
    expect(outcome.response).toBe(finished.text);
  });

  test("172: fewer run when the limit of calls is lower", async () => {
    const toolCalls = Array.from({ length: 20 }, (_, index) => call(`city ${index}`, `call_${index}`));
    script({ toolCalls }, finished);
    const { outcome } = await ask(modelOn(wire), { limits: { maxToolCalls: 3 } });
    expect(booked).toHaveLength(3);
    expect(outcome.tool_calls.filter(({ ok }) => ok)).toHaveLength(3);
    expect(outcome).toMatchObject({ status: "partial", stop_reason: "tool_call_limit" });
  });

  test("175: what is said beside a call is a thought, said before the call; the answer is what is said without one", async () => {
    script({ text: "Let me book.", toolCalls: [call("Oslo")] }, finished);
    const { outcome, events } = await ask(modelOn(wire));
    expect(outcome.response).toBe(finished.text);
    const order = events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
    expect(order.indexOf("thought-delta")).toBeLessThan(order.indexOf("tool-start"));
    expect(order.indexOf("tool-end")).toBeLessThan(order.indexOf("answer-delta"));
    const thought = events.map((event) => (event.type === "thought-delta" ? event.text : "")).join("");
    expect(thought).toBe("Let me book.");
  });

  test("175: calls in a turn that its vendor calls finished are run", async () => {
    script({ toolCalls: [call("Oslo")], finish: words[wire].stop }, finished);
    const { outcome } = await ask(modelOn(wire));
    expect(booked).toEqual(["Oslo"]);
    expect(outcome).toMatchObject({ status: "complete", response: finished.text });
  });

  test.each([
    '<tool_call>\n{"name": "book", "arguments": {"city": "Oslo"}}\n</tool_call>',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>book\n{"city":"Oslo"}<｜tool▁calls▁end｜>',
    "<function=book><parameter=city>Oslo</parameter></function>",
    '```json\n{"tool": "book", "arguments": {"city": "Oslo"}}\n```',
    '[{"type":"function","function":{"name":"book","arguments":"{\\"city\\":\\"Oslo\\"}"}}]',
  ])("176: a call that is written as text is text: %j", async (text) => {
    script({ text });
    const { outcome, events } = await ask(modelOn(wire));
    expect(booked).toEqual([]);
    expect(events.some((event) => event.type === "tool-start")).toBe(false);
    expect(outcome).toMatchObject({ status: "complete", response: text, tool_calls: [] });
  });

  test.each<[string, Message[]]>([
    ["a result whose call is lost", [user("Hi."), result("lost"), user("Go on.")]],
    ["a result at the very start", [result("lost"), user("Go on.")]],
    ["a call whose result is lost", [user("Hi."), asking("a"), user("Go on.")]],
    ["a call at the very end", [user("Hi."), asking("a")]],
    ["one of two results", [user("Hi."), asking("a", "b"), result("b"), user("Go on.")]],
    ["results in another order, and one twice", [user("Hi."), asking("a", "b"), result("b"), result("a"), result("a")]],
    ["a result that comes too late", [user("Hi."), asking("a"), user("Well?"), result("a"), user("Go on.")]],
  ])("177: a history with %s is one that the vendor takes", async (_, messages) => {
    script(finished);
    const { text, notices } = await hear(modelOn(wire), { messages, tools: [] });
    expect(text).toBe(finished.text);
    expect(notices).toEqual([]);
    expect(fake.requests(name)).toHaveLength(1);
  });

  test.each<[string, FakeTurn["usage"]]>([
    ["missing", null],
    ["negative", { input: -100, output: -100 }],
    ["absurd", { input: 1e12, output: 1e12 }],
  ])(
    "178: usage that is %s is estimated and priced, so budgets of tokens and of money end the run",
    async (_, usage) => {
      let city = 0;
      scriptAlways(({ body }) =>
        body.tools ? { text: "word ".repeat(50), toolCalls: [call(`city ${++city}`)], usage } : { ...finished, usage },
      );
      const price = { input: 1, output: 1 };
      const limits = { maxIterations: 30, maxToolCalls: 30, tokenBudget: 3000 };
      const { outcome } = await ask(modelOn(wire, { price }), { limits });
      expect(outcome.stop_reason).toBe("token_limit");
      const { total_tokens, cost_usd } = outcome.meta;
      expect(total_tokens).toBeGreaterThan(1000);
      expect(total_tokens).toBeLessThan(6000);
      expect(cost_usd).toBeCloseTo(total_tokens / 1e6, 9);
      expect(fake.requests(name).length).toBeLessThan(10);
      const ofMoney = await ask(modelOn(wire, { price }), {
        limits: { ...limits, tokenBudget: 1e6, costBudget: 0.003 },
      });
      expect(ofMoney.outcome.stop_reason).toBe("cost_limit");
    },
  );

  test("188: a vendor to whom everything is too long is not asked in a loop", async () => {
    const tooLong = { status: 400, body: '{"error":{"message":"prompt is too long: 300 tokens > 200 maximum"}}' };
    script({ toolCalls: [call("Oslo")] });
    scriptAlways(tooLong);
    const { outcome } = await ask(modelOn(wire), { limits: { maxIterations: 10 } });
    expect(booked).toEqual(["Oslo"]);
    expect(outcome.error?.code).toBe("context_overflow");
    expect(outcome.status).not.toBe("complete");
    expect(fake.requests(name).length).toBeLessThanOrEqual(6);
  });

  test("179: the record says that the tool failed, whatever the answer claims", async () => {
    script({ toolCalls: [call("Atlantis")] }, { text: "Done! Your room in Atlantis is booked." });
    const { outcome, events } = await ask(modelOn(wire));
    expect(outcome.response).toContain("is booked");
    expect(outcome.tool_calls).toEqual([
      expect.objectContaining({ tool: "book", ok: false, result: expect.stringContaining("No hotel in Atlantis") }),
    ]);
    expect(events.find((event) => event.type === "tool-end")).toMatchObject({ ok: false, error: { code: "tool" } });
    expect(told(1)).toContain("No hotel in Atlantis");
  });
});

describe("169: arguments that break the schema", () => {
  test("169: never reach the server downstream, and the model is told where they are wrong", async () => {
    const folder = await temporaryFolder();
    const journal = join(folder, "journal");
    const args = [fakePath, "--mode", "normal", "--journal", journal];
    const file = join(folder, "duet.config.json");
    await writeFile(file, JSON.stringify({ mcpServers: { fake: { command: process.execPath, args } } }));
    script({ toolCalls: [{ name: "fake__echo", arguments: { text: 5 } }] }, finished);
    const { outcome } = await ask(modelOn("openai-chat"), { file });
    expect(outcome.tool_calls).toMatchObject([{ ok: false, result: expect.stringMatching(/- text: .*5/) }]);
    expect(readJournal(journal).map(({ method }) => method)).toContain("tools/list");
    expect(readJournal(journal).map(({ method }) => method)).not.toContain("tools/call");
    expect(told(1)).toContain("- text: ");
  });

  test("169: name the place inside a list", async () => {
    script({ toolCalls: [{ name: "book", arguments: { city: "Oslo", nights: [1, "two"] } }] }, finished);
    const { outcome } = await ask(modelOn("openai-chat"));
    expect(booked).toEqual([]);
    expect(outcome.tool_calls[0]?.result).toMatch(/nights\W*1\W.*two/s);
  });
});

describe("170: a tool that is not on offer", () => {
  test.each([
    ["of another case", "Book", "Did you mean book?"],
    ["that is all capitals", "BOOK", "Did you mean book?"],
    ["that is made up", "rent_a_room", "Available tools: "],
    ["with a prefix that nobody gave it", "hotel__book", "Available tools: "],
    ["that every object knows", "constructor", "Available tools: "],
    ["with blanks around it", " book ", "Available tools: "],
  ])("170: a name %s is never guessed: the model is told what there is", async (_, wrong, hint) => {
    script({ toolCalls: [{ name: wrong, arguments: { city: "Oslo" } }] }, finished);
    const { outcome } = await ask(modelOn("openai-chat"));
    expect(booked).toEqual([]);
    expect(outcome.tool_calls).toMatchObject([{ tool: wrong, ok: false, result: expect.stringContaining(hint) }]);
    expect(outcome.tool_calls[0]?.result).toContain("book");
    expect(outcome.response).toBe(finished.text);
  });

  test("170: a tool that was taken away since the last question is not run", async () => {
    script({ toolCalls: [call("Oslo")] }, finished, { toolCalls: [call("Rome")] }, finished);
    const questions = [{ question: "Book a room in Oslo." }, { question: "And one in Rome.", tools: ["bell"] }];
    const { outcome } = await ask(modelOn("openai-chat"), { questions });
    expect(booked).toEqual(["Oslo"]);
    expect(outcome.tool_calls).toMatchObject([{ tool: "book", ok: false }]);
    expect(told(3)).toContain("There is no tool named book");
  });
});

describe("171: the ways in which servers number the calls of a turn", () => {
  const chunk = (calls: object[], finish: string | null = null) => ({
    choices: [{ index: 0, delta: { tool_calls: calls }, finish_reason: finish }],
  });
  const part = (more: object, called: object) => ({ type: "function", ...more, function: called });
  const end = [chunk([], "tool_calls"), "[DONE]"];
  const oslo = '{"city":"Oslo"}';
  const rome = '{"city":"Rome"}';

  test.each<[string, object[]]>([
    [
      "171: two calls under one index stay two calls",
      [
        chunk([part({ index: 0, id: "a" }, { name: "book", arguments: oslo })]),
        chunk([part({ index: 0, id: "b" }, { name: "book", arguments: rome })]),
      ],
    ],
    [
      "171: two calls without an index stay two calls",
      [
        chunk([part({ id: "a" }, { name: "book", arguments: oslo })]),
        chunk([part({ id: "b" }, { name: "book", arguments: rome })]),
      ],
    ],
    [
      "171: two calls without an index, in one delta, stay two calls",
      [chunk([part({}, { name: "book", arguments: oslo }), part({}, { name: "book", arguments: rome })])],
    ],
    [
      "171: two calls without an id get one each",
      [
        chunk([part({ index: 0 }, { name: "book", arguments: '{"city":' })]),
        chunk([part({ index: 0 }, { arguments: '"Oslo"}' })]),
        chunk([part({ index: 1, id: "" }, { name: "book", arguments: rome })]),
      ],
    ],
    [
      "171: a name that comes in fragments is one name",
      [
        chunk([part({ index: 0, id: "a" }, { name: "bo" }), part({ index: 1, id: "b" }, { name: "b" })]),
        chunk([part({ index: 0 }, { name: "ok" }), part({ index: 1 }, { name: "ook" })]),
        chunk([part({ index: 0 }, { arguments: oslo }), part({ index: 1 }, { arguments: rome })]),
      ],
    ],
    [
      "171: fragments of two calls that come by turns stay apart",
      [
        chunk([part({ index: 0, id: "a" }, { name: "book", arguments: '{"city":' })]),
        chunk([part({ index: 1, id: "b" }, { name: "book", arguments: '{"city":' })]),
        chunk([part({ index: 0 }, { arguments: '"Oslo"}' })]),
        chunk([part({ index: 1 }, { arguments: '"Rome"}' })]),
      ],
    ],
  ])("%s", async (_, chunks) => {
    script({ raw: [...chunks, ...end] }, finished);
    const { outcome } = await ask(modelOn("openai-chat"));
    expect(booked.toSorted()).toEqual(["Oslo", "Rome"]);
    const [, second] = fake.requests(name);
    const answered = listOf(second?.body.messages).flatMap((message) => message.tool_call_id ?? []);
    expect(new Set(answered).size).toBe(2);
    expect(outcome).toMatchObject({ status: "complete", response: finished.text });
  });

  test("171: a call whose id changes on the way is no call: the turn is refused, and nothing runs", async () => {
    const changing = [
      chunk([part({ index: 0, id: "a" }, { name: "book", arguments: '{"city":' })]),
      chunk([part({ index: 0, id: "b" }, { arguments: '"Oslo"}' })]),
      ...end,
    ];
    scriptAlways({ raw: changing });
    const { outcome } = await ask(modelOn("openai-chat"));
    expect(booked).toEqual([]);
    expect(outcome).toMatchObject({ status: "failed", error: { code: "bad_response" } });
    expect(fake.requests(name)).toHaveLength(4);
  });
});

interface Ending {
  status: Outcome["status"];
  stop: Outcome["stop_reason"];
  code?: string;
  /** How often the vendor is asked. */
  asked: number;
  /** What the error tells of the model's words. */
  message?: string;
}

const empty: Ending = { status: "failed", stop: "error", code: "bad_response", asked: 4 };
/** The reader has heard something: it is not said twice. */
const emptyHeard: Ending = { ...empty, asked: 1 };
const unknown: Ending = { ...empty, asked: 1 };
const cut: Ending = { status: "partial", stop: "length", asked: 1 };
const refused: Ending = { status: "partial", stop: "refused", asked: 1 };
/** The decide turn gave no word, so the answer is asked for. */
const cutEmpty: Ending = { status: "failed", stop: "error", code: "bad_response", asked: 2 };
const refusedEmpty: Ending = { status: "failed", stop: "refused", code: "content_filter", asked: 2 };
const noHelp = "I cannot help with that.";
const refusedInWords: Ending = { ...refusedEmpty, message: `The model refused to answer: ${noHelp}` };
const down = (code: string): Ending => ({ status: "failed", stop: "error", code, asked: 4 });

const chatChunk = (delta: object, finish: unknown) => ({ choices: [{ index: 0, delta, finish_reason: finish }] });

const endings: Record<WireName, [string, FakeTurn, Ending][]> = {
  "openai-chat": [
    ["stop", { text: "Hi." }, { status: "complete", stop: "answered", asked: 1 }],
    ["nothing at all", {}, empty],
    ["only reasoning", { reasoning: "Hm." }, emptyHeard],
    ["only white space", { text: " \n\t" }, emptyHeard],
    ["length behind text", { text: "Half", finish: "length" }, cut],
    ["length and no text", { finish: "length" }, cutEmpty],
    ["max_tokens", { text: "Half", finish: "max_tokens" }, cut],
    ["model_context_window_exceeded", { text: "Half", finish: "model_context_window_exceeded" }, cut],
    ["content_filter behind text", { text: "Half", finish: "content_filter" }, refused],
    ["content_filter and no text", { finish: "content_filter" }, refusedEmpty],
    ["refusal", { text: "Half", finish: "refusal" }, refused],
    [
      "a refusal in words",
      { raw: [chatChunk({ refusal: noHelp }, null), chatChunk({}, "stop"), "[DONE]"] },
      refusedInWords,
    ],
    ["insufficient_system_resource", { finish: "insufficient_system_resource" }, down("overloaded")],
    ["MALFORMED_FUNCTION_CALL", { finish: "MALFORMED_FUNCTION_CALL" }, down("server")],
    ["pause_turn", { finish: "pause_turn" }, unknown],
    ["a word that nobody knows", { finish: "tired" }, unknown],
    ["a word that nobody knows behind text", { text: "Hi.", finish: "tired" }, { ...unknown, status: "partial" }],
    ["null to the end", { raw: [chatChunk({ content: "" }, null), chatChunk({}, null)] }, empty],
    ["no candidates", { raw: [{ choices: [], usage: { prompt_tokens: 3, completion_tokens: 0 } }, "[DONE]"] }, empty],
    [
      "no candidates and a blockReason",
      { raw: [{ choices: [], promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }, "[DONE]"] },
      empty,
    ],
  ],
  "openai-responses": [
    ["completed", { text: "Hi." }, { status: "complete", stop: "answered", asked: 1 }],
    ["nothing at all", {}, empty],
    ["only reasoning", { reasoning: "Hm." }, emptyHeard],
    ["only white space", { text: " \n\t" }, emptyHeard],
    ["max_output_tokens behind text", { text: "Half", finish: "max_output_tokens" }, cut],
    ["max_output_tokens and no text", { finish: "max_output_tokens" }, cutEmpty],
    ["content_filter behind text", { text: "Half", finish: "content_filter" }, refused],
    ["content_filter and no text", { finish: "content_filter" }, refusedEmpty],
    [
      "a refusal in words",
      {
        raw: [
          { type: "response.refusal.delta", output_index: 0, delta: noHelp },
          { type: "response.completed", response: { output: [] } },
        ],
      },
      refusedInWords,
    ],
    ["failed", { finish: "failed" }, down("server")],
    ["a word that nobody knows", { finish: "tired" }, unknown],
  ],
  "anthropic-messages": [
    ["end_turn", { text: "Hi." }, { status: "complete", stop: "answered", asked: 1 }],
    ["nothing at all", {}, empty],
    ["only reasoning", { reasoning: "Hm." }, emptyHeard],
    ["only white space", { text: " \n\t" }, emptyHeard],
    ["stop_sequence", { text: "Hi.", finish: "stop_sequence" }, { status: "complete", stop: "answered", asked: 1 }],
    ["max_tokens behind text", { text: "Half", finish: "max_tokens" }, cut],
    ["max_tokens and no text", { finish: "max_tokens" }, cutEmpty],
    ["model_context_window_exceeded", { text: "Half", finish: "model_context_window_exceeded" }, cut],
    ["model_context_window_exceeded and no text", { finish: "model_context_window_exceeded" }, cutEmpty],
    ["refusal behind text", { text: "Half", finish: "refusal" }, refused],
    ["refusal and no text", { finish: "refusal" }, refusedEmpty],
    [
      "a refusal in words",
      {
        raw: [
          { type: "message_delta", delta: { stop_reason: "refusal", stop_details: { explanation: noHelp } } },
          { type: "message_stop" },
        ],
      },
      refusedInWords,
    ],
    ["pause_turn", { finish: "pause_turn" }, unknown],
    ["a word that nobody knows", { finish: "tired" }, unknown],
  ],
};

describe.each(wires)("173: how a turn may end over %s", (wire) => {
  test.each(endings[wire])("173: %s", async (_, reply, { status, stop, code, asked, message }) => {
    scriptAlways(reply);
    const { outcome } = await ask(modelOn(wire));
    expect(outcome).toMatchObject({ status, stop_reason: stop });
    expect(outcome.error?.code).toBe(code);
    if (message !== undefined) expect(outcome.error?.message).toBe(message);
    expect(fake.requests(name)).toHaveLength(asked);
    // An answer has words, and what has none is no success.
    expect(outcome.success).toBe(outcome.response.trim() !== "");
  });
});

describe("174: reasoning that its author wants back", () => {
  const thought = ' Oslo,\n雨 or 🌧?\t"{}" \n';
  const signature = "c2lnbmVkIQ/+==";
  const authors: [string, WireName, Partial<ModelSettings>, (body: Record<string, unknown>) => unknown, unknown][] = [
    [
      "DeepSeek",
      "openai-chat",
      { quirks: { echoReasoning: true } },
      ({ messages }) => listOf(messages).find(({ role }) => role === "assistant")?.reasoning_content,
      thought,
    ],
    [
      "Gemini",
      "openai-chat",
      { provider: "gemini" },
      ({ messages }) => listOf(listOf(messages).find(({ role }) => role === "assistant")?.tool_calls)[0]?.extra_content,
      { google: { thought_signature: signature } },
    ],
    [
      "Claude",
      "anthropic-messages",
      {},
      ({ messages }) => listOf(listOf(messages).find(({ role }) => role === "assistant")?.content)[0],
      { type: "thinking", thinking: thought, signature },
    ],
    [
      "OpenAI on Responses",
      "openai-responses",
      {},
      ({ input }) => listOf(input).find(({ type }) => type === "reasoning")?.encrypted_content,
      encryptedFor(name),
    ],
  ];

  test.each(authors)("174: %s gets it byte for byte, and the model that answers gets nothing of it", async (...row) => {
    const [, wire, changes, find, expected] = row;
    const answer = modelOn(wire === "anthropic-messages" ? "openai-responses" : "anthropic-messages", {
      model: "strong",
    });
    script({ reasoning: thought, signature, toolCalls: [call("Oslo")] }, finished);
    fake.script("strong", { text: "There is a room for you." });
    const { outcome } = await ask(modelOn(wire, changes), { answer });
    expect(outcome).toMatchObject({ status: "complete", response: "There is a room for you." });
    expect(find(fake.requests(name)[1]?.body ?? {})).toEqual(expected);
    const [handed] = fake.requests("strong");
    expect(JSON.stringify(handed?.body)).toContain("One room in Oslo is booked");
    for (const own of ["雨", signature, encryptedFor(name)]) expect(JSON.stringify(handed?.body)).not.toContain(own);
  });
});

function user(content: string): Message {
  return { role: "user", content };
}

function asking(...ids: string[]): Message {
  const toolCalls = ids.map((id) => ({ id, name: "book", argumentsText: "{}", arguments: {} }));
  return { role: "assistant", content: "", toolCalls };
}

function result(callId: string): Message {
  return { role: "tool", callId, tool: "book", content: `The result of ${callId}.`, ok: true };
}

const words: Record<WireName, { length: string; stop: string }> = {
  "openai-chat": { length: "length", stop: "stop" },
  "openai-responses": { length: "max_output_tokens", stop: "completed" },
  "anthropic-messages": { length: "max_tokens", stop: "end_turn" },
};
