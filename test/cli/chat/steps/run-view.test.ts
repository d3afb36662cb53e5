import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { MarkdownStream } from "../../../../src/cli/terminal/markdown/markdown-stream.ts";
import { createMarkdownStream } from "../../../../src/cli/terminal/markdown/markdown-stream.ts";
import { toPlainText } from "../../../../src/cli/terminal/text/line.ts";
import { countCells } from "../../../../src/cli/terminal/text/width.ts";
import type { AgentEvent, ToolEnd } from "../../../../src/core/run/events.ts";
import type { Source, ToolResult } from "../../../../src/core/tools/tool.ts";
import { DuetError } from "../../../../src/kit/errors.ts";
import { planners, written } from "../../../agent/plan/planning.ts";
import { makeTool } from "../../../fakes/events.ts";
import { type ScriptedTurn, scriptedModel } from "../../../fakes/model.ts";
import { type Overrides, runAll, runOptions, streamRun } from "../../../fakes/run.ts";
import { linesOf, openView, plainText } from "./opened-view.ts";

const pages: Source[] = [1, 2, 3, 4, 5].map((n) => ({
  title: `Page ${n}`,
  url: `https://example.com/${n}`,
  snippet: `What page ${n} says of Duet.`,
}));
const search = makeTool("web_search", (): ToolResult => ({ ok: true, text: "", sources: pages }));
const echo = makeTool("echo", (): ToolResult => ({ ok: true, text: "An echo that is long enough to count." }));

function models(turns: ScriptedTurn[], answer: ScriptedTurn = "Duet is an agent [1].") {
  return { functionCall: scriptedModel(turns, "cheap"), answer: scriptedModel([answer], "strong") };
}

const searching: ScriptedTurn = {
  reasoning: "The reader wants to know what Duet is.",
  text: "I look it up.",
  calls: [{ id: "1", name: "web_search", input: { query: "Duet agent" } }],
};

/** Without times, which no two runs share. */
function timeless(lines: string[]): string[] {
  return lines.map((line) => line.replace(/\d+\.\d s/g, "T s"));
}

const started: AgentEvent = {
  type: "run-start",
  runId: "run-1",
  traceId: "0".repeat(32),
  conversationId: "conv-1",
  mode: "agent",
  models: { functionCall: "fake/cheap", answer: "fake/strong" },
  toolCount: 1,
};
const deciding: AgentEvent = { type: "phase-start", phase: "decide", step: 1, model: "fake/cheap", reason: "looking" };

function think(text: string): AgentEvent {
  return { type: "reasoning-delta", phase: "decide", text };
}

function answerPiece(text: string): AgentEvent {
  return { type: "answer-delta", text };
}

function toolStart(callId: string, tool = "echo"): AgentEvent {
  return { type: "tool-start", callId, step: 1, tool, arguments: { text: callId } };
}

function toolEnd(callId: string, more: Partial<ToolEnd> = {}): AgentEvent {
  const ended = { step: 1, tool: "echo", ok: true, cached: false, preview: `said ${callId}`, elapsedMs: 300 };
  return { type: "tool-end", callId, ...ended, ...more };
}

