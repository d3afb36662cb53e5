import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createToolResults } from "../../../src/agent/tools/tool-results.ts";
import { toPlainText } from "../../../src/core/model/message-content.ts";
import type { Message } from "../../../src/core/model/messages.ts";
import type { Model } from "../../../src/core/model/model.ts";
import type { WireName } from "../../../src/core/model/model-settings.ts";
import type { Tool, ToolContext, ToolResult } from "../../../src/core/tools/tool.ts";
import { createModel } from "../../../src/providers/create-model.ts";
import { makeTool, noticesOf, outcomeOf } from "../../fakes/events.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { type FakeProvider, startFakeProvider } from "../../fakes/provider.ts";
import { runAll } from "../../fakes/run.ts";
import { settings } from "../../providers/reading.ts";
import { patienceMs } from "../../runner/patience.ts";

const call = { id: "1", name: "page", input: {} };

describe("a result that is too long to be read at once", () => {
  test("is read as head and tail, and the line between says how much is missing and how to read on", () => {
    const { results, tools } = open();
    const text = lines(5000);
    const read = results.read(text, "text");
    const [, count = "", from = ""] =
      /\n…\[([\d,]+) characters left out; read_result \{"result": 1, "from": (\d+)\} reads on\]…\n/.exec(read) ?? [];
    const [head = "", tail = ""] = read.split(/\n…\[.*\]…\n/);
    expect(read.length).toBeLessThanOrEqual(1000);
    expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
    expect(head).toMatch(/\n$/);
    expect(Number(from)).toBe(head.length);
    expect(Number(count.replaceAll(",", ""))).toBe(text.length - head.length - tail.length);
    expect([...tools.keys()]).toEqual(["read_result"]);
  });

  test("can be read to its end, piece by piece, by following what each piece says", async () => {
    const words = fc.array(fc.constantFrom("word ", "汉字。", "😀", "\n", "x".repeat(700)), { minLength: 500 });
    await fc.assert(
      fc.asyncProperty(words, async (all) => {
        const { results, tools } = open();
        const text = all.join("");
        const first = results.read(text, "text");
        if (text.length <= 1000) return expect(first).toBe(text);
        let [whole, next] = parse(first);
        while (next !== undefined) {
          const { ok, text: piece } = await ask(tools, next);
          expect(ok).toBe(true);
          expect(piece.length).toBeLessThanOrEqual(1000);
          const [read, then] = parse(piece);
          whole += read;
          next = then;
        }
        expect(whole).toBe(text);
      }),
      { numRuns: 30 },
    );
  });

  test("has one number however often it comes, so that the same call is seen to bring the same", () => {
    const { results } = open();
    const text = lines(3000);
    expect(results.read(`${text}.`, "text")).toContain('"result": 1,');
    expect(results.read(text, "text")).toContain('"result": 2,');
    expect(results.read(text, "text")).toBe(results.read(text, "text"));
  });

  test("can be shortened further, and the line still tells the place in the whole", async () => {
    const { results, tools } = open();
    const text = lines(3000);
    const shorter = results.shorten(results.read(text, "text"), 400, true);
    expect(shorter.length).toBeLessThanOrEqual(400);
    const [head, next] = parse(shorter);
    const { text: more } = await ask(tools, next ?? {});
    expect(text.startsWith(head + parse(more)[0])).toBe(true);
  });

  test.each(["en", "zh"] as const)(
    "tells what is missing of the whole also where an earlier turn has read it (%s)",
    (language) => {
      const text = lines(30_000);
      const read = open(language).results.read(text, "text");
      const { results } = open(language === "en" ? "zh" : "en");
      results.learn(() => [{ n: 1, text: read }]);
      const cuts = [results.shorten(read, 700, true), results.shorten(read, 400, false)];
      for (const cut of [...cuts, ...cuts.map((one) => results.shorten(one, 300, true))]) {
        const { head = "", count = "", from, tail = "" } = gap.exec(cut)?.groups ?? {};
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect(Number(count.replaceAll(",", ""))).toBe(text.length - head.length - tail.length);
        expect(from ?? String(head.length)).toBe(String(head.length));
      }
    },
  );

  test("counts nothing from a line that a tool made up", () => {
    const { results } = open();
    const made = `${lines(400)}\n…[9,999 characters left out; read_result {"result": 1, "from": 7} reads on]…\n${lines(400)}`;
    results.learn(() => [{ n: 1, text: made }]);
    expect(results.shorten(made, 300, true)).not.toMatch(/\d,\d\d\d characters/);
  });

  test("is cut without a way to read on where the model has no tools", () => {
    const { results } = open("zh");
    const read = results.read("字".repeat(5000), "text");
    expect(read).toMatch(/\n…\[省略 4,\d\d\d 个字符；用 read_result \{"result": 1, "from": \d+\} 继续读取\]…\n/);
    expect(results.shorten(read, 400, false)).toMatch(/\n…\[省略 4,\d\d\d 个字符\]…\n/);
  });

  test("is the same, down to each further cut, for a reader who cannot read on", () => {
    const { results } = open();
    const text = lines(3000);
    const plain = results.removePointer(results.read(text, "text"));
    expect(plain).toMatch(/\n…\[[\d,]+ characters left out\]…\n/);
    expect(results.shorten(plain, 400, false).split("left out")).toHaveLength(2);
    const short = lines(900);
    results.shorten(short, 400, true);
    expect(results.removePointer(short)).toBe(short);
  });

  test("is not cut for being made of sources, unless it is huge", () => {
    const { results } = open();
    expect(results.read("s".repeat(4000), "sources")).toHaveLength(4000);
    expect(results.read("s".repeat(4001), "sources").length).toBeLessThanOrEqual(4000);
  });

  test("is kept up to two million characters, and all results of a run up to twenty", async () => {
    const { results, tools } = open();
    for (let n = 1; n <= 9; n++) results.read(`${n}${"x".repeat(3_000_000)}`, "text");
    const { text } = await ask(tools, { result: 9, from: 1_999_000 });
    expect(text).not.toContain("reads on");
    results.read(`last${"x".repeat(1_900_000)}`, "text");
    const unkept = results.read("y".repeat(2_000_000), "text");
    expect(unkept).toMatch(/\n…\[[\d,]+ characters left out\]…\n/);
    expect(unkept.length).toBeLessThanOrEqual(1000);
  });
});

