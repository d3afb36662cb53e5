import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { textOf } from "../../fakes/events.ts";
import { collect, program, programEnvironment, startProgram, temporaryFolder } from "../../fakes/program.ts";
import { runWarmProgram as runProgram } from "../../fakes/warm-program.ts";
import { ask, eventsIn, hear, inOrder, once, pages, question, searchFor, setScene } from "./two-models.ts";

const reasons = "天气是实时数据，要用 web_search 而不是 calculator；\n查询里写明城市和日期。";
const lastWords = "以上是全部理由。";
const thought = `${reasons}${"预报每天都在变，必须查最新的。".repeat(30)}${lastWords}`;

/** Two searches on the screen, as events, and in the traces of the first run, short and whole. */
const shown = once(async () => {
  const [seen, heard, home] = await Promise.all([setScene(), setScene(), temporaryFolder()]);
  const env = { HOME: home };
  for (const { provider } of [seen, heard]) {
    provider.script(
      "cheap",
      { text: thought, toolCalls: [searchFor("上海 明天 天气预报")] },
      { text: "预报里没有气温，还不够；再查具体气温。", toolCalls: [searchFor("上海 明天 最高气温")] },
      { text: "结果已经足够。" },
    );
    provider.script("strong", { text: "上海明天多云[1]，最高 24 度[2]。" });
  }
  const [screen, run] = await Promise.all([ask(seen, question, [], { env }), hear(heard, question)]);
  const trace = (...args: string[]) => runProgram(["trace", "--locale", "zh", ...args], { env });
  const [folded, opened] = await Promise.all([trace(), trace("--verbose")]);
  return { screen, ...run, folded, opened };
});

/** A run whose models stop in the middle of a turn until the reader has seen what they said so far. */
const streamed = once(async () => {
  const scene = await setScene();
  const thoughtSeen = Promise.withResolvers<void>();
  const judgementSeen = Promise.withResolvers<void>();
  const answerSeen = Promise.withResolvers<void>();
  scene.provider.script(
    "cheap",
    {
      text: "先查预报。",
      hang: "after-text",
      until: thoughtSeen.promise,
      toolCalls: [searchFor("上海 明天 天气预报")],
    },
    { text: "结果已经足够。", hang: "after-text", until: judgementSeen.promise },
  );
  scene.provider.script("strong", { text: "上海明天多云，", hang: "after-text", until: answerSeen.promise });
  const child = await startProgram(["ask", question, "--output", "jsonl"], { env: scene.env });
  child.stdin.end();
  let stdout = "";
  child.stdout.on("data", (text) => {
    stdout += text;
  });
  const finished = collect(child);
  const events = () => eventsIn(stdout);
  await expect.poll(() => textOf(events(), "thought-delta")).toBe("先查预报。");
  const whileThinking = events();
  thoughtSeen.resolve();
  await expect.poll(() => textOf(events(), "thought-delta")).toBe("先查预报。结果已经足够。");
  const whileJudging = events();
  judgementSeen.resolve();
  await expect.poll(() => textOf(events(), "answer-delta")).toContain("上海明天多云");
  const whileAnswering = events();
  answerSeen.resolve();
  await finished;
  return { whileThinking, whileJudging, whileAnswering, all: events() };
});

