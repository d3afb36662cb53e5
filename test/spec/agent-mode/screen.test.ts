import { describe, expect, test } from "vitest";
import { startTerminal } from "../../fakes/terminal.ts";
import { calculate, inOrder, once, pages, question, searchFor, setScene, told } from "./two-models.ts";

const plan = "天气是实时数据，要用 web_search 而不是 calculator；查询里写明城市和日期。";
const judgement = "预报里没有气温，还不够；再查具体气温。";

/** A chat in agent mode: two searches, one of which fails, an answer; then runs that break off. What the screen showed at each point. */
const session = once(async () => {
  const { provider, search, env } = await setScene();
  const terminal = await startTerminal(["--mode", "agent"], {
    env: { ...env, TERM: "xterm-256color", OPENAI_BASE_URL: provider.openaiUrl },
    columns: 130,
    lines: 60,
  });
  const now = () => terminal.rows().join("\n");
  const all = () => terminal.scrollback().join("\n");
  const [thought, judged, said, broken] = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  provider.script(
    "cheap",
    {
      text: plan,
      chunkSize: 3,
      delayMs: 30,
      hang: "after-text",
      until: thought?.promise,
      toolCalls: [searchFor("上海 明天 天气预报")],
    },
    () => {
      search.fault = "broken";
      return {
        text: judgement,
        hang: "after-text",
        until: judged?.promise,
        toolCalls: [searchFor("上海 明天 最高气温")],
      };
    },
    () => {
      search.fault = undefined;
      return { toolCalls: [searchFor("上海 明天 气温")] };
    },
    { text: "结果已经足够。" },
  );
  // Ten pieces, so that the line of figures has a time to tell: 0.3 s at least.
  const slowly = { chunkSize: 1, delayMs: 30 };
  provider.script("strong", { text: "上海明天多云[1]，", ...slowly, hang: "after-text", until: said?.promise });
  search.together = 2;
  await terminal.stands("Agent 模式");
  const began = performance.now();
  terminal.type(`${question}\r`);
  await terminal.stands("查询里写明城市和日期。");
  const whileThinking = now();
  thought?.resolve();
  await terminal.stands('"上海 明天 天气预报"');
  const whileSearching = now();
  search.together = 1;
  await fetch(`${search.url}/search?q=go&format=json`);
  await terminal.stands("再查具体气温。");
  const whileJudging = now();
  judged?.resolve();
  await terminal.stands("上海明天多云[1]，");
  const whileAnswering = now();
  said?.resolve();
  await terminal.repeats(" · 共 ", 1);
  const answeredMs = performance.now() - began;
  const answered = all();
  const stepOf = (part: string) => new RegExp(`${part}[^\\n]*#(\\d+)`).exec(answered)?.[1];
  terminal.type(`/expand ${stepOf("🔧[^\\n]*上海 明天 天气预报")}\r`);
  await terminal.shows("适合户外活动。");
  const expanded = all();

  provider.script(
    "cheap",
    { toolCalls: [calculate("6*7")] },
    { text: "想到一半", hang: "after-text", until: broken?.promise, cut: "before-finish" },
  );
  provider.script("strong", { text: "是 42。" });
  terminal.type("6*7 等于几？\r");
  await terminal.stands("想到一半");
  broken?.resolve();
  await terminal.repeats(" · 共 ", 2);
  const recovered = all().slice(expanded.length - 200);

  const refused = { status: 403, body: '{"error":{"message":"no access to this model"}}' };
  provider.script("cheap", refused);
  terminal.type("这次会失败\r");
  await terminal.repeats(" · 共 ", 3);
  const failed = all().slice(answered.length);
  terminal.type("/answer-model\r");
  await terminal.stands("🤖 回答模型");
  const answerPicker = now();
  terminal.press("escape");
  await terminal.hides("🤖 回答模型");
  terminal.type("/answer-model openai/wise\r");
  const answerChosen = await terminal.follows("> /answer-model openai/wise", "已切换到模型");
  terminal.type("/model\r");
  await terminal.stands("🤖 模型");
  const modelPicker = now();
  terminal.press("escape");
  await terminal.hides("🤖 模型");
  terminal.type("/model openai/quick\r");
  const modelChosen = await terminal.follows("> /model openai/quick", "已切换到模型");
  for (const setting of ["function_call.temperature 0", "answer.temperature 1.2"]) {
    terminal.type(`/set ${setting}\r`);
    await terminal.follows(`> /set ${setting}`, "temperature：0.7 → ");
  }
  provider.script("quick", { text: "不需要工具。" });
  provider.script("wise", { text: "换了模型。" });
  terminal.type("你是谁？\r");
  await terminal.stands("换了模型。");
  terminal.type("/exit\r");
  const code = await terminal.ended();
  return {
    ...{ provider, whileThinking, whileSearching, whileJudging, whileAnswering, answered, answeredMs },
    ...{ expanded, recovered, failed },
    ...{ answerPicker, answerChosen, modelPicker, modelChosen, code },
  };
});