describe("read_result", () => {
  test.each([
    [
      {},
      "result: must be a result number given in the conversation, of a result that is still kept (current value: undefined)",
    ],
    [
      { result: "1" },
      'result: must be a result number given in the conversation, of a result that is still kept (current value: "1")',
    ],
    [
      { result: 7 },
      "result: must be a result number given in the conversation, of a result that is still kept (current value: 7)",
    ],
    [{ result: 1, from: 5000 }, "from: must be a whole number from 0 to 4999 (current value: 5000)"],
    [{ result: 1, from: 1.5 }, "from: must be a whole number from 0 to 4999 (current value: 1.5)"],
    [{ result: 1, start: 3 }, "start: this field is not allowed (allowed: result, from)"],
    [
      { number: 1, offset: 3 },
      "number: this field is not allowed (allowed: result, from)\n- offset: this field is not allowed (allowed: result, from)\n- result: must be a result number given in the conversation, of a result that is still kept (current value: undefined)",
    ],
  ])("says what is wrong with %j", async (input, problem) => {
    const { results, tools } = open();
    results.read("x".repeat(5000), "text");
    const { ok, error } = await ask(tools, input);
    expect(ok).toBe(false);
    expect(error?.code).toBe("invalid_arguments");
    expect(error?.message).toContain(`- ${problem}\n`);
  });

  test("takes another name where a tool of the user's has its own", () => {
    const theirs = makeTool("read_result", () => ({ ok: true, text: "theirs" }));
    const tools = new Map<string, Tool>([["read_result", theirs]]);
    const results = createToolResults({ tools, longest: 1000, language: "en" });
    expect(results.read("x".repeat(5000), "text")).toContain('duet_read_result {"result": 1');
    expect(tools.get("read_result")).toBe(theirs);
    expect(tools.get("duet_read_result")).toBe(results.findTool());
  });
});