describe("Agent 执行过程展示", () => {
  test("思考过程展示: a thought streams while it is thought, and is folded to one line when it is done", async () => {
    const { whileThinking } = await streamed();
    expect(whileThinking.map(({ type }) => type)).not.toContain("phase-end");
    const { screen, events } = await shown();
    expect(textOf(events, "thought-delta")).toContain(thought);
    const lines = screen.stderr.split("\n").filter((line) => line.startsWith("💭"));
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^💭 天气是实时数据，.{100,300}…$/);
    expect(screen.stderr).toContain("思考中...");
  });

  test("思考过程展示: an MCP caller sees the thought and the answer grow as progress", async () => {
    const scene = await setScene();
    const thoughtSeen = Promise.withResolvers<void>();
    const answerSeen = Promise.withResolvers<void>();
    scene.provider.script("cheap", { text: "不需要工具。", hang: "after-text", until: thoughtSeen.promise });
    scene.provider.script("strong", { text: "你好，我是 Duet。", hang: "after-text", until: answerSeen.promise });
    const client = new Client({ name: "test", version: "1" });
    const env = await programEnvironment(scene.env);
    const args = [program, "serve"];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: "pipe" }));
    onTestFinished(() => client.close());
    const result = await client.callTool({ name: "agent_ask", arguments: { question: "你是谁？" } }, undefined, {
      onprogress({ message = "" }) {
        if (message.includes("💭 不需要工具。")) thoughtSeen.resolve();
        if (message.includes("✍ 你好，我是 Duet")) answerSeen.resolve();
      },
    });
    expect(result.structuredContent).toMatchObject({ status: "complete", response: "你好，我是 Duet。" });
  });

  test("工具选择思考过程展示: which tool, why, and with what arguments is thought aloud before the call is shown", async () => {
    const { whileThinking, all } = await streamed();
    expect(whileThinking.map(({ type }) => type)).not.toContain("tool-start");
    expect(all.findIndex(({ type }) => type === "tool-start")).toBeGreaterThan(whileThinking.length - 1);
    const { screen } = await shown();
    const order = ["💭 天气是实时数据，要用 web_search 而不是 calculator；", "查询里写明城市和日期。", "🔧 "];
    expect(inOrder(screen.stderr, order)).toEqual(order);
  });

  test("工具调用展示: the query is shown when the search begins, and when it ends how it went", async () => {
    const scene = await setScene();
    scene.search.fault = "broken";
    scene.provider.script(
      "cheap",
      { toolCalls: [searchFor("上海 明天 天气预报")] },
      () => {
        scene.search.fault = undefined;
        return { toolCalls: [searchFor("上海 明天 最高气温")] };
      },
      { text: "够了。" },
    );
    scene.provider.script("strong", { text: "最高 24 度[2]。" });
    const { stderr } = await ask(scene, question);
    const lines = stderr.split("\n").filter((line) => /^[🔧✓✗]/u.test(line));
    expect(lines).toEqual([
      expect.stringContaining('{"query":"上海 明天 天气预报"}'),
      expect.stringMatching(/^✗ .*web_search \(\d+ ms\) SearXNG 搜索失败：HTTP 500/),
      expect.stringContaining('{"query":"上海 明天 天气预报"}'),
      expect.stringMatching(/^✗ .*web_search \(\d+ ms\) SearXNG 搜索失败：HTTP 500/),
      expect.stringContaining('{"query":"上海 明天 最高气温"}'),
      expect.stringMatching(/^✓ .*web_search \(\d+ ms\)/),
    ]);
    expect(lines[0]).toMatch(/^🔧 .*搜索/);
  });

  test("搜索结果展示: how many there are, and of the first three the title and the snippet", async () => {
    const { events, screen, opened } = await shown();
    expect(events.find(({ type }) => type === "tool-end")).toMatchObject({
      resultCount: 4,
      top: pages.slice(0, 3).map(({ title, url, content }, index) => ({ n: index + 1, title, url, snippet: content })),
    });
    const line = screen.stderr.split("\n").find((each) => each.startsWith("✓")) ?? "";
    expect(line).toContain("4 条结果");
    for (const { title } of pages.slice(0, 3)) expect(line).toContain(title);
    expect(line).not.toContain("出行建议");
    // Folded to that line; opened again it holds the snippets.
    for (const { content } of pages.slice(0, 3)) expect(opened.stdout).toContain(content);
    expect(line).toContain("搜索结果");
  });

  test("继续调用工具判断思考过程展示: after each result the judgement is thought aloud, then the next call or the switch to the answer", async () => {
    const { whileJudging } = await streamed();
    const types = whileJudging.map(({ type }) => type);
    expect(types.lastIndexOf("thought-delta")).toBeGreaterThan(types.lastIndexOf("tool-end"));
    expect(whileJudging.some((event) => event.type === "phase-start" && event.phase === "answer")).toBe(false);
    const { screen } = await shown();
    const order = [
      "4 条结果",
      "⚖ 已有工具结果，由工具调用模型判断是否还需要更多信息。",
      "🧭 工具调用阶段 · openai/cheap",
      "查看结果，判断是否还需要工具",
      "💭 预报里没有气温，还不够；再查具体气温。",
      "🔧 ",
      "4 条结果",
      "⚖ ",
      "💭 结果已经足够。",
      "⚖ 工具调用结果已满足要求，切换到回答生成阶段 · openai/cheap → anthropic/strong",
    ];
    expect(inOrder(screen.stderr, order)).toEqual(order);
  });

  test("最终回答展示: it streams, alone on stdout, and the steps stay where they were", async () => {
    const { whileAnswering } = await streamed();
    expect(whileAnswering.map(({ type }) => type)).not.toContain("run-end");
    const { screen, outcome } = await shown();
    expect(screen.stdout).toBe(`${outcome.response}\n`);
    expect(screen.stdout).not.toMatch(/[🧭💭🔧⚖📝]/u);
    expect(screen.stderr).not.toContain("上海明天多云[1]");
    expect(screen.stderr.split("\n").filter((line) => /^[🧭💭🔧✓⚖📝]/u.test(line))).toHaveLength(13);
  });

  test("执行步骤折叠: a step is a line, and `duet trace` opens it again, whole with --verbose", async () => {
    const { screen, folded, opened } = await shown();
    expect(screen.stderr).not.toContain("东南风三级");
    expect(screen.stderr).not.toContain(lastWords);
    expect(folded.stdout).toContain('🔧 web_search {"query":"上海 明天 天气预报"}');
    expect(folded.stdout).not.toContain(lastWords);
    expect(opened.stdout.replaceAll(/\n +/g, "\n")).toContain(thought);
    for (const { title, url, content } of pages)
      for (const part of [title, url, content]) expect(opened.stdout).toContain(part);
  });
});