/** Two answers with steps; what all lines were when the first list was folded and opened, and the second one folded. */
const folding = once(async () => {
  const { provider, env } = await setScene();
  const terminal = await startTerminal(["--mode", "agent"], {
    env: { ...env, TERM: "xterm-256color", OPENAI_BASE_URL: provider.openaiUrl },
    columns: 110,
    lines: 60,
  });
  const all = () => terminal.scrollback().map((line) => line.trimEnd());
  provider.script(
    "cheap",
    { text: plan, toolCalls: [searchFor("上海 明天 天气预报"), calculate("(24+17)/2")] },
    { text: "结果已经足够。" },
    { toolCalls: [calculate("6*7")] },
    { text: "够了。" },
  );
  provider.script("strong", { text: "上海明天多云[1]。" }, { text: "是 42。" });
  await terminal.stands("Agent 模式");
  terminal.type(`${question}\r`);
  await terminal.repeats(" · 共 ", 1);
  const open = all();
  terminal.type("/fold\r");
  await terminal.stands("▸");
  const folded = all();
  terminal.type("/fold\r");
  await terminal.hides("▸");
  const opened = all();
  terminal.type("6*7 等于几？\r");
  await terminal.repeats(" · 共 ", 2);
  const newer = all();
  terminal.type("/fold\r");
  await terminal.stands("▸");
  const newerFolded = all();
  terminal.type("/exit\r");
  await terminal.ended();
  return { open, folded, opened, newer, newerFolded };
});

describe("Agent 模式", () => {
  test("Agent 执行过程可视化: on the screen the thoughts, calls, results, the answer and the model at work stand in order", async () => {
    const { whileThinking, answered } = await session();
    expect(whileThinking).toContain("🧭 工具调用阶段 · openai/cheap");
    const order = [
      "💡 思考过程",
      "天气是实时数据",
      "上海 明天 天气预报",
      "4 条结果",
      "💡 思考过程",
      "上海 明天 最高气温",
      "上海 明天 气温",
      "切换到回答生成阶段 · openai/cheap → anthropic/strong",
      "上海明天多云[1]，",
      "参考文献",
      " · 共 ",
    ];
    expect(inOrder(answered, order)).toEqual(order);
  });
});

