import { describe, expect, test } from "vitest";
import { toPlainText } from "../../../src/core/model/message-content.ts";
import type { Message } from "../../../src/core/model/messages.ts";
import { type ModelEvent, type ModelRequest, noUsage, replaceStream } from "../../../src/core/model/model.ts";
import type { ToolCallForm } from "../../../src/core/model/model-settings.ts";
import { DuetError } from "../../../src/kit/errors.ts";
import { callInText } from "../../../src/providers/middleware/text-tools.ts";
import { makeTool, outcomeOf } from "../../fakes/events.ts";
import { type ScriptedModel, type ScriptedTurn, scriptedModel } from "../../fakes/model.ts";
import { runAll } from "../../fakes/run.ts";
import { textTurns } from "./text-turns.ts";

const schema = { type: "object", properties: { query: { type: "string" } }, required: ["query"] };
const search = { name: "search", description: "Searches.\nAll of it.", inputSchema: schema };

function ask(messages: Message[], more: Partial<ModelRequest> = {}): ModelRequest {
  return { messages, tools: [search], ...more };
}

const signal = new AbortController().signal;

/** Runs one turn with its events. */
async function turn(model: ScriptedModel, request: ModelRequest, tried: ToolCallForm | "auto" = "text") {
  const events: ModelEvent[] = [];
  const form = tried === "auto" ? undefined : tried;
  const wrapped = callInText(model, { form, locale: "en" });
  const made = await wrapped.stream(request, (event) => void events.push(event), signal);
  return { turn: made, events, wrapped };
}

const question: Message = { role: "user", content: "What is Duet?" };

describe("each text that such models write gives the call, the answer, or what the model needs to correct it", () => {
  test.for(textTurns)("$name", async ({ text, expect: wanted }) => {
    const model = scriptedModel([text, "Done."]);
    const functionCall = callInText(model, { form: "text", locale: "en" });
    const tools = ["search", "list_files", "read_file"].map((name) =>
      makeTool(name, () => ({ ok: true, text: `this is what ${name} really gave` })),
    );
    const events = await runAll({ models: { functionCall, answer: functionCall }, tools });
    const outcome = outcomeOf(events);
    const answered = wanted.calls.length === 0 && wanted.text !== "";
    expect(outcome).toMatchObject({ status: "complete", response: answered ? wanted.text : "Done." });
    expect(model.requests).toHaveLength(answered ? 1 : 2);
    const read = toPlainText(model.requests[1]?.messages.at(-1)?.content ?? "", "en");
    if (wanted.calls.length === 0) return;
    expect(read).toMatch(/^Observation( \(\w+\))?: /);
    if (wanted.observation === undefined) expect(outcome.tool_calls.map(({ ok }) => ok)).not.toContain(false);
    expect(read).toContain(wanted.observation ?? "really gave");
    // Nothing that the model invented comes back to it as if it had been so.
    expect(JSON.stringify(model.requests[1]?.messages)).not.toMatch(/Nobel|song|a\.txt|found it|诺贝尔/);
  });
});

