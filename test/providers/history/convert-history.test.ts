import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AssistantMessage, Message, ToolCall } from "../../../src/core/model/messages.ts";
import { isBlank } from "../../../src/kit/text/is-blank.ts";
import { convertHistory, toWireToolName } from "../../../src/providers/history/convert-history.ts";
import { parseArguments } from "../../../src/providers/wires/tool-fragments.ts";
import { anyText } from "../../fakes/any-text.ts";
import { listOf, recordOf } from "../../fakes/provider-rules.ts";
import { settings, weather } from "../reading.ts";
import {
  bodyOf,
  createMemory,
  refusalOf,
  turnOf,
  type WireCase,
  wireCases,
  wirePairs,
} from "./convert-history-cases.ts";

describe.each(wirePairs)("a conversation of $from.name handed to $to.name", ({ from, to }) => {
  test("is taken, and loses neither text nor call nor result", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), fc.boolean(), (steps, offersTools) => {
        const { messages, calls, texts, memory } = play(steps, from, to);
        const request = { messages, tools: offersTools ? [weather] : [] };
        expect(refusalOf(request, to, memory)).toBeUndefined();
        const body = bodyOf(request, to.settings);
        expect(callsIn(body)).toEqual(calls);
        expectInOrder(JSON.stringify(body), texts);
      }),
      // For each of many pairs.
      { numRuns: 12 },
    );
  });
});

describe.each(wireCases)("handing over to $name", (to) => {
  const other = wireCases.find(({ name }) => name !== to.name) ?? to;

  test("changes nothing the second time, and never its input", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const { messages } = play(steps, other, to);
        const before = structuredClone(messages);
        const once = convertHistory(deepFreeze(messages), to.settings);
        expect(messages).toEqual(before);
        expect(convertHistory(once, to.settings)).toEqual(once);
      }),
      { numRuns: 25 },
    );
  });

  test("gives the author its own words back, and nobody else's reasoning to anybody", () => {
    const memory = createMemory();
    const turns = [to, other].map((author) => turnOf({ reasoning: "Secret musings.", text: "Rain." }, author, memory));
    const messages: Message[] = turns.flatMap(({ message }) => [{ role: "user", content: "And?" }, message]);
    const [own, foreign] = convertHistory(messages, to.settings).filter((message) => message.role === "assistant");
    expect(own).toEqual(turns[0]?.message);
    expect(foreign).toMatchObject({ role: "assistant", content: "Rain.", toolCalls: [] });
    expect(foreign).not.toHaveProperty("reasoning");
    expect(foreign).not.toHaveProperty("native");
    const strangers = [messages[0], messages[2], messages[3], messages[0]].filter((message) => message !== undefined);
    expect(JSON.stringify(bodyOf({ messages: strangers, tools: [] }, to.settings))).not.toContain("musings");
  });
});

