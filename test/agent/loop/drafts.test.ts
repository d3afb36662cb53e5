import { describe, expect, test } from "vitest";
import { createMarkHabits } from "../../../src/agent/loop/turn/answer-mark.ts";
import { type Model, type ModelEvent, type Turn, withCall } from "../../../src/core/model/model.ts";
import type { AgentEvent } from "../../../src/core/run/events.ts";
import type { ToolResult } from "../../../src/core/tools/tool.ts";
import { makeTool } from "../../fakes/events.ts";
import { type ScriptedTurn, scriptedModel } from "../../fakes/model.ts";
import { runAll } from "../../fakes/run.ts";

const echo = makeTool("echo", (): ToolResult => ({ ok: true, text: "An echo that is long enough to count." }));
const calling = (text = ""): ScriptedTurn => ({ text, calls: [{ id: "1", name: "echo", input: { text: "a" } }] });

/** What a reader sees, without phases and tools: each kind of text joined, in order. */
function textsOf(events: AgentEvent[]): string[] {
  const texts: string[] = [];
  let before = "";
  for (const event of events) {
    const isText = event.type === "draft-delta" || event.type === "thought-delta" || event.type === "answer-delta";
    if (isText && event.type === before) texts[texts.length - 1] += event.text;
    else if (isText) texts.push(`${event.type}: ${event.text}`);
    if (event.type === "draft-end") texts.push(`draft-end: ${event.kept}`);
    before = event.type;
  }
  return texts;
}

const one = (turns: ScriptedTurn[]) => {
  const model = scriptedModel(turns, "one");
  return { functionCall: model, answer: model };
};

describe("with one model", () => {
  test("each turn's text is a draft from its first piece, and settles as a thought or as the answer", async () => {
    const models = one([calling("I look it up."), "Forty-two."]);
    const events = await runAll({ models, tools: [echo], drafts: true });
    expect(textsOf(events)).toEqual([
      "draft-delta: I look it up.",
      "draft-end: thought",
      "thought-delta: I look it up.",
      "draft-delta: Forty-two.",
      "draft-end: answer",
      "answer-delta: Forty-two.",
    ]);
    expect(events.filter(({ type }) => type === "draft-start")).toEqual([
      { type: "draft-start", draft: 1, step: 1 },
      { type: "draft-start", draft: 2, step: 2 },
    ]);
  });

  test("nobody is told of drafts who has not asked for them, and all else is the same", async () => {
    const tell = async (drafts: boolean): Promise<AgentEvent[]> => {
      const models = one([calling("I look it up."), "Forty-two."]);
      return runAll({ id: "run-1", conversationId: "c1", models, tools: [echo], drafts });
    };
    const without = (await tell(true)).filter(({ type }) => !type.startsWith("draft"));
    const types = (events: AgentEvent[]): string[] => events.map(({ type }) => type);
    expect(types(await tell(false))).toEqual(types(without));
    expect(textsOf(await tell(false))).toEqual(textsOf(without).filter((text) => !text.startsWith("draft")));
  });

  test("a number without a source is not shown in a draft either", async () => {
    const sources = [{ title: "A page", url: "https://example.com/", snippet: "" }];
    const search = makeTool("web_search", (): ToolResult => ({ ok: true, text: "", sources }));
    const searching: ScriptedTurn = [{ id: "1", name: "web_search", input: { query: "a" } }];
    const events = await runAll({
      models: one([searching, "It is so [1], says Duet [7]."]),
      tools: [search],
      drafts: true,
    });
    expect(textsOf(events)[0]).toBe("draft-delta: It is so [1], says Duet.");
  });

  test("without tools on offer the answer flows, and there is no draft", async () => {
    const events = await runAll({ models: one(["Forty-two."]), tools: [], drafts: true });
    expect(textsOf(events)).toEqual(["answer-delta: Forty-two."]);
  });

  test("a draft that a person stops is kept as what was written", async () => {
    const stop = new AbortController();
    const model = scriptedModel([{ hang: true, text: "The answer is" }], "one");
    const stream: Model["stream"] = (request, onEvent, signal) => {
      const stopBehind = (event: ModelEvent): void => {
        onEvent(event);
        if (event.type === "text-delta") stop.abort(new Error("stopped"));
      };
      return model.stream(request, stopBehind, signal);
    };
    const stopped = withCall({ provider: "fake", model: "one", stream });
    const models = { functionCall: stopped, answer: stopped };
    const events = await runAll({ models, tools: [echo], drafts: true, signal: stop.signal });
    expect(textsOf(events).slice(-2)).toEqual(["draft-end: answer", "answer-delta: The answer is"]);
  });

  test("the mark that it is asked for lets its answer flow, and one that never sets it is asked no more", async () => {
    const markHabits = createMarkHabits();
    const ask = async (answer: string): Promise<{ texts: string[]; isAsked: boolean }> => {
      const model = scriptedModel([calling(), answer], "one");
      const models = { functionCall: model, answer: model };
      const texts = textsOf(await runAll({ models, tools: [echo], drafts: true, markHabits }));
      return { texts, isAsked: JSON.stringify(model.requests[0]?.messages[0]).includes("<answer>") };
    };
    expect(await ask("<answer>\nForty-two.\n</answer>")).toEqual({
      texts: ["answer-delta: Forty-two.\n"],
      isAsked: true,
    });
    for (let n = 0; n < 20; n++) expect((await ask("Forty-two.")).isAsked).toBe(true);
    expect(await ask("Forty-two.")).toMatchObject({ isAsked: false });
  });
});

