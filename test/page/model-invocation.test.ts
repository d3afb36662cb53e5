import { beforeAll, describe, expect, test } from "vitest";
import { inChromium } from "./chromium.ts";
import { type PageDuet, startPageDuet } from "./page-duet.ts";
import { answered, ask, chooseMode, foldsOf, gate, readRun, type Shown, told, untilRun } from "./screen.ts";
import { checkFaults, openPage, type WatchedPage } from "./watched-page.ts";

/** The scenarios of docs/development/model-invocation.md that speak of a screen, as a person sees them in a browser. */
inChromium("docs/development/model-invocation.md in a browser", () => {
  let duet: PageDuet;
  let watched: WatchedPage;
  beforeAll(async () => {
    duet = await startPageDuet();
    watched = await openPage(duet.origin);
  });
  checkFaults(() => [watched]);

  describe("对话模式选择", () => {
    test("模式选择器显示: both modes of the requirement are there when a conversation begins, each with its words", async () => {
      const options = await modeSelector().getByRole("option").allTextContents();
      expect(options).toEqual(expect.arrayContaining(["Chat 模式", "Agent 模式"]));
      const welcome = await watched.page.locator(".welcome").textContent();
      for (const words of ["常规对话,可手动启用联网搜索", "智能助手,自动决策是否需要联网搜索"])
        expect(welcome).toContain(words);
    });

    test("默认模式配置: the welcome says which mode it begins in", async () => {
      await watched.page.getByText(/当前模式：(Chat|Agent) 模式/).waitFor();
    });

    test("模式说明: the questions to try need tools only in a mode that has them", async () => {
      const { page } = watched;
      const weather = page.getByRole("button", { name: "北京天气" });
      await chooseMode(page, "Agent 模式");
      await weather.waitFor();
      await chooseMode(page, "Chat 模式");
      await page.getByRole("button", { name: "用一句话解释什么是递归" }).waitFor();
      expect(await weather.count()).toBe(0);
    });

    test("模式切换: at once, with the history cleared and a word that says so", async () => {
      const { page } = watched;
      await chooseMode(page, "Chat 模式");
      duet.provider.script("strong", { text: "你好。" });
      await ask(page, "你好");
      await answered(page);
      await chooseMode(page, "Agent 模式");
      await told(page, "已切换到 Agent 模式，对话历史已清除。");
      expect(await page.locator(".turn").count()).toBe(0);
    });

    test("模式说明: each mode says what it is", async () => {
      const { page } = watched;
      await chooseMode(page, "Chat 模式");
      await page.locator("#mode_help").getByText("常规对话,可手动启用联网搜索").waitFor();
      await chooseMode(page, "Agent 模式");
      await page.getByRole("combobox", { name: "对话模式" }).focus();
      await page.locator("#mode_help").getByText("智能助手,自动决策是否需要联网搜索").waitFor();
      // Beside the hint of the search switch, which says much the same, it is there for whoever looks at the modes.
      await page.getByRole("textbox", { name: "输入问题" }).focus();
      await page.locator("#mode_help").waitFor({ state: "hidden" });
      await page.locator("#search_help").waitFor();
    });
  });

  describe("模式 UI 组件", () => {
    test("设置面板模式选择器: with the id, the label and the options of the requirement", async () => {
      expect(await modeSelector().getAttribute("id")).toBe("mode_selector");
      const [first, second] = await modeSelector().getByRole("option").allTextContents();
      expect([first, second]).toEqual(["Chat 模式", "Agent 模式"]);
    });

    test("模式选择器交互: by the keyboard too, and what is chosen is marked", async () => {
      const { page } = watched;
      await modeSelector().focus();
      await page.keyboard.press("ArrowUp");
      await told(page, "已切换到 Chat 模式");
      expect(await page.getByRole("button", { name: /^Chat 模式/ }).getAttribute("aria-pressed")).toBe("true");
      await page.getByRole("button", { name: /^Agent 模式/ }).click();
      await told(page, "已切换到 Agent 模式");
      expect(await modeSelector().inputValue()).toBe("agent");
    });

    test("模式指示器: the mode stands at the top, and changes with the switch", async () => {
      const { page } = watched;
      await page.getByRole("banner").getByText("Agent 模式").waitFor();
      await chooseMode(page, "Chat 模式");
      await page.getByRole("banner").getByText("Chat 模式").waitFor();
    });

    test("搜索开关状态联动: barred in Agent mode with a word why, free again in Chat mode", async () => {
      const { page } = watched;
      await chooseMode(page, "Agent 模式");
      await expect.poll(() => searchSwitch().isDisabled()).toBe(true);
      expect(await page.getByTitle("Agent 模式下由 AI 自动决策搜索").count()).toBe(1);
      await chooseMode(page, "Chat 模式");
      await expect.poll(() => searchSwitch().isEnabled()).toBe(true);
      expect(await page.getByTitle("Agent 模式下由 AI 自动决策搜索").count()).toBe(0);
    });
  });

  describe("docs/development/web-search.md#搜索开关控制", () => {
    test("Chat 模式搜索开关: it can be switched by hand, and the question is searched for as it stands", async () => {
      const { page } = watched;
      await chooseMode(page, "Chat 模式");
      await searchSwitch().check();
      duet.provider.script("strong", { text: "多云[1]，24 度[2]。" });
      await ask(page, "上海明天天气怎么样？");
      await answered(page);
      expect(duet.search.journal.at(-1)?.query).toBe("上海明天天气怎么样？");
    });

    test("Agent 引用结果: the numbers are links to their sources, which say their titles", async () => {
      const { page } = watched;
      await page.getByRole("link", { name: "来源 2：一周气温" }).click();
      expect(await page.evaluate("document.activeElement.textContent")).toBe("一周气温");
      expect(new URL(page.url()).hash).toMatch(/^#conversation=conv-[0-9a-f]+$/);
    });

    test("引用列表生成: the sources stand under the answer, and lead out without telling where from", async () => {
      const { page } = watched;
      await page.getByRole("heading", { name: "参考文献" }).waitFor();
      const link = page.getByRole("link", { name: "上海天气预报", exact: true });
      expect(await link.getAttribute("href")).toBe("https://tianqi.example/shanghai");
      expect(await link.getAttribute("rel")).toBe("noopener noreferrer nofollow");
      expect((await readRun(page)).sources).toEqual(["上海天气预报 tianqi.example", "一周气温 qiwen.example"]);
    });

    test("模式切换时开关状态: it is barred with its sentence, and comes back as it was", async () => {
      const { page } = watched;
      await chooseMode(page, "Agent 模式");
      await expect.poll(() => searchSwitch().isDisabled()).toBe(true);
      expect(await searchSwitch().isChecked()).toBe(false);
      await chooseMode(page, "Chat 模式");
      await expect.poll(() => searchSwitch().isChecked()).toBe(true);
      await searchSwitch().uncheck();
    });

    test("Agent 模式搜索开关: nobody can switch it, by the keyboard neither", async () => {
      const { page } = watched;
      await chooseMode(page, "Agent 模式");
      await page.locator("#search_help").getByText("Agent 模式下由 AI 自动决策搜索").waitFor();
      await page.getByText("联网搜索", { exact: true }).click({ force: true });
      expect(await searchSwitch().isChecked()).toBe(false);
      await chooseMode(page, "Chat 模式");
    });

    test("无引用处理: an answer without sources has no list of them", async () => {
      const { page } = watched;
      duet.provider.script("strong", { text: "水是 H2O。" });
      await ask(page, "水的化学式？");
      const shown = await answered(page);
      expect(shown.sources).toEqual([]);
      expect(await page.locator(".turn").last().getByRole("heading", { name: "参考文献" }).count()).toBe(0);
    });
  });

  describe("Agent 模式处理", () => {
    test("Agent 模式搜索开关禁用: with the requirement's sentence", async () => {
      await chooseMode(watched.page, "Agent 模式");
      await expect.poll(() => searchSwitch().isDisabled()).toBe(true);
      expect(await watched.page.locator("#search_help").textContent()).toBe("Agent 模式下由 AI 自动决策搜索");
    });

    test("Agent 模式错误降级: it says what failed, advises Chat mode, and does not switch by itself", async () => {
      const { page } = watched;
      duet.provider.script("cheap", { status: 400, body: '{"error":{"message":"bad"}}' });
      await ask(page, "会失败");
      await untilRun(page, ({ status }) => status.startsWith("失败"));
      await page.getByText("建议切换到 Chat 模式再试；模式不会自动切换。").waitFor();
      expect(await modeSelector().inputValue()).toBe("agent");
    });
  });

  test("模式状态管理 模式切换时历史清理: the next question knows nothing of what was said before", async () => {
    const { page } = watched;
    await chooseMode(page, "Chat 模式");
    duet.provider.script("strong", { text: "记住了。" }, { text: "不知道。" });
    await ask(page, "我叫小明");
    await answered(page);
    await chooseMode(page, "Agent 模式");
    await chooseMode(page, "Chat 模式");
    await ask(page, "我叫什么？");
    await answered(page);
    expect(JSON.stringify(duet.provider.requests("strong").at(-1)?.body.messages)).not.toContain("小明");
  });

  describe("Chainlit界面集成", () => {
    test("对话式测试界面: the answer with its tokens and its time", async () => {
      const { page } = watched;
      duet.provider.script("strong", { text: "你好。" });
      await ask(page, "在吗？");
      const shown = await answered(page);
      expect(shown.answer).toBe("你好。");
      expect(shown.bill).toMatch(/15 tok · \d+\.\d s/);
    });

    test("参数调节功能: what is changed goes along with the next question, and the page says so", async () => {
      const { page } = watched;
      await openSettings();
      await answerSettings().getByRole("textbox", { name: "max_tokens" }).fill("500");
      await page.keyboard.press("Enter");
      await told(page, "max_tokens：2000 → 500");
      await answerSettings().getByRole("textbox", { name: "temperature" }).fill("2");
      await page.keyboard.press("Tab");
      await answerSettings().getByRole("alert").filter({ hasText: "需要" }).waitFor();
      await answerSettings().getByRole("textbox", { name: "temperature" }).fill("");
      await page.keyboard.press("Tab");
      duet.provider.script("strong", { text: "短。" });
      await ask(page, "说短一点");
      await answered(page);
      expect(duet.provider.requests("strong").at(-1)?.body.max_tokens).toBe(500);
    });

    test("错误展示: the reason and what to do, without the key", async () => {
      const { page } = watched;
      const refused = { status: 401, body: '{"error":{"message":"invalid x-api-key"}}' };
      duet.provider.script("strong", refused);
      // It would answer in its place.
      duet.provider.script("cheap", refused);
      await ask(page, "会失败吗？");
      const { problem } = await untilRun(page, ({ status }) => status.startsWith("失败"));
      expect(problem).toMatch(/(?:ANTHROPIC|OPENAI)_API_KEY/);
      expect(problem).not.toContain("sk-test");
    });

    test("模型切换功能: another model answers from the next question on, and the history is cleared", async () => {
      const { page } = watched;
      await openSettings();
      await answerSettings().getByRole("combobox", { name: "模型" }).selectOption("deepseek/deepseek-reasoner");
      await told(page, "已切换到模型 deepseek/deepseek-reasoner，对话历史已清除。");
      expect(await page.locator(".turn").count()).toBe(0);
      await page.keyboard.press("Escape");
    });
  });

  describe("思考内容展示", () => {
    /** A model that thinks, read at each of its stations. */
    const seen: Record<"thinking" | "writing" | "end", Shown | undefined> = {
      thinking: undefined,
      writing: undefined,
      end: undefined,
    };
    let folds: string[] = [];
    beforeAll(async () => {
      const { page } = watched;
      // Chosen by the test before; said again, so that these can be run alone.
      await chooseMode(page, "Chat 模式");
      await openSettings();
      await answerSettings().getByRole("combobox", { name: "模型" }).selectOption("deepseek/deepseek-reasoner");
      const [thought, last] = [gate(), gate()];
      duet.provider.script("deepseek-flash", {
        reasoning: "9.11 的小数部分是 0.11。",
        thinkUntil: thought.until,
        text: "9.9 更大。",
        hang: "after-text",
        until: last.until,
      });
      const before = (await foldsOf(page)).length;
      await ask(page, "9.11 和 9.9 哪个大？");
      seen.thinking = await untilRun(page, ({ thoughts }) => thoughts[0]?.text.includes("0.11。") === true);
      thought.open();
      seen.writing = await untilRun(page, ({ answer }) => answer.includes("更大"));
      last.open();
      seen.end = await answered(page);
      folds = (await foldsOf(page)).slice(before);
    });

    test("推理内容流式展示: open, with its sign, while the model thinks", () => {
      expect(seen.thinking?.thoughts).toEqual([
        { title: "💭 思考中...", isOpen: true, text: "9.11 的小数部分是 0.11。" },
      ]);
      expect(seen.thinking?.answer).toBe("");
    });

    test("思考内容自动折叠: folded when the answer begins, under its other name", () => {
      expect(seen.writing?.thoughts[0]).toMatchObject({ title: "💡 思考过程", isOpen: false });
      expect(seen.writing?.status).not.toBe("已完成");
    });

    test("推理内容状态管理 状态标记跟踪: it is folded once, and never again", () => {
      expect(folds.filter((each) => each.startsWith("closed 💡"))).toHaveLength(1);
      expect(folds.filter((each) => /^open 💭/.test(each))).toHaveLength(1);
    });

    test("正式回答流式输出: in a place of its own, apart from the thought", () => {
      expect(seen.writing?.answer).toBe("9.9 更大。");
      expect(seen.end?.answer).not.toContain("小数部分");
    });

    test("流式展示思考过程: told apart by its sign, as it comes", () => {
      expect(seen.thinking?.thoughts[0]?.title).toContain("💭");
      expect(seen.thinking?.status).not.toBe("已完成");
    });

    test("自动折叠思考内容: the title changes with it", () => {
      expect(seen.end?.thoughts[0]).toMatchObject({ title: "💡 思考过程", isOpen: false });
    });

    test("手动展开思考内容: a click shows all of it again, and it stays open", async () => {
      const { page } = watched;
      const turn = page.locator(".turn").last();
      await turn.locator(".step > details > summary").first().click();
      await turn.getByText("💡 思考过程").click();
      await turn.getByText("9.11 的小数部分是 0.11。").waitFor({ state: "visible" });
      expect((await readRun(page)).thoughts[0]?.isOpen).toBe(true);
    });

    test("思考过程异常处理: a thought that breaks off is closed, the error is told, the next question works", async () => {
      const { page } = watched;
      duet.provider.script(
        "deepseek-flash",
        { reasoning: "想到一半", text: "半", cut: "before-finish" },
        { status: 400, body: '{"error":{"message":"bad"}}' },
        { text: "好了。" },
      );
      await ask(page, "会断吗？");
      const broken = await untilRun(page, ({ status }) => /失败|不完整/.test(status));
      expect(broken.thoughts.every(({ isOpen, title }) => !isOpen && !title.includes("思考中"))).toBe(true);
      expect(broken.problem).not.toBe("");
      await ask(page, "再来");
      await untilRun(page, ({ status }) => /失败|已完成/.test(status));
      await ask(page, "再来一次");
      await answered(page);
    });

    test("无思考内容的情况: a model that does not think has no place for it", async () => {
      const { page } = watched;
      await openSettings();
      await answerSettings().getByRole("combobox", { name: "模型" }).selectOption("deepseek/deepseek-chat");
      await told(page, "已切换到模型 deepseek/deepseek-chat");
      duet.provider.script("deepseek-flash", { text: "9.9。" });
      await ask(page, "哪个大？");
      const shown = await answered(page);
      expect(shown).toMatchObject({ thoughts: [], answer: "9.9。" });
    });
  });

  describe("DeepSeek 模型选择", () => {
    // The vendor serves both by one model, with thinking and without (its page of July 2026).
    test("选择 deepseek-chat 模型: it is chosen by the settings, and answers without a thought", () => {
      expect(duet.provider.requests("deepseek-flash").at(-1)?.body.thinking).toEqual({ type: "disabled" });
    });

    test("选择 deepseek-reasoner 模型: it is chosen by the settings, and thinks", () => {
      expect(duet.provider.requests("deepseek-flash")[0]?.body.thinking).toEqual({ type: "enabled" });
    });

    test("模型切换: the history is cleared and the switch confirmed", async () => {
      const { page } = watched;
      await openSettings();
      await answerSettings().getByRole("combobox", { name: "模型" }).selectOption("deepseek/deepseek-reasoner");
      await told(page, "已切换到模型 deepseek/deepseek-reasoner，对话历史已清除。");
      expect(await page.locator(".turn").count()).toBe(0);
    });
  });

  function modeSelector() {
    return watched.page.getByRole("combobox", { name: "💬 对话模式" });
  }

  function searchSwitch() {
    return watched.page.getByRole("switch", { name: "联网搜索" });
  }

  function answerSettings() {
    return watched.page.getByRole("group", { name: "回答模型" });
  }

  async function openSettings(): Promise<void> {
    const button = watched.page.getByRole("button", { name: "模型与参数" });
    if ((await button.getAttribute("aria-expanded")) === "false") await button.click();
  }
});