describe("a run on the screen", () => {
  test("leaves its steps, each once and in order, the answer apart from them, and the bill", async () => {
    const events = await runAll({ models: models([searching, "Enough."]), tools: [search], locale: "zh" });
    expect(timeless(await linesOf(events, { locale: "zh", columns: 120 }))).toEqual([
      "💡 思考过程 #1 (T s) The reader wants to know what Duet is. I look it up.",
      '✓ 🔧 搜索结果 · web_search {"query":"Duet agent"} · T s · 5 条结果 #2',
      "   [1] Page 1 — What page 1 says of Duet.",
      "   [2] Page 2 — What page 2 says of Duet.",
      "   [3] Page 3 — What page 3 says of Duet.",
      "💡 思考过程 #3 (T s) Enough.",
      expect.stringMatching(/^⚖ .*切换到回答生成阶段 · fake\/cheap → fake\/strong$/),
      "",
      "Duet is an agent [1].",
      "",
      "References",
      "",
      "- [1] Page 1 https://example.com/1",
      "",
      expect.stringMatching(
        /^ {2}决策 fake\/cheap ×2 20→20 tok .* · 回答 fake\/strong ×1 10→10 tok .* · 共 60 tok · T s$/,
      ),
    ]);
  });

  test("leaves no line of a round, and one that says why the answer begins and which models there are", async () => {
    const call = (id: string): ScriptedTurn => [{ id, name: "echo", input: { text: id } }];
    const events = await runAll({ models: models([call("1"), call("2"), "Enough."]), tools: [echo] });
    const lines = await linesOf(events);
    expect(lines.filter((line) => /^[🧭📝⚖]/u.test(line))).toEqual([
      "⚖ The tool results are enough; switching to the answer · fake/cheap → fake/strong",
    ]);
  });

  test("shows no thought of a model that gives none, and in chat mode just the answer and the bill", async () => {
    const events = await runAll({ mode: "chat", models: models([], "Hello.\nHow are you?") });
    expect(await linesOf(events)).toEqual([
      "",
      "Hello.",
      "How are you?",
      "",
      expect.stringContaining("fake/strong ×1"),
    ]);
  });

  test("shows a draft dim at its first word, and then in the place of what it was", async () => {
    const opened = openView();
    const draft = (text: string): AgentEvent => ({ type: "draft-delta", draft: 1, text });
    const ends = (kept: "answer" | "thought"): AgentEvent => ({ type: "draft-end", draft: 1, kept });
    opened.take(started, deciding, { type: "draft-start", draft: 1, step: 1 }, draft("I look it up."));
    expect(opened.live()).toEqual([
      "",
      "I look it up.",
      "",
      expect.stringMatching(/deciding · fake\/cheap · 0 s · ~3 tok$/),
    ]);
    expect(opened.view.live(20)[1]?.[0]?.styles).toEqual(["dim"]);
    opened.take(ends("thought"), { type: "thought-delta", text: "I look it up." }, toolStart("a"), toolEnd("a"));
    expect(opened.live()).toHaveLength(1);
    expect(opened.lines().at(0)).toMatch(/^💡 Thought #1 .* I look it up\.$/);
    opened.take({ ...deciding, step: 2 }, { type: "draft-start", draft: 2, step: 2 }, {
      ...draft("It is"),
      draft: 2,
    } as AgentEvent);
    opened.take({ ...ends("answer"), draft: 2 } as AgentEvent, answerPiece("It is"));
    expect(opened.live()).toEqual(["It is", "", expect.stringContaining("📝 answering · fake/cheap")]);
    expect(opened.lines().join("\n").match(/It is/g)).toBeNull();
    await opened.view.close();
  });

  test("draws the first words of a draft, a thought and an answer at once", () => {
    let draws = 0;
    const { take } = openView({ onDraw: () => void draws++ });
    const drawsOf = (event: AgentEvent): number => {
      const before = draws;
      take(event);
      return draws - before;
    };
    take(started, deciding, { type: "draft-start", draft: 1, step: 1 });
    const draft: AgentEvent = { type: "draft-delta", draft: 1, text: "It" };
    expect([drawsOf(draft), drawsOf(draft)]).toEqual([1, 0]);
    expect([drawsOf(think("Hm")), drawsOf(think("Hm"))]).toEqual([1, 0]);
    expect([drawsOf(answerPiece("It")), drawsOf(answerPiece("is"))]).toEqual([1, 0]);
  });

  test("a retry and a verdict that goes on are told while they hold, and leave no line", () => {
    const { take, live, lines, view } = openView();
    const retry = (count: string): AgentEvent => ({
      ...{ type: "notice", level: "warning", code: "retry" },
      message: `retrying fake/cheap in 0.5 s (${count})`,
    });
    take(started, deciding, retry("1/3"), retry("2/3"));
    expect(live()).toEqual(["⚠ retrying fake/cheap in 0.5 s (2/3)", expect.stringContaining("🧭 deciding")]);
    take(think("Hm"), { type: "evaluation", verdict: "continue", reason: "result-thin", message: "It is short." });
    expect(live().at(-1)).toMatch(/🧭 deciding · fake\/cheap · .* · It is short\.$/);
    expect(live().join("\n")).not.toContain("retrying");
    expect(lines().join("\n")).not.toMatch(/retrying|It is short/);
    return view.close();
  });

  test("no time passes while a person is asked, and the line says so", () => {
    const { take, live, pass, view } = openView();
    take(started, deciding, toolStart("a"));
    pass(1_000);
    view.setAsking(true);
    pass(60_000);
    expect(live()).toEqual([expect.stringMatching(/^⏸ .* · 1\.0 s$/), "⏸ waiting for your answer · 1 s"]);
    view.setAsking(false);
    pass(1_000);
    expect(live()).toEqual([expect.stringMatching(/ · 2\.0 s$/), expect.stringMatching(/ 🔧 calling tools · 2 s$/)]);
    return view.close();
  });

  test("says that it goes on, with the seconds and the tokens so far", () => {
    const { take, live, pass, view } = openView({ locale: "zh" });
    take(started, deciding, think("字".repeat(400)));
    pass(2_300);
    expect(live().at(-1)).toBe("⠸ 🧭 工具调用阶段 · fake/cheap · 2 s · ~300 tok");
    take({
      ...{ type: "phase-end", phase: "decide", step: 1, model: "fake/cheap", elapsedMs: 5, costUsd: null },
      usage: { inputTokens: 900, outputTokens: 60, reasoningTokens: 0, cachedTokens: 0 },
    });
    expect(live().at(-1)).toBe("⠸ 🧭 工具调用阶段 · fake/cheap · 2 s · 960 tok");
    return view.close();
  });
});

describe("a thought", () => {
  test("grows below its title, its last lines in sight, and is folded once when the answer starts", async () => {
    const { take, live, lines, pass, view } = openView({ columns: 40 });
    take(started, deciding, think(Array.from({ length: 20 }, (_, n) => `line ${n}`).join("\n")));
    const six = [14, 15, 16, 17, 18, 19].map((n) => `   line ${n}`);
    expect(live().slice(0, -1)).toEqual(["💭 Thinking...", ...six]);
    expect(lines()).toEqual([]);
    pass(2_100);
    take(answerPiece("\n"));
    expect(live()[0]).toBe("💭 Thinking...");
    take(answerPiece("Yes."), answerPiece(" And no."));
    expect(lines()).toEqual(["💡 Thought #1 (2.1 s) line 0 line 1 lin…", ""]);
    await setImmediate();
    expect(live().slice(0, -2)).toEqual(["Yes. And no."]);
    expect(lines().at(-1)).toBe("");
    await view.close();
    expect(lines().filter((line) => line.includes("Thought"))).toHaveLength(1);
  });

  test("is folded when the thought of the next turn begins, so that none is lost", async () => {
    const { take, lines, live, view } = openView();
    take(started, deciding, think("First this."), { ...deciding, step: 2 }, think("Then that."));
    expect(timeless(lines()).filter((line) => line.includes("Thought"))).toEqual(["💡 Thought #1 (T s) First this."]);
    expect(live().slice(0, 2)).toEqual(["💭 Thinking...", "   Then that."]);
    await view.close();
    expect(timeless(lines()).filter((line) => line.includes("Thought"))).toHaveLength(2);
  });

  test("is closed by an error in its midst, which is told with a remedy, and Chat mode is advised", async () => {
    const text = { zh: "密钥无效", en: "the key is not valid" };
    const error = new DuetError({ code: "auth", text, hint: { zh: "检查密钥", en: "Check the key." } });
    const events = await runAll({ models: models([{ text: "I wonder whe", error }]) });
    expect(timeless(await linesOf(events))).toEqual([
      "💡 Thought #1 (T s, cut off) I wonder whe",
      "✗ the key is not valid. Check the key.",
      "  You can try Chat mode with /mode chat; the mode is not switched automatically.",
      expect.stringContaining("fake/cheap ×1"),
    ]);
  });

  test("is closed by a cancel, and the run says that it was cancelled", async () => {
    const stop = new AbortController();
    const options = { models: models([{ hang: true, text: "Hmm, let me" }]), signal: stop.signal };
    const { take, lines, live, view } = openView({ locale: "zh" });
    for await (const event of streamRun(await runOptions({ ...options, locale: "zh" }))) {
      take(event);
      if (event.type === "thought-delta" && event.text.includes("me")) stop.abort();
    }
    await view.close();
    expect(timeless(lines()).slice(0, 2)).toEqual(["💡 思考过程 #1 (T s，已中断) Hmm, let me", "已取消。"]);
    expect(live()).toEqual([]);
  });

  test("stays whole where everything is to be shown", async () => {
    const events = await runAll({ models: models([searching, "Enough."]), tools: [search] });
    const lines = timeless(await linesOf(events, { verbose: true }));
    expect(lines.slice(0, 4)).toEqual([
      "💡 Thought #1 (T s)",
      "   The reader wants to know what Duet is.",
      "   ",
      "   I look it up.",
    ]);
    expect(lines).toContain('    "query": "Duet agent"');
    expect(lines).toContain("  What page 5 says of Duet.");
  });
});

describe("tool calls", () => {
  test("side by side are a line each while they run, and stay in the order in which they ended", async () => {
    const { take, live, lines, pass, view } = openView();
    take(started, deciding, toolStart("a"), toolStart("b", "web_search"));
    take({ type: "tool-progress", callId: "a", message: "half\nway", progress: 1, total: 2 });
    pass(1_200);
    expect(live().slice(0, -1)).toEqual([
      '⠹ 🔧 echo {"text":"a"} · 1.2 s · half way',
      '⠹ 🔧 search · web_search {"text":"b"} · 1.2 s',
    ]);
    take(toolEnd("b", { ok: false, tool: "web_search", error: { code: "network", message: "no\nroute" } }));
    expect(live()).toHaveLength(2);
    take(toolEnd("a", { cached: true }));
    expect(lines()).toEqual([
      '✗ 🔧 search · web_search {"text":"b"} · 0.3 s #2',
      "   no route",
      '✓ 🔧 echo {"text":"a"} · 0.3 s · cached #1',
      "   said a",
    ]);
    await view.close();
  });

  test("and thoughts that were going on when the events broke off are closed", async () => {
    const { take, lines, live, pass, view } = openView({ locale: "zh" });
    take(started, deciding, toolStart("a"));
    pass(400);
    await view.close();
    expect(lines()).toEqual(['✗ 🔧 echo {"text":"a"} · 0.4 s · 已中断 #1']);
    expect(live()).toEqual([]);
  });
});

describe("a plan", () => {
  test("is shown whole, fills in as a checklist, and stays as it came out", async () => {
    const steps = written(
      { description: "Ask the echo", tool: "echo", parameters: { text: "x" } },
      { description: "Say what it said" },
    );
    const { take, lines, live, view } = openView();
    const filling: string[][] = [];
    for (const event of await runAll({ mode: "plan", models: planners([steps]), tools: [echo] })) {
      take(event);
      if (event.type === "tool-start") filling.push(live());
    }
    await view.close();
    expect(filling).toEqual([
      [
        "📋 Plan (2 steps) #1",
        "  ▶ 1. Ask the echo · echo",
        "  ◻ 2. Say what it said",
        '⠋ 🔧 echo {"text":"x"} · 0.0 s',
        expect.stringMatching(/^⠋ 🔧 calling tools · 0 s/),
      ],
    ]);
    expect(timeless(lines()).slice(0, 8)).toEqual([
      "📋 Plan (2 steps)",
      '  1. Ask the echo · echo {"text":"x"}',
      "  2. Say what it said",
      '✓ 🔧 echo {"text":"x"} · T s #2',
      "   An echo that is long enough to count.",
      "📋 Plan (2 steps) #1",
      "  ☑ 1. Ask the echo · echo",
      "  ☑ 2. Say what it said",
    ]);
    expect(lines().filter((line) => line.includes("☑"))).toHaveLength(2);
  });
});

describe("an answer", () => {
  test("keeps its place where Markdown is late, and what is told meanwhile stands behind it", async () => {
    const opening = Promise.withResolvers<MarkdownStream>();
    const { take, lines, live, view } = openView({ openMarkdown: () => opening.promise });
    take(started, deciding, answerPiece("One.\nTw"));
    take({ type: "notice", level: "warning", code: "evaluator-failed", message: "Trying again." });
    take(answerPiece("o."));
    expect(live().slice(0, 2)).toEqual(["One.", "Two."]);
    take(toolStart("a"), toolEnd("a"));
    expect(lines()).toEqual([""]);
    opening.resolve(plainText());
    await view.close();
    expect(lines().slice(1)).toEqual([
      "One.",
      "Two.",
      "",
      "⚠ Trying again.",
      '✓ 🔧 echo {"text":"a"} · 0.3 s #1',
      "   said a",
    ]);
  });

  test("in Markdown comes out the same, in order and once, however it came and was looked at", async () => {
    const text =
      "# Duet\n\n| a | 字 |\n|---|---|\n| 1 | 二 |\n\n```ts\nconst x = 1;\n```\n\n- one\n- **two**\n\nThe end.";
    const openMarkdown = async () => createMarkdownStream({ columns: () => 40, hyperlinks: true });
    const atOnce = await linesOf([started, answerPiece(text)], { openMarkdown });
    const { take, live, lines, pass, view } = openView({ openMarkdown });
    take(started);
    for (const piece of text.match(/[\s\S]{1,3}/g) ?? []) {
      take(answerPiece(piece));
      live();
      pass(20);
      await setImmediate();
    }
    expect(lines().length).toBeGreaterThan(5);
    await view.close();
    expect(lines()).toEqual(atOnce);
    expect(atOnce.join("\n")).toContain("const x = 1;");
  });

  test.each<[string, () => MarkdownStream]>([
    ["be opened", () => fail()],
    ["be read", () => ({ ...plainText(), take: fail, end: fail })],
  ])("is shown as it is where its Markdown cannot %s", async (_, openMarkdown) => {
    const events = await runAll({ mode: "chat", models: models([], "Hello.\n**You**") });
    expect((await linesOf(events, { openMarkdown })).slice(0, 3)).toEqual(["", "Hello.", "**You**"]);
  });
});

function fail(): never {
  throw new Error("no");
}

describe("whatever comes", () => {
  const hostile = "\u001b[2J一\n二\r\n\t三👩‍👩‍👧 ".repeat(60);
  const top = [1, 2, 3].map((n) => ({ n, title: hostile, url: "https://example.com", snippet: hostile }));
  const steps = Array.from({ length: 12 }, (_, n) => ({
    step: n + 1,
    description: hostile,
    tool: hostile,
    parameters: { hostile },
    state: n === 7 ? ("running" as const) : ("pending" as const),
  }));
  const events: AgentEvent[] = [
    started,
    { ...deciding, model: hostile },
    { type: "plan", steps: steps.map((step) => ({ ...step, state: "pending" })) },
    { type: "plan", steps },
    toolStart("a", hostile),
    toolStart("b", "web_search"),
    { type: "tool-progress", callId: "a", message: hostile },
    think(hostile),
    { type: "notice", level: "info", code: "x", message: hostile },
    toolEnd("b", { top, resultCount: 5 }),
    toolEnd("a", { ok: false, error: { code: "tool", message: hostile } }),
    answerPiece("Done."),
  ];

  test.each([10, 40, 80])("nothing that is live is higher than its rows or wider than %i columns", async (columns) => {
    const { take, view } = openView({ columns, locale: "zh" });
    for (const event of events) {
      take(event);
      for (const rows of [0, 1, 2, 3, 5, 9, 15]) {
        const lines = view.live(rows).map(toPlainText);
        expect(lines.length).toBeLessThanOrEqual(rows);
        expect(Math.max(0, ...lines.map(countCells))).toBeLessThanOrEqual(columns);
      }
    }
    await view.close();
  });

  test("no line holds a line's end, and thoughts and hits fit 40 columns", async () => {
    const lines = await linesOf(events, { columns: 40, locale: "zh" });
    for (const line of lines) expect(line).not.toMatch(/[\r\n]/);
    const short = lines.filter((line) => /^(💡| {3}\[\d)/.test(line));
    expect(short).toHaveLength(4);
    for (const line of short) expect(countCells(line)).toBeLessThanOrEqual(40);
  });
});

test("a run with one model shows what it says in its last turn as the answer", async () => {
  const one = scriptedModel([{ text: "Let me see.", calls: [{ id: "1", name: "echo", input: {} }] }, "It says hello."]);
  const run: Overrides = { models: { functionCall: one, answer: one }, tools: [echo] };
  const lines = timeless(await linesOf(await runAll(run)));
  expect(lines).toEqual([
    "💡 Thought #1 (T s) Let me see.",
    "✓ 🔧 echo {} · T s #2",
    "   An echo that is long enough to count.",
    "",
    "It says hello.",
    "",
    "⚖ The model judged the information sufficient and answered.",
    expect.stringContaining("decide + answer fake/scripted ×2"),
  ]);
});