describe("in a run", () => {
  test("the model gets the reading tool with the first result that was cut, and reads on with it", async () => {
    const page = lines(30_000);
    const second = { id: "2", name: "read_result", input: { result: 1, from: 20_000 } };
    const model = scriptedModel([[call], [second], "Done."]);
    const events = await runAll({ models: one(model), tools: [pageOf(page)] });

    expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ["page"],
      ["page", "read_result"],
      ["page", "read_result"],
    ]);
    const [first = "", then = ""] = toolTexts(model.requests[2]?.messages);
    expect(first.length).toBeLessThan(20_100);
    expect(then).toContain(page.slice(20_000, 20_500));
    const outcome = outcomeOf(events);
    expect(outcome).toMatchObject({ status: "complete", response: "Done.", meta: { tool_calls_count: 2 } });
    expect(Math.max(...outcome.tool_calls.map(({ result }) => result.length))).toBeLessThanOrEqual(20_000);
  });

  test("the answer model, which has no tools, reads the same head and tail and nothing of a tool to read on with", async () => {
    const answer = scriptedModel(["Done."]);
    const functionCall = scriptedModel([[call], "enough"]);
    await runAll({ models: { functionCall, answer }, tools: [pageOf(lines(30_000))] });
    const asked = answer.requests[0]?.messages.at(-1)?.content ?? "";
    expect(asked).toMatch(/\n…\[10,\d\d\d characters left out\]…\nLine \d+ of the page\./);
    expect(asked).not.toContain("read_result");
    expect(answer.requests[0]?.tools).toEqual([]);
  });

  test("there is no reading tool while nothing is cut", async () => {
    const model = scriptedModel([[call], "Done."]);
    await runAll({ models: one(model), tools: [pageOf("short")] });
    expect(model.requests[1]?.tools.map(({ name }) => name)).toEqual(["page"]);
  });

  test("a model with a small window reads less of a result, and so does one beside it", async () => {
    const functionCall = scriptedModel([[call], "enough"]);
    const answer = { ...scriptedModel(["Done."]), contextWindow: 8000 };
    await runAll({ models: { functionCall, answer }, tools: [pageOf(lines(30_000))] });
    const [text = ""] = toolTexts(functionCall.requests[1]?.messages);
    expect(text.length).toBeGreaterThan(4000);
    expect(text.length).toBeLessThan(5100);
  });

  test("a model that says that a request is too long gets a third of it, once, and then no more than that", async () => {
    const provider = await startFakeProvider();
    try {
      const tooLong = { status: 400, body: contextOverflow };
      const calls = (id: string) => ({ toolCalls: [{ id, name: "page", arguments: { id } }] });
      provider.script("m", calls("a"), tooLong, calls("b"), { text: "Done." });
      const model = modelAt(provider, "openai-chat", undefined);
      const pages = makeTool("page", (args) => ({ ok: true, text: `${JSON.stringify(args)}\n${lines(15_000)}` }));
      const events = await runAll({ models: one(model), tools: [pages], limits: { maxToolCalls: 9 } });
      expect(outcomeOf(events)).toMatchObject({ status: "complete", response: "Done." });
      expect(noticesOf(events)).toEqual(["results-shortened"]);
      const sizes = provider.journal.map(({ body }) => JSON.stringify(body.messages).length);
      expect(sizes[1]).toBeGreaterThan(15_000);
      expect(sizes[2]).toBeLessThan(8000);
      expect(sizes[3]).toBeLessThan(8000);
    } finally {
      await provider.close();
    }
  });

  test("a model that refuses even the shortened request ends the run with its error, after two requests", async () => {
    const provider = await startFakeProvider();
    try {
      const tooLong = { status: 400, body: contextOverflow };
      provider.script("m", tooLong, tooLong, tooLong);
      const question = "word ".repeat(20_000);
      const events = await runAll({ models: one(modelAt(provider, "openai-chat", undefined)), question });
      expect(outcomeOf(events)).toMatchObject({ status: "failed", error: { code: "context_overflow" } });
      expect(provider.journal).toHaveLength(2);
    } finally {
      await provider.close();
    }
  });
});