describe("Agent 执行过程展示", () => {
  test("思考过程展示: on the screen it grows under 思考中... and folds when it is done", async () => {
    const { whileThinking, whileSearching } = await session();
    expect(whileThinking).toMatch(/💭 思考中\.\.\./u);
    expect(whileThinking).not.toContain("💡");
    expect(whileSearching).not.toContain("💭 思考中");
    expect(whileSearching).toMatch(/💡 思考过程 #1 \(\d+\.\d s\)/u);
  });

  test("工具选择思考过程展示: on the screen the choice of the tool and its reason stand before the call does", async () => {
    const { whileThinking, whileSearching } = await session();
    expect(whileThinking).toContain("要用 web_search 而不是 calculator");
    expect(whileThinking).not.toContain("🔧");
    expect(inOrder(whileSearching, ["天气是实时数据", "上海 明天 天气预报"])).toHaveLength(2);
  });

  test("工具调用展示: on the screen a search shows its query and whether it goes on, is done or has failed", async () => {
    const { whileSearching, answered } = await session();
    const line = (screen: string, query: string) => screen.split("\n").find((each) => each.includes(query)) ?? "";
    expect(line(whileSearching, "上海 明天 天气预报")).toMatch(/搜索/);
    expect(line(whileSearching, "上海 明天 天气预报")).not.toMatch(/✓|✗/);
    expect(line(answered, "上海 明天 天气预报")).toMatch(/^ *✓.*搜索/);
    expect(line(answered, "上海 明天 最高气温")).toMatch(/^ *✗.*搜索/);
    expect(answered).toContain("HTTP 500");
  });

  test("搜索结果展示: on the screen their number, and of the first three the title and the snippet", async () => {
    const { answered } = await session();
    expect(answered).toContain("4 条结果");
    for (const { title, content } of pages.slice(0, 3)) {
      const line = answered.split("\n").find((each) => each.includes(title)) ?? "";
      expect(line).toContain(content);
    }
    expect(answered).not.toContain("适合户外活动。");
  });

  test("继续调用工具判断思考过程展示: on the screen the judgement streams after a result, then the next call or the switch follows", async () => {
    const { whileJudging, answered } = await session();
    expect(inOrder(whileJudging, ["4 条结果", "💭 思考中...", "还不够；再查具体气温。"])).toHaveLength(3);
    expect(whileJudging).not.toContain("切换到回答");
    expect(
      inOrder(answered, ["预报里没有气温", "最高气温", "结果已经足够。", "⚖ 工具调用结果已满足要求"]),
    ).toHaveLength(4);
  });

  test("最终回答展示: on the screen the answer streams apart from the steps, which stay where they are", async () => {
    const { whileAnswering } = await session();
    expect(inOrder(whileAnswering, ["4 条结果", "切换到回答生成阶段", "上海明天多云[1]，"])).toHaveLength(3);
    const lines = whileAnswering.split("\n");
    const answer = lines.findIndex((line) => line.includes("上海明天多云"));
    expect(lines[answer - 1]?.trim()).toBe("");
  });

  test("最终回答展示: on the screen the list of the newest answer's steps stays open, a line per step, until /fold folds it; an older one stays as it is", async () => {
    const { open, folded, opened, newer, newerFolded } = await folding();
    const steps = [/💡 思考过程 #1 /, /✓ 🔧 .*搜索.* #2$/m, /✓ 🔧 .*calculator.* #3$/m, /💡 思考过程 #4 /];
    for (const step of steps) expect(open.filter((line) => step.test(line))).toHaveLength(1);
    expect(open.join("\n")).toContain("上海明天多云[1]。");

    expect(folded.filter((line) => line.includes("▸"))).toEqual(["▸ 步骤 #1-#4 已折叠（/fold 展开）"]);
    for (const step of steps) expect(folded.filter((line) => step.test(line))).toEqual([]);
    // All the rest stands where it stood: the question, the answer, its sources and its bill.
    const from = (lines: readonly string[], part: string) =>
      lines.slice(lines.findIndex((line) => line.includes(part)));
    const answerOf = (lines: readonly string[]) => {
      const answer = from(lines, "上海明天多云");
      return answer.slice(0, answer.findIndex((line) => line.includes(" · 共 ")) + 1);
    };
    expect(answerOf(open)).toContain("参考文献");
    expect(answerOf(folded)).toEqual(answerOf(open));
    expect(answerOf(opened)).toEqual(answerOf(open));
    expect(folded.filter((line) => line.includes("> 上海明天天气怎么样？"))).toHaveLength(1);

    expect(opened.filter((line) => line.includes("▸"))).toEqual([]);
    for (const step of steps) expect(opened.filter((line) => step.test(line))).toHaveLength(1);

    // The next answer has a list of its own; the older one stays as the person left it.
    for (const step of steps) expect(newer.filter((line) => step.test(line))).toHaveLength(1);
    expect(newerFolded.filter((line) => line.includes("▸"))).toEqual(["▸ 步骤 #5-#6 已折叠（/fold 展开）"]);
    for (const step of steps) expect(newerFolded.filter((line) => step.test(line))).toHaveLength(1);
  });

  test("最终回答展示: a list that has scrolled off the screen is not touched, and the person is told how to see it again", async () => {
    const { provider, env } = await setScene();
    const terminal = await startTerminal(["--mode", "agent"], {
      env: { ...env, TERM: "xterm-256color", OPENAI_BASE_URL: provider.openaiUrl },
      columns: 100,
      lines: 16,
    });
    provider.script("cheap", { toolCalls: [calculate("6*7")] }, { text: "够了。" });
    provider.script("strong", { text: Array.from({ length: 30 }, (_, row) => `第 ${row + 1} 行。`).join("\n\n") });
    await terminal.stands("Agent 模式");
    terminal.type("6*7 等于几？\r");
    await terminal.repeats(" · 共 ", 1);
    const before = terminal.scrollback();
    terminal.type("/fold\r");
    await terminal.stands("步骤列表已不在屏幕上");
    await terminal.stands("/expand");
    const after = terminal.scrollback();
    expect(after.slice(0, before.length - 5)).toEqual(before.slice(0, before.length - 5));
    terminal.type("/exit\r");
    expect(await terminal.ended()).toBe(0);
  });

  test("执行步骤折叠: /expand N opens a folded step on the screen, whole", async () => {
    const { answered, expanded } = await session();
    const opened = expanded.slice(answered.length - 200);
    for (const { title, url, content } of pages)
      for (const part of [title, url, content]) expect(opened).toContain(part);
  });
});

describe("Agent 错误处理", () => {
  test("LLM API 错误: on the screen a refused call ends the run with its reason and what to do, and the chat goes on", async () => {
    const { failed, code } = await session();
    expect(failed).toMatch(/✗ .*403/);
    expect(failed).not.toMatch(/\n\s+at |Error:/);
    expect(code).toBe(0);
  });

  test("异常恢复: on the screen what a broken run still found is told, and a failed one advises chat mode", async () => {
    const { recovered, failed } = await session();
    expect(inOrder(recovered, ["基于已有信息回答", "是 42。", "⚠ 这是不完整的回答"])).toHaveLength(3);
    expect(failed).toContain("/mode chat");
  });
});

describe("双模型配置", () => {
  test("UI 配置: each of the two models has a picker and a command of its own, and parameters of its own", async () => {
    const { answerPicker, answerChosen, modelPicker, modelChosen, provider } = await session();
    expect(answerPicker).toContain("❯ anthropic/strong");
    expect(answerChosen).toContain("已切换到模型 openai/wise");
    expect(modelPicker).toContain("❯ openai/cheap");
    expect(modelChosen).toContain("已切换到模型 openai/quick");
    const [decided, answered] = [provider.requests("quick"), provider.requests("wise")];
    expect(decided.map(({ body }) => [body.temperature, body.tools !== undefined])).toEqual([[0, true]]);
    expect(answered.map(({ body }) => [body.temperature, body.tools !== undefined])).toEqual([[1.2, false]]);
    for (const asked of [...decided, ...answered]) expect(told(asked)).toContain("你是谁？");
  });
});

describe("工具调用结果评估", () => {
  test("评估结果展示: on the screen the verdict says why no more tools are called, and what comes next", async () => {
    const { answered } = await session();
    expect(answered).toMatch(/⚖ 工具调用结果已满足要求，切换到回答生成阶段/u);
  });
});

describe("分阶段模型使用", () => {
  test("模型切换提示: on the screen the switch names the model and the reason", async () => {
    const { answered } = await session();
    expect(answered).toMatch(/(满足要求|足够).*切换到回答生成阶段 · openai\/cheap → anthropic\/strong/u);
  });
});

describe("成本和使用统计", () => {
  const bill =
    /决策 openai\/cheap ×4 (\d+)→(\d+) tok (\d+\.\d) s.* · 回答 anthropic\/strong ×1 (\d+)→(\d+) tok (\d+\.\d) s.* · 共 (\d+) tok · \d+\.\d s/;

  test("Token 使用监控: after the answer one line says what thinking, calling tools and answering took together", async () => {
    const [, ...numbers] = (bill.exec((await session()).answered) ?? []).map(Number);
    const [decideIn = 0, decideOut = 0, , answerIn = 0, answerOut = 0, , total] = numbers;
    expect(total).toBe(decideIn + decideOut + answerIn + answerOut);
  });

  test("分别统计 token 使用: the line on the screen has the tokens of each model", async () => {
    expect((await session()).answered).toMatch(bill);
  });

  test("分别统计调用次数: the line on the screen has the calls of each model", async () => {
    const { answered } = await session();
    expect(answered).toContain("openai/cheap ×4");
    expect(answered).toContain("anthropic/strong ×1");
  });

  test("分别统计执行时间: the line on the screen has the time of each phase", async () => {
    const { answered, answeredMs } = await session();
    const [line = "", , , decide, , , answer] = bill.exec(answered) ?? [];
    const whole = Number(/(\d+\.\d) s$/.exec(line)?.[1]);
    for (const time of [decide, answer]) expect(Number(time)).toBeGreaterThanOrEqual(0.3);
    // Each is rounded to a tenth of a second.
    expect(Number(decide) + Number(answer)).toBeLessThanOrEqual(whole + 0.2);
    expect(whole).toBeLessThanOrEqual(answeredMs / 1000 + 0.1);
  });
});
