import { beforeAll, describe, expect, test } from "vitest";
import { inChromium } from "./chromium.ts";
import { type PageDuet, startPageDuet } from "./page-duet.ts";
import { answered, ask, chooseMode, foldsOf, gate, readRun, type Shown, told, untilRun } from "./screen.ts";
import { checkFaults, openPage, type WatchedPage } from "./watched-page.ts";

/** The scenarios of docs/development/agent-mode.md that speak of a screen, as a person sees them in a browser. */
inChromium("docs/development/agent-mode.md in a browser", () => {
  let duet: PageDuet;
  let watched: WatchedPage;
  let other: WatchedPage | undefined;
  beforeAll(async () => {
    duet = await startPageDuet({ environment: { AGENT_MAX_ITERATIONS: "5", AGENT_MAX_TOOL_CALLS: "10" } });
    watched = await openPage(duet.origin);
  });
  checkFaults(() => [watched, other]);

  /** One question with three calls, read at each of its stations. */
  const seen: Record<"thinking" | "calling" | "again" | "both" | "writing" | "end", Shown> = {
    thinking: nothing(),
    calling: nothing(),
    again: nothing(),
    both: nothing(),
    writing: nothing(),
    end: nothing(),
  };
  let folds: string[] = [];
  beforeAll(async () => {
    const { provider, search } = duet;
    const { page } = watched;
    const [first, second, last] = [gate(), gate(), gate()];
    provider.script(
      "cheap",
      held("天气是实时数据，用 web_search 查上海明天的预报。", first.until, [searchFor("上海 明天 天气预报")]),
      held("预报里没有气温，再查两次。", second.until, [searchFor("上海 最高气温"), searchFor("上海 最低气温")]),
      { text: "结果已经足够。" },
    );
    provider.script("strong", held("上海明天**多云**[1]，最高 24 度[2]。", last.until));
    // A search is answered as soon as another one waits with it, which here is ours.
    search.together = 2;
    await ask(page, "上海明天天气怎么样？");
    seen.thinking = await untilRun(page, ({ steps }) => steps[0]?.text.includes("的预报。") === true);
    first.open();
    seen.calling = await untilRun(page, ({ status }) => status.includes("web_search"));
    await fetch(`${search.url}/search?q=x&format=json`);
    seen.again = await untilRun(page, ({ steps }) => steps[1]?.text.includes("再查两次。") === true);
    search.together = 3;
    second.open();
    seen.both = await untilRun(page, ({ steps }) => steps[1]?.text.match(/…\n搜索/g)?.length === 2);
    await fetch(`${search.url}/search?q=x&format=json`);
    search.together = 1;
    seen.writing = await untilRun(page, ({ answer }) => answer.includes("24 度"));
    last.open();
    seen.end = await answered(page);
    folds = await foldsOf(page);
  });

  describe("Agent 模式", () => {
    test("启用 Agent 模式: another mode and back again, each confirmed; the next question goes the agent's way", async () => {
      const { page } = await openAnother();
      await chooseMode(page, "Chat 模式");
      await told(page, "已切换到 Chat 模式");
      await chooseMode(page, "Agent 模式");
      await told(page, "已切换到 Agent 模式");
      duet.provider.script("cheap", { text: "这是常识。" });
      duet.provider.script("strong", { text: "水的化学式是 H2O。" });
      await ask(page, "水的化学式是什么？");
      const { steps } = await answered(page);
      expect(steps.map(({ title }) => title.split(" ")[0])).toEqual(["工具调用阶段", "回答生成阶段"]);
      const tools = JSON.stringify(duet.provider.requests("cheap").at(-1)?.body.tools);
      for (const name of ["web_search", "calculator", "file_search"]) expect(tools).toContain(`"${name}"`);
    });

    test("Agent 执行过程可视化: thoughts, calls, results and the answer, each with its model", () => {
      expect(seen.end.steps.map(({ title }) => title)).toEqual([
        expect.stringMatching(/^工具调用阶段 1 · 1 次调用 openai\/cheap/),
        expect.stringMatching(/^工具调用阶段 2 · 2 次调用 openai\/cheap/),
        expect.stringMatching(/^工具调用阶段 3 openai\/cheap/),
        expect.stringMatching(/^回答生成阶段 anthropic\/strong/),
      ]);
      expect(seen.end.answer).toBe("上海明天多云[1]，最高 24 度[2]。");
    });
  });

  describe("ReAct 循环", () => {
    test("Reasoning 阶段: the thought is shown while it is thought", () => {
      expect(seen.thinking.status).toContain("思考中...");
      expect(seen.thinking.steps).toHaveLength(1);
      expect(seen.thinking.steps[0]).toMatchObject({ isOpen: true, title: expect.stringContaining("openai/cheap") });
    });

    test("Acting 阶段: the call is shown with its query", () => {
      expect(seen.calling.status).toBe("正在调用 web_search…");
      expect(seen.calling.steps[0]?.text).toContain("上海 明天 天气预报");
    });

    test("Observing 阶段: the results are shown, and what is decided upon them", () => {
      expect(seen.again.steps[0]?.text).toContain("4 条结果");
      expect(seen.again.steps[1]?.text).toMatch(/判断是否还需要工具[\s\S]*预报里没有气温/);
    });

    test("循环终止: enough is known, and the whole answer is shown", () => {
      expect(seen.end.steps[2]?.text).toContain("结果已经足够。");
      expect(seen.end).toMatchObject({ status: "已完成", answer: expect.stringContaining("24 度") });
    });

    test("最大迭代限制: the limit is told, and what is known is answered", async () => {
      const { page } = await openAnother();
      duet.provider.script(
        "cheap",
        ...[1, 2, 3, 4, 5].map((n) => ({ text: "还要查。", toolCalls: [searchFor(`第 ${n} 次`)] })),
      );
      duet.provider.script("strong", { text: "目前只知道这些。" });
      await ask(page, "一直查下去？");
      const shown = await untilRun(page, ({ status }) => status.startsWith("回答不完整"));
      expect(shown.status).toContain("已达到最大迭代次数");
      expect(shown.answer).toContain("目前只知道这些。");
    });
  });

  describe("Agent 执行过程展示", () => {
    test("思考过程展示: the step is open while the model thinks, and folds by itself", () => {
      expect(seen.thinking.steps[0]?.isOpen).toBe(true);
      expect(seen.again.steps[0]?.isOpen).toBe(false);
      expect(folds[0]).toBe("open 工具调用阶段 1 openai/cheap");
    });

    test("工具选择思考过程展示: which tool and why, before the call itself", () => {
      expect(seen.thinking.steps[0]?.text).toContain("天气是实时数据，用 web_search 查上海明天的预报。");
      expect(seen.thinking.steps[0]?.text).not.toContain("参数");
      expect(seen.calling.steps[0]?.text).toMatch(/的预报。[\s\S]*搜索 · web_search/);
    });

    test("工具调用展示: a search has its own step with query and state, folded when it is done", () => {
      expect(seen.calling.steps[0]?.text).toMatch(/…\n搜索 · web_search\n参数/);
      expect(folds).toContain("open … 搜索 · web_search ");
      expect(folds.filter((each) => /^closed ✓ 搜索结果/.test(each))).toHaveLength(3);
    });

    test("搜索结果展示: how many, and the first three with their titles and words", () => {
      const text = seen.end.steps[0]?.text ?? "";
      expect(text).toMatch(/✓\n搜索结果 · web_search\n\d+ ms · 4 条结果/);
      const top = text.slice(0, text.indexOf("结果\n[1]"));
      for (const words of ["上海天气预报", "明天多云", "一周气温", "空气质量指数 42"]) expect(top).toContain(words);
      expect(top).not.toContain("出行建议");
    });

    test("继续调用工具判断思考过程展示: why more is needed, then that it is not, and what comes next", () => {
      expect(seen.again.steps[1]?.text).toContain("预报里没有气温");
      expect(seen.end.steps[2]?.text).toContain("切换到回答生成阶段");
    });

    test("最终回答展示: it is written in a place of its own, and the list of steps stays open, a folded line each", () => {
      expect(seen.writing.status).toBe("正在写回答…");
      expect(seen.writing.answer).toContain("上海明天多云");
      for (const shown of [seen.writing, seen.end]) {
        expect(shown.list).toEqual({ title: "步骤 4 步", isOpen: true, lines: 4 });
        expect(shown.steps.map(({ isOpen }) => isOpen)).toEqual([false, false, false, false]);
      }
      expect(folds.filter((each) => each.includes("步骤 "))).toEqual([expect.stringMatching(/^open 步骤/)]);
    });

    test("最终回答展示: the list of the newest answer folds when the person folds it, and opens again", async () => {
      const { page } = await openAnother();
      await askPlainly(page, "第一个问题？");
      const list = page.locator(".step-list").last();
      await list.locator(":scope > summary").click();
      expect((await readRun(page)).list).toEqual({ title: "步骤 2 步", isOpen: false, lines: 0 });
      expect((await readRun(page)).answer).toBe("回答：第一个问题？");
      await page.keyboard.press("Enter");
      expect((await readRun(page)).list).toEqual({ title: "步骤 2 步", isOpen: true, lines: 2 });
    });

    test("最终回答展示: the list of an older answer folds to its line when the next question comes, unless the person has opened it", async () => {
      const { page } = await openAnother();
      const lists = page.locator(".step-list");
      const areOpen = () => lists.evaluateAll((all) => all.map((each) => each.hasAttribute("open")));
      await askPlainly(page, "第一个问题？");
      expect(await areOpen()).toEqual([true]);
      await askPlainly(page, "第二个问题？");
      expect(await areOpen()).toEqual([false, true]);
      await lists.first().locator(":scope > summary").click();
      await askPlainly(page, "第三个问题？");
      expect(await areOpen()).toEqual([true, false, true]);
    });

    test("执行步骤折叠: a click on a folded step shows all of it, and it stays open", async () => {
      const { page } = watched;
      const step = page.locator(".step").first();
      await step.getByText(/^工具调用阶段 1/).click();
      await step.getByText("天气是实时数据").waitFor({ state: "visible" });
      await step.getByText(/^搜索结果/).click();
      await step.getByText("上海 明天 天气预报").waitFor({ state: "visible" });
      expect((await readRun(page)).steps[0]?.isOpen).toBe(true);
    });
  });

  describe("Agent 错误处理", () => {
    test("工具调用失败: the failed call says so, and the run goes on", async () => {
      const { page } = await openAnother();
      duet.search.fault = "broken";
      duet.provider.script("cheap", { toolCalls: [searchFor("坏了")] }, { text: "搜索失败，用已有知识。" });
      duet.provider.script("strong", { text: "凭已有知识回答。" });
      await ask(page, "搜索坏了怎么办？");
      const { steps } = await answered(page);
      duet.search.fault = undefined;
      expect(steps[0]?.text).toMatch(/✗/);
      expect(steps[1]?.text).toContain("搜索失败");
    });

    test("LLM API 错误: the reason and what to do are shown", async () => {
      const { page } = await openAnother();
      duet.provider.script("cheap", { status: 401, body: '{"error":{"message":"Incorrect API key provided"}}' });
      await ask(page, "会失败吗？");
      const shown = await untilRun(page, ({ status }) => status.startsWith("失败"));
      expect(shown.problem).toMatch(/OPENAI_API_KEY/);
      expect(shown.problem).not.toContain("sk-test-openai-0001");
    });

    test("无限循环检测: the same call again and again ends the loop, and the person is told", async () => {
      const { page } = await openAnother();
      const same = { text: "再算一次。", toolCalls: [average] };
      duet.provider.script("cheap", same, same, same, same);
      duet.provider.script("strong", { text: "重复了，先回答。" });
      await ask(page, "一直算？");
      const shown = await untilRun(page, ({ status }) => status.startsWith("回答不完整"));
      expect(shown.status).toContain("检测到重复操作");
      expect(await page.locator(".turn").last().textContent()).toMatch(/重新提问|切换/);
    });

    test("异常恢复: what failed is shown, and Chat mode is one button away", async () => {
      const { page } = await openAnother();
      duet.provider.script("cheap", { status: 400, body: '{"error":{"message":"bad"}}' });
      await ask(page, "坏请求？");
      await untilRun(page, ({ status }) => status.startsWith("失败"));
      await page.getByText("建议切换到 Chat 模式再试").waitFor();
      expect(await page.getByRole("combobox", { name: "💬 对话模式" }).inputValue()).toBe("agent");
      await page.getByRole("main").getByRole("button", { name: "Chat 模式" }).last().click();
      await told(page, "已切换到 Chat 模式");
    });
  });

  describe("Agent 性能优化", () => {
    test("流式输出优化: thought and answer are on the screen before they are whole", () => {
      expect(seen.thinking.status).not.toBe("已完成");
      expect(seen.writing.answer).not.toBe("");
      expect(seen.writing.status).not.toBe("已完成");
    });

    test("并发执行: two calls of one turn are on the screen side by side", () => {
      expect(seen.both.steps[1]?.title).toContain("2 次调用");
      for (const query of ["上海 最高气温", "上海 最低气温"]) expect(seen.both.steps[1]?.text).toContain(query);
    });

    test("Token 使用监控: the tokens of all phases are counted and shown", () => {
      expect(seen.end.bill).toMatch(/^用量 · 60 tok/);
    });
  });

  test("双 LLM 模型配置 UI 配置: two selectors, and parameters for each", async () => {
    const { page } = await openAnother();
    await page.getByRole("button", { name: "模型与参数" }).click();
    for (const [role, model] of [
      ["工具调用模型", "openai/cheap"],
      ["回答模型", "anthropic/strong"],
    ] as const) {
      const group = page.getByRole("group", { name: role });
      expect(await group.getByRole("combobox", { name: "模型" }).inputValue()).toBe(model);
      for (const name of ["temperature", "top_p", "max_tokens"])
        expect(await group.getByRole("textbox", { name }).isEditable()).toBe(true);
    }
    await page.getByRole("group", { name: "回答模型" }).getByRole("textbox", { name: "temperature" }).fill("0.3");
    await page.keyboard.press("Enter");
    await page.getByRole("group", { name: "回答模型" }).getByRole("combobox").selectOption("deepseek/deepseek-chat");
    await told(page, "已切换到模型 deepseek/deepseek-chat");
    duet.provider.script("cheap", { text: "知道。" });
    duet.provider.script("deepseek-flash", { text: "由 DeepSeek 回答。" });
    await ask(page, "现在谁回答？");
    expect((await answered(page)).answer).toBe("由 DeepSeek 回答。");
    expect(duet.provider.requests("cheap").at(-1)?.body.temperature).not.toBe(0.3);
    expect(duet.provider.requests("deepseek-flash").at(-1)?.body.temperature).toBe(0.3);
  });

  test("工具调用结果评估 评估结果展示: the verdict, its reason, and that the answer comes next", () => {
    expect(seen.end.steps[2]?.text).toContain("⚖ 工具调用结果已满足要求，切换到回答生成阶段。");
  });

  describe("分阶段模型使用", () => {
    test("工具调用阶段使用 function_call_llm: its name stands at each step", () => {
      for (const { title } of seen.end.steps.slice(0, 3)) expect(title).toMatch(/^工具调用阶段 \d.*openai\/cheap/);
    });

    test("回答生成阶段使用 answer_llm: its name stands at the answer's step, which streams", () => {
      expect(seen.writing.steps[3]?.title).toBe("回答生成阶段 anthropic/strong");
    });

    test("模型切换提示: from which model to which, and why", () => {
      expect(seen.writing.steps[3]?.text).toBe(
        "工具调用结果已满足要求，由 openai/cheap 切换到 anthropic/strong 生成最终回答",
      );
    });

    test("流式输出支持: both phases stream, one after the other", () => {
      expect(seen.thinking.steps[0]?.title).toBe("工具调用阶段 1 openai/cheap");
      expect(seen.writing.steps.at(-1)?.title).toBe("回答生成阶段 anthropic/strong");
    });
  });

  describe("成本和使用统计", () => {
    test("分别统计 token 使用: each model's tokens, all of them, and the cost as far as it is known", async () => {
      const { page } = watched;
      await page.getByText(/^用量 · 60 tok/).click();
      const terms = await page.locator(".bill dd").allTextContents();
      expect(terms).toEqual(expect.arrayContaining(["30 → 15", "10 → 5", "未知"]));
    });

    test("分别统计调用次数: how often each model was asked", () => {
      expect(seen.end.bill).toMatch(/openai\/cheap调用3[\s\S]*anthropic\/strong调用1/);
    });

    test("分别统计执行时间: how long each phase took", () => {
      expect(seen.end.bill.match(/时间\d+\.\d s/g)).toHaveLength(2);
    });
  });

  /** One question that needs no tool, to its end. */
  async function askPlainly(page: WatchedPage["page"], question: string): Promise<void> {
    duet.provider.script("cheap", { text: "不需要工具。" });
    duet.provider.script("strong", { text: `回答：${question}` });
    await ask(page, question);
    await untilRun(page, ({ status, answer }) => status === "已完成" && answer === `回答：${question}`);
  }

  /** A second tab with nothing in it, the same for all: a page load costs more than all that is asked there. */
  async function openAnother(): Promise<WatchedPage> {
    other ??= await openPage(duet.origin);
    await other.page.getByRole("button", { name: "新对话" }).click();
    await chooseMode(other.page, "Agent 模式");
    return other;
  }
});

const average = { name: "calculator", arguments: { expression: "(24 + 17) / 2" } };

function searchFor(query: string) {
  return { name: "web_search", arguments: { query } };
}

/** Says its text, then waits, then makes its calls. */
function held(text: string, until: Promise<void>, toolCalls: { name: string; arguments: object }[] = []) {
  return { text, until, hang: "after-text" as const, toolCalls };
}

function nothing(): Shown {
  return { status: "", list: undefined, steps: [], thoughts: [], answer: "", sources: [], bill: "", problem: "" };
}