/** A model that writes its first turn piece by piece until somebody stops it. */
function writer(pieces: ModelEvent[], after: () => ScriptedTurn | undefined = () => undefined) {
  const told = { pieces: 0, isStopped: false };
  const stream: Model["stream"] = async (request, onEvent, signal): Promise<Turn> => {
    for (const piece of pieces) {
      if (signal.aborted) break;
      told.pieces += 1;
      onEvent(piece);
      await Promise.resolve();
    }
    told.isStopped = signal.aborted;
    if (signal.aborted) {
      onEvent({
        type: "spent",
        usage: { inputTokens: 100, outputTokens: 50, reasoningTokens: 0, cachedTokens: 0, estimated: true },
      });
      throw signal.reason;
    }
    return scriptedModel([after() ?? "Enough."]).stream(request, () => {}, signal);
  };
  const cost: Model["cost"] = ({ outputTokens }) => outputTokens / 1000;
  return { model: withCall({ provider: "fake", model: "cheap", stream, cost }), told };
}

const says = (columns: number): ModelEvent[] =>
  Array.from({ length: Math.ceil(columns / 10) }, () => ({ type: "text-delta", text: "x".repeat(10) }));

describe("with two models", () => {
  test.each([
    ["1,200 columns without results", says(2000), 121],
    [
      "the wire's sign of a final answer",
      [{ type: "text-delta", text: "Done.", phase: "final_answer" }, ...says(50)],
      1,
    ],
  ] as const)("one that writes the answer is stopped at %s, and what it used is billed", async (_, pieces, most) => {
    const { model, told } = writer([...pieces]);
    const answer = scriptedModel(["Forty-two."], "strong");
    const events = await runAll({ models: { functionCall: model, answer }, tools: [echo] });
    expect(told).toEqual({ pieces: most, isStopped: true });
    expect(textsOf(events).at(-1)).toBe("answer-delta: Forty-two.");
    const end = events.find((event) => event.type === "phase-end");
    expect(end).toMatchObject({ finish: "stop", costUsd: 0.05, usage: { inputTokens: 100, estimated: true } });
    expect(end).not.toHaveProperty("error", expect.any(String));
    expect(answer.requests).toHaveLength(1);
  });

  test("lines of reasoning before a call still lead to the call", async () => {
    const model = scriptedModel([
      calling("Let me think about this step. ".repeat(38)),
      calling("y".repeat(590)),
      "Enough.",
    ]);
    const answer = scriptedModel(["Forty-two."], "strong");
    const events = await runAll({ models: { functionCall: model, answer }, tools: [echo] });
    expect(events.filter(({ type }) => type === "tool-start")).toHaveLength(2);
  });

  test("600 columns are enough once there are results", async () => {
    const { model, told } = writer(says(2000));
    const first = scriptedModel([calling()]);
    let turn = 0;
    const stream: Model["stream"] = (...args) => (turn++ === 0 ? first.stream(...args) : model.stream(...args));
    const functionCall = withCall({ provider: "fake", model: "cheap", stream });
    await runAll({ models: { functionCall, answer: scriptedModel(["Forty-two."], "strong") }, tools: [echo] });
    expect(told).toEqual({ pieces: 61, isStopped: true });
  });

  test("the text of the function-call model is the answer where both are one model and that is accepted", async () => {
    const ask = async (acceptAnswer: boolean, name: string): Promise<string[]> => {
      const functionCall = scriptedModel([calling(), "Forty-one."], "same");
      const answer = scriptedModel(["Forty-two."], name);
      const models = { functionCall, answer };
      return textsOf(await runAll({ models, tools: [echo], limits: { acceptAnswer } })).slice(-1);
    };
    expect(await ask(true, "same")).toEqual(["answer-delta: Forty-one."]);
    expect(await ask(true, "other")).toEqual(["answer-delta: Forty-two."]);
    expect(await ask(false, "same")).toEqual(["answer-delta: Forty-two."]);
  });
});