describe("a conversation that anybody would refuse", () => {
  const claude: WireCase["settings"] = settings({ wire: "anthropic-messages" });
  const say = (content: string): Message => ({ role: "user", content });
  const ask = (...calls: ToolCall[]): Message => ({ role: "assistant", content: "", toolCalls: calls });
  const made = (id: string, more: Partial<ToolCall> = {}): ToolCall => {
    return { id, name: "weather", argumentsText: "{}", arguments: {}, ...more };
  };
  const answer = (callId: string, content: string): Message => {
    return { role: "tool", callId, tool: "weather", content, ok: true };
  };

  test("has its system messages put first, as one", () => {
    const messages = [say("Hi."), { role: "system", content: "Be brief." }, { role: "system", content: "Be kind." }];
    expect(convertHistory(messages as Message[], claude)).toEqual([
      { role: "system", content: "Be brief.\n\nBe kind." },
      say("Hi."),
    ]);
  });

  test("begins and ends with the user, and has nobody speak twice in a row", () => {
    const spoken = (content: string): Message => ({ role: "assistant", content, toolCalls: [] });
    const messages = [spoken("Hello."), spoken("Anybody?"), say("Yes."), say(" "), say("Rain?"), spoken("Rain.")];
    expect(convertHistory(messages, claude)).toEqual([
      say("(continue)"),
      spoken("Hello."),
      say("(continue)"),
      spoken("Anybody?"),
      say("Yes.\n\nRain?"),
      spoken("Rain."),
      say("(continue)"),
    ]);
    expect(convertHistory([], claude)).toEqual([say("(continue)")]);
  });

  test("has each call followed by its own result: late ones come, lost ones are told, stray ones go", () => {
    const messages = [say("Go."), ask(made("a"), made("b")), say("Hm."), answer("b", "rain"), answer("c", "stray")];
    expect(convertHistory(messages, claude)).toEqual([
      say("Go."),
      ask(made("a"), made("b")),
      { ...answer("a", "This call was not run."), ok: false },
      answer("b", "rain"),
      say("Hm."),
    ]);
  });

  test("gets arguments that are JSON, and text that is Unicode", () => {
    const broken = made("a", { argumentsText: '{"city":"Ber', arguments: undefined });
    const messages = [
      say("Go \ud800."),
      ask(broken, made("b", { argumentsText: "" })),
      answer("a", " "),
      answer("b", "x"),
    ];
    expect(convertHistory(messages, claude)).toEqual([
      say("Go \ufffd."),
      ask(made("a"), made("b")),
      answer("a", "(empty)"),
      answer("b", "x"),
    ]);
  });

  test.each<[string, Partial<WireCase["settings"]>, string[]]>([
    ["Anthropic", { wire: "anthropic-messages" }, ["functions_add_0", "functions_add_0-2", "x".repeat(64), "call"]],
    ["OpenAI", { wire: "openai-chat" }, ["functions.add:0", "functions_add_0", "x".repeat(32), "call"]],
    [
      "Mistral",
      { quirks: { nineLetterIds: true } },
      ["ionsadd0".padStart(9, "t"), "tionsadd2", "x".repeat(9), "000000000"],
    ],
  ])("gets ids that %s takes, each once", (_, more, ids) => {
    const written = ["functions.add:0", "functions.add:0", "x".repeat(64), ""];
    const messages = written.flatMap((id) => [say("Go."), ask(made(id)), answer(id, "rain")]);
    const handed = convertHistory(messages, settings(more));
    expect(
      handed.flatMap((message) => (message.role === "assistant" ? message.toolCalls.map((call) => call.id) : [])),
    ).toEqual(ids);
    expect(handed.flatMap((message) => (message.role === "tool" ? message.callId : []))).toEqual(ids);
  });

  test("may be about tools that are no longer on offer", () => {
    const request = { messages: [say("Go."), ask(made("a")), answer("a", "rain"), say("And?")], tools: [] };
    expect(bodyOf(request, claude)).toMatchObject({
      tools: [{ name: "weather", input_schema: { type: "object" } }],
      tool_choice: { type: "none" },
    });
  });
});

/** One thing that happens in a conversation. */
type Step =
  | { kind: "user" | "system" | "empty"; text: string }
  | { kind: "orphan" }
  | { kind: "turn"; by: "from" | "to" | "nobody"; turn: Scripted; late: boolean };

interface Scripted {
  text: string;
  reasoning: string | undefined;
  redacted: string | undefined;
  calls: { id: string; name: string; text: string; result: string | undefined }[];
}

const text = fc.oneof(anyText(), fc.string(), fc.constantFrom("", " \n", "晴 🌤 \u0000", 'a "b" \\n', "<thought>"));
const name = fc.oneof(fc.constantFrom("weather", "get_time"), fc.string({ minLength: 1, maxLength: 90 }));
const argumentsText = fc.oneof(
  fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value)),
  fc.constantFrom("", "null", "{", '"text"', "[1]", ' {"spaced" : 1} ', '{"a":1}{"a":1}'),
);
const id = fc.oneof(
  fc.constantFrom("call_fake_1", "call_fake_2", "functions.add:0", "a b", "", "call_fake_1-2", "constructor"),
  fc.string({ maxLength: 90 }),
);
const call = fc.record({
  id,
  name,
  text: argumentsText,
  result: fc.option(text, { nil: undefined }),
});
const turn: fc.Arbitrary<Scripted> = fc.record({
  text,
  reasoning: fc.option(fc.oneof(fc.constant(""), anyText({ minLength: 1 })), { nil: undefined }),
  redacted: fc.option(fc.base64String(), { nil: undefined }),
  calls: fc.array(call, { maxLength: 4 }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("user" as const), text: fc.oneof(text, fc.constant("half \ud800")) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("system" as const, "empty" as const), text }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("orphan" as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("turn" as const),
      by: fc.constantFrom("from" as const, "to" as const, "nobody" as const),
      turn,
      late: fc.boolean(),
    }),
  },
);