test("the model reads the tools, the form and earlier calls as text, and no field of function calling is sent", async () => {
  const model = scriptedModel(["Final Answer: ok"]);
  const call = { id: "1", name: "search", argumentsText: '{"query": "a"}', arguments: { query: "a" } };
  const other = { ...call, id: "2", argumentsText: '{"query": "b"}' };
  const native = { wire: "openai-chat", provider: "fake", model: "scripted", payload: {} };
  await turn(
    model,
    ask(
      [
        { role: "system", content: "You are an agent." },
        question,
        { role: "assistant", content: "I look.", toolCalls: [call, other], native },
        { role: "tool", callId: "1", tool: "search", content: "found a", ok: true },
        { role: "tool", callId: "2", tool: "search", content: "found b", ok: true },
      ],
      { toolChoice: "required", stop: ["END"] },
    ),
  );
  const [sent] = model.requests;
  expect(sent).toMatchObject({ tools: [], stop: ["END", "\nObservation:"] });
  expect(sent).not.toHaveProperty("toolChoice");
  const [system, ...rest] = sent?.messages ?? [];
  expect(system?.content).toMatch(/^You are an agent\.\n\n## Tools\n/);
  expect(system?.content).toContain("never write an Observation yourself");
  const line = { name: "search", description: search.description, parameters: schema };
  expect(String(system?.content).split("\n")).toContain(JSON.stringify(line));
  expect(system?.content).toMatch(/\nThis reply must use a tool\.$/);
  expect(rest).toEqual([
    question,
    {
      role: "assistant",
      content:
        'Thought: I look.\nAction: search\nAction Input: {"query": "a"}\nAction: search\nAction Input: {"query": "b"}',
      toolCalls: [],
    },
    { role: "user", content: "Observation (search): found a\n\nObservation (search): found b" },
  ]);
});

test("a request without tools goes as it is, and the language of the form is that of the request", async () => {
  const model = scriptedModel(["Thought: plain", "Final Answer: 好"]);
  const plain = await turn(model, ask([question], { tools: [] }));
  expect(plain.turn.message.content).toBe("Thought: plain");
  expect(model.requests[0]?.messages).toEqual([question]);
  await turn(model, ask([question], { locale: "zh" }));
  expect(model.requests[1]?.messages[0]?.content).toMatch(/^## 工具\n/);
});

test("a turn that goes on after its calls is read no further, and is billed for what was used", async () => {
  const usage = { ...noUsage, inputTokens: 7, outputTokens: 5, estimated: true } as const;
  const pieces = ["Action: search\n", 'Action Input: {"query": "a"}\n', "Observation: ", "invented", "END"];
  const told: string[] = [];
  const endless = replaceStream(scriptedModel([]), async (_, onEvent) => {
    try {
      for (const text of pieces) {
        told.push(text);
        onEvent({ type: "text-delta", text });
      }
    } catch (thrown) {
      onEvent({ type: "spent", usage });
      throw thrown;
    }
    throw new Error("it was read to its end");
  });
  const events: ModelEvent[] = [];
  const model = callInText(endless, { form: "text", locale: "en" });
  const made = await model.stream(ask([question]), (event) => void events.push(event), signal);
  expect(told).toHaveLength(3);
  expect(events).toEqual([]);
  expect(made).toMatchObject({ finish: "tool-calls", usage, message: { toolCalls: [{ arguments: { query: "a" } }] } });
});

test("a turn that was cut at its output limit keeps that, unless only what follows its calls was cut", async () => {
  const call = 'Action: search\nAction Input: {"query": "a"}';
  const cut: ScriptedTurn = { text: call, finish: "length" };
  expect((await turn(scriptedModel([cut]), ask([question]))).turn.finish).toBe("length");
  const refused: ScriptedTurn = { text: "Final Answer: no", finish: "refused", refusal: "Not this." };
  const { finish, refusal } = (await turn(scriptedModel([refused]), ask([question]))).turn;
  expect({ finish, refusal }).toEqual({ finish: "refused", refusal: "Not this." });
});

describe("a vendor that refuses tools", () => {
  const refusal = (en: string, code: DuetError["code"] = "invalid_request"): DuetError =>
    new DuetError({ code, text: { zh: en, en } });

  test.each([
    "fake/scripted: registry.ollama.ai/library/gemma3:4b does not support tools (HTTP 400)",
    "No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai",
    "`tool calling` is not supported with this model",
    "`tools` is not supported with this model",
    '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    "tools param requires --jinja flag",
    "Function call is not supported for this model.",
    "Function calling is not enabled for this model",
    "Unsupported parameter: 'tools' is not supported with this model.",
    "deepseek-reasoner does not support Function Calling",
  ])("is asked in text from then on, which is told once: %s", async (words) => {
    const model = scriptedModel([{ error: refusal(words) }, "Final Answer: one", "Final Answer: two"]);
    const { turn: first, events, wrapped } = await turn(model, ask([question]), "auto");
    expect(first.message.content).toBe("one");
    expect(events.filter(({ type }) => type === "notice")).toEqual([
      expect.objectContaining({ code: "tools-in-text", message: expect.stringContaining('toolCalls: "text"') }),
    ]);
    expect((await wrapped.call(ask([question]), signal)).message.content).toBe("two");
    expect(model.requests.map(({ tools }) => tools.length)).toEqual([1, 0, 0]);
  });

  test.each([
    [refusal("Function tools with reasoning_effort are not supported for gpt-6 in /v1/chat/completions.")],
    [refusal("Invalid schema for function 'search'")],
    [refusal("does not support tools", "auth")],
    [refusal("the model does not exist")],
  ])("%s is another error, and stays one", async (error) => {
    const model = scriptedModel([{ error }]);
    await expect(turn(model, ask([question]), "auto")).rejects.toBe(error);
    expect(model.requests).toHaveLength(1);
  });

  test("stays refused with toolCalls native, and the hint says what to set", async () => {
    const model = scriptedModel([{ error: refusal("gemma does not support tools") }]);
    await expect(turn(model, ask([question]), "native")).rejects.toMatchObject({
      hint: { en: expect.stringContaining('set toolCalls to "text"') },
    });
  });
});