// docs/development/faults-models.md#case-188.
describe("ten results of five megabytes each", () => {
  const wires: WireName[] = ["openai-chat", "openai-responses", "anthropic-messages"];

  test.each(wires)("never reach a model with more than its window (%s)", async (wire) => {
    const provider = await startFakeProvider();
    try {
      const contextWindow = 32_000;
      const rounds = Array.from({ length: 5 }, (_, n) => ({
        toolCalls: [0, 1].map((k) => ({ id: `call_${n}_${k}`, name: "page", arguments: { n: 2 * n + k } })),
      }));
      provider.script("m", ...rounds, { text: "enough" });
      provider.script("strong", { text: "All ten pages are the same." });
      const big = makeTool("page", (args) => ({ ok: true, text: JSON.stringify(args) + "data ".repeat(1_000_000) }));
      const events = await runAll({
        models: {
          functionCall: modelAt(provider, wire, contextWindow),
          answer: { ...modelAt(provider, wire, contextWindow, "strong") },
        },
        tools: [big],
        limits: { maxToolCalls: 11, maxIterations: 10, tokenBudget: 1_000_000 },
      });

      expect(outcomeOf(events)).toMatchObject({ status: "complete", response: "All ten pages are the same." });
      expect(provider.journal).toHaveLength(7);
      expect(provider.unused()).toEqual([]);
      // Of the wires, Responses alone says that "enough" begins an answer, which the other model writes.
      const stopped = wire === "openai-responses" ? ["decider-stopped"] : [];
      expect(noticesOf(events)).toEqual(["results-shortened", ...stopped]);
      // Every token is at least a byte, and of these words five.
      for (const { body } of provider.journal) expect(JSON.stringify(body).length).toBeLessThan(5 * contextWindow);
      expect(JSON.stringify(events).length).toBeLessThan(1_000_000);
    } finally {
      await provider.close();
    }
  });
});

const contextOverflow = JSON.stringify({
  error: {
    message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    type: "invalid_request_error",
    param: "messages",
    code: "context_length_exceeded",
  },
});

function open(language: "zh" | "en" = "en") {
  const tools = new Map<string, Tool>();
  return { tools, results: createToolResults({ tools, longest: 1000, language }) };
}

async function ask(tools: Map<string, Tool>, input: object): Promise<ToolResult> {
  const tool = tools.get("read_result");
  if (tool === undefined) throw new Error("there is no read_result");
  return tool.run(JSON.parse(JSON.stringify(input)), context);
}

const context: ToolContext = {
  signal: new AbortController().signal,
  locale: "en",
  progress() {},
  notice() {},
};

/** What stands around the line that says what is missing, in either language. */
const gap =
  /^(?<head>[\s\S]*)\n…\[(?:省略 )?(?<count>[\d,]+) (?:characters|个字符)(?:[^\n]*"from": (?<from>\d+))?[^\n]*\]…\n(?<tail>[\s\S]*)$/;

/** What stands before the line that reads on, and the arguments in that line. */
function parse(text: string): [string, object | undefined] {
  const found = /^([\s\S]*)\n…\[[^\n]*read_result (\{[^\n]*\}) reads on\]…/.exec(text);
  return found ? [found[1] ?? "", JSON.parse(found[2] ?? "{}")] : [text, undefined];
}

function lines(characters: number): string {
  const line = (n: number): string => `Line ${n} of the page.\n`;
  let text = "";
  for (let n = 1; text.length < characters; n++) text += line(n);
  return text.slice(0, characters);
}

function pageOf(text: string): Tool {
  return makeTool("page", () => ({ ok: true, text }));
}

function one(model: Model): { functionCall: Model; answer: Model } {
  return { functionCall: model, answer: model };
}

function toolTexts(messages: readonly Message[] = []): string[] {
  return messages.filter(({ role }) => role === "tool").map(({ content }) => toPlainText(content, "en"));
}

function modelAt(provider: FakeProvider, wire: WireName, contextWindow: number | undefined, model = "m"): Model {
  const baseUrl = wire === "anthropic-messages" ? provider.anthropicUrl : provider.openaiUrl;
  return createModel(settings({ wire, baseUrl, model, contextWindow, timeoutMs: patienceMs }));
}

test("a result that is barely too long is read whole", () => {
  const results = createToolResults({ tools: new Map(), longest: 20_000, language: "en" });
  const text = "line\n".repeat(4_300);
  expect(results.read(text, "text")).toBe(text);
});

test("what was read on of a result stands in its place in that result, and the gaps that remain are named", async () => {
  const tools = new Map<string, Tool>();
  const results = createToolResults({ tools, longest: 1000, language: "en" });
  const text = Array.from({ length: 2000 }, (_, index) => `line ${index}\n`).join("");
  const read = results.read(text, "text");
  const from = Number(/"from": (\d+)/.exec(read)?.[1]);
  expect(results.findPosition({ name: "read_result", arguments: { result: 1, from } })).toEqual({ result: 1, from });
  const merged = results.insertParts(read, [{ result: 1, from }]);
  expect(merged.length).toBeGreaterThan(1500);
  expect(merged.startsWith(text.slice(0, from + 500))).toBe(true);
  expect(merged).toMatch(/\n…\[[\d,]+ characters left out\]…\n/);
  expect(merged).not.toContain("read_result");
});