interface Played {
  messages: Message[];
  /** What must be found in a request, in this order. */
  calls: FoundCall[];
  texts: string[];
  memory: ReturnType<typeof createMemory>;
}

interface FoundCall {
  name: string;
  arguments: unknown;
  result: string;
}

function play(steps: readonly Step[], from: WireCase, to: WireCase): Played {
  const memory = createMemory();
  const played: Played = { messages: [], calls: [], texts: [], memory };
  const { messages } = played;
  for (const [position, step] of steps.entries()) {
    if (step.kind === "orphan") {
      messages.push({ role: "tool", callId: `lost-${position}`, tool: "weather", content: "lost", ok: true });
    } else if (step.kind === "turn") {
      const author = step.by === "from" ? from : to;
      const message = step.by === "nobody" ? byNobody(step.turn) : byAuthor(step.turn, author, memory, messages);
      if (message) add(played, message, step);
    } else {
      const role = step.kind === "empty" ? "assistant" : step.kind;
      const content = step.kind === "empty" ? " \n" : step.text;
      messages.push(role === "assistant" ? { role, content, toolCalls: [] } : { role, content });
      if (role === "user") played.texts.push(content);
    }
  }
  return played;
}

function add(
  { messages, calls, texts }: Played,
  message: AssistantMessage,
  step: Extract<Step, { kind: "turn" }>,
): void {
  messages.push(message);
  texts.push(message.content);
  // A later turn may use an id again, so only ids that are the vendor's own can wait for their results.
  const late = step.late && step.by !== "nobody";
  if (late) {
    messages.push({ role: "user", content: "Meanwhile." });
    texts.push("Meanwhile.");
  }
  message.toolCalls.forEach((made, position) => {
    const result = step.turn.calls[position]?.result;
    const sound = made.arguments !== undefined && made.argumentsText.trimStart().startsWith("{");
    calls.push({
      name: toWireToolName(made.name),
      arguments: sound ? JSON.parse(made.argumentsText.toWellFormed()) : {},
      result:
        result === undefined
          ? "This call was not run."
          : result.toWellFormed().trim()
            ? result.toWellFormed()
            : "(empty)",
    });
    if (result === undefined) return;
    messages.push({ role: "tool", callId: made.id, tool: made.name, content: result, ok: true });
  });
}

function byAuthor(
  { text, reasoning, redacted, calls }: Scripted,
  author: WireCase,
  memory: Played["memory"],
  asked: Message[],
): AssistantMessage | undefined {
  if (calls.length === 0 && isBlank(text)) return undefined;
  const toolCalls = calls.map(({ name, text }) => ({ name, arguments: text }));
  const thinks = author.settings.wire === "anthropic-messages" ? { redacted } : {};
  return turnOf({ text, reasoning, toolCalls, ...thinks }, author, memory, asked).message;
}

/** A turn that came from elsewhere: a model that is gone, or a conversation that was kept. */
function byNobody({ text, reasoning, calls }: Scripted): AssistantMessage {
  const seen = new Set<string>();
  const toolCalls = calls.map((call, position): ToolCall => {
    let { id } = call;
    while (seen.has(id)) id += position;
    seen.add(id);
    return { id, name: call.name, argumentsText: call.text, arguments: parseArguments(call.text) };
  });
  return { role: "assistant", content: text, reasoning, toolCalls };
}

function callsIn(body: Record<string, unknown>): FoundCall[] {
  const items = listOf(body.input ?? body.messages).flatMap((item) => [item, ...listOf(item.content)]);
  const chat = items.flatMap((item) => listOf(item.tool_calls)).map((call) => recordOf(call.function));
  const calls = [...chat, ...items.filter((item) => item.type === "function_call" || item.type === "tool_use")];
  const results = items.flatMap((item) => {
    if (item.type === "function_call_output") return item.output;
    return item.role === "tool" || item.type === "tool_result" ? item.content : [];
  });
  expect(results).toHaveLength(calls.length);
  return calls.map(({ name, arguments: written, input }, position) => ({
    name: String(name),
    arguments: input ?? JSON.parse(String(written)),
    result: String(results[position]),
  }));
}

function expectInOrder(body: string, texts: readonly string[]): void {
  let from = 0;
  for (const text of texts.filter((text) => text.trim() !== "")) {
    const escaped = JSON.stringify(text.toWellFormed()).slice(1, -1);
    const found = body.indexOf(escaped, from);
    expect(found, `${escaped} in ${body}`).toBeGreaterThanOrEqual(0);
    from = found + escaped.length;
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
