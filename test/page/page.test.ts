import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { written } from "../agent/plan/planning.ts";
import { type Cable, layCable } from "./cable.ts";
import { inChromium } from "./chromium.ts";
import { hostile, hostileWords } from "./hostile-answer.ts";
import { type PageDuet, startPageDuet } from "./page-duet.ts";
import { answered, ask, chooseMode, gate, send, untilRun } from "./screen.ts";
import { checkFaults, openPage, type WatchedPage } from "./watched-page.ts";

inChromium("the page in a browser", () => {
  let duet: PageDuet;
  let watched: WatchedPage;
  let cable: Cable;
  beforeAll(async () => {
    cable = await layCable();
    const { host, origin } = new URL(cable.origin);
    const http = { allowedHosts: [host], allowedOrigins: [origin] };
    duet = await startPageDuet({ settings: { tools: { ask: ["calculator"] }, serve: { http } } });
    cable.lead(Number(new URL(duet.origin).port));
    watched = await openPage(cable.origin, { meant: /net::ERR_/ });
  });
  checkFaults(() => [watched]);

  test("at its first paint it has asked nobody but us, and weighs less than 120 kB", async () => {
    expect(watched.requests[0]).toBe("GET /");
    const expected = [
      "GET /",
      "GET /agent/settings",
      "GET /agent/conversations",
      "GET /agent/runs",
      "GET /signin/session",
      "GET /manifest.webmanifest",
      "GET /agent/events",
      "GET /agent/usage",
    ];
    expect(expected).toEqual(expect.arrayContaining(watched.requests));
    const packed = await readFile("dist/chat-page.html.br");
    expect(packed.length).toBeLessThan(120_000);
  });

  test("what is chosen before the server has said what it has stays chosen, and so does the place in which one writes", async () => {
    const { page } = watched;
    const slow = gate();
    await page.route("**/agent/settings", async (route) => {
      await slow.until;
      await route.continue();
    });
    await page.reload();
    await chooseMode(page, "Plan 模式");
    await page.getByRole("searchbox").focus();
    const last = page.waitForResponse(/\/agent\/runs/);
    slow.open();
    await last;
    await page.unroute("**/agent/settings");
    await page.locator("nav .none").waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("search");
    await page.getByRole("button", { name: "模型与参数" }).click();
    await page.getByRole("combobox", { name: "模型" }).first().getByText("offline").waitFor({ state: "attached" });
    await page.keyboard.press("Escape");
    expect(await page.getByRole("banner").textContent()).toContain("Plan 模式");
  });

  describe("a plan", () => {
    test("is a checklist that waits; changed in words it is made anew; confirmed, its steps are ticked off", async () => {
      const { page } = watched;
      await chooseMode(page, "Plan 模式");
      const one = { description: "算出平均", tool: "calculator", parameters: { expression: "(24+17)/2" } };
      const two = { description: "查天气", tool: "web_search", parameters: { query: "上海天气" } };
      duet.provider.script("cheap", { text: written(one) }, { text: written(two) });
      duet.provider.script("strong", { text: "多云[1]。" });
      await ask(page, "先规划");
      await page.locator(".plan li").getByText("算出平均").waitFor();
      await page.getByRole("button", { name: "修改" }).click();
      await page.getByRole("textbox", { name: /要修改什么/ }).fill("改成查天气");
      await page.getByRole("button", { name: "提交修改" }).click();
      await page.locator(".plan li").getByText("查天气").waitFor();
      await page.getByRole("button", { name: "确认执行" }).click();
      const shown = await answered(page);
      expect(shown.answer).toBe("多云[1]。");
      expect(await page.locator(".plan li").allTextContents()).toEqual([
        expect.stringMatching(/^查天气 web_search 已完成/),
      ]);
      expect(JSON.stringify(duet.provider.requests("cheap").at(-1)?.body)).toContain("改成查天气");
    });

    test("that is not wanted is not carried out", async () => {
      const { page } = watched;
      const searched = duet.search.journal.length;
      duet.provider.script("cheap", {
        text: written({ description: "查别的", tool: "web_search", parameters: { query: "x" } }),
      });
      await ask(page, "再规划");
      await page.locator(".plan li").getByText("查别的").waitFor();
      await page.getByRole("group", { name: "执行这个计划吗？" }).getByRole("button", { name: "取消" }).click();
      await untilRun(page, ({ status }) => status !== "等待确认" && !/正在|思考/.test(status));
      expect(duet.search.journal).toHaveLength(searched);
    });
  });

  describe("a call that needs consent", () => {
    test("shows every argument, and runs when it is allowed", async () => {
      const { page } = watched;
      await chooseMode(page, "Agent 模式");
      duet.provider.script("cheap", { toolCalls: [calculate("6*7")] }, { text: "够了。" });
      duet.provider.script("strong", { text: "是 42。" });
      await ask(page, "六乘七？");
      const question = page.getByRole("group", { name: /允许执行这个工具吗？/ });
      await question.getByText('"expression": "6*7"').waitFor();
      expect(await question.getByRole("button").allTextContents()).toEqual([
        "允许这一次",
        "本次对话中都允许",
        "不允许",
        "本次对话中都不允许",
      ]);
      await question.getByRole("button", { name: "允许这一次" }).click();
      const { steps } = await answered(page);
      expect(steps[0]?.text).toContain("42");
    });

    test("does not run when it is refused, and the model is told", async () => {
      const { page } = watched;
      duet.provider.script("cheap", { toolCalls: [calculate("246*135")] }, { text: "不算了。" });
      duet.provider.script("strong", { text: "没有算。" });
      await ask(page, "246 乘 135？");
      await page.getByRole("button", { name: "不允许", exact: true }).click();
      const { steps } = await answered(page);
      expect(steps[0]?.text).toContain("✗");
      expect(JSON.stringify(steps)).not.toContain("33210");
    });
  });

  test("the stop button ends the run, and so does Escape; the focus is where one writes", async () => {
    const { page } = watched;
    for (const stop of [
      () => page.getByRole("button", { name: "停止" }).click(),
      () => page.keyboard.press("Escape"),
    ]) {
      duet.provider.script("cheap", { text: "够了。" });
      duet.provider.script("strong", { text: "说到一半", hang: "after-text" });
      await ask(page, "停得下来吗？");
      await untilRun(page, ({ answer }) => answer.includes("一半"));
      await stop();
      const { answer } = await untilRun(page, ({ status }) => status === "已取消");
      expect(answer).toContain("说到一半");
      await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("message");
    }
  });

  test("loaded again in the middle of a run, it shows all of it once, and goes on", async () => {
    const { page } = watched;
    await page.getByRole("button", { name: "新对话" }).click();
    const last = gate();
    duet.provider.script("cheap", { text: "先搜索。", toolCalls: [search("天气")] }, { text: "够了。" });
    duet.provider.script("strong", { text: "前半句，后半句。", hang: "after-text", until: last.until, chunkSize: 100 });
    await ask(page, "会断吗？");
    await untilRun(page, ({ answer }) => answer.includes("前半句"));
    await page.reload();
    const again = await untilRun(page, ({ answer }) => answer.includes("前半句"));
    expect(again.answer.match(/前半句/g)).toHaveLength(1);
    expect(again.steps).toHaveLength(3);
    expect(await page.locator(".turn").count()).toBe(1);
    last.open();
    const shown = await answered(page);
    expect(shown.answer).toBe("前半句，后半句。");
    expect(await page.locator(".question").allTextContents()).toEqual(["会断吗？"]);
  });

  test("a first question that one looks away from is found again: in the list, in the tab's title, after a reload", async () => {
    const { page } = watched;
    await page.getByRole("button", { name: "新对话" }).click();
    duet.provider.script("cheap", { toolCalls: [calculate("7*8")] }, { text: "够了。" });
    duet.provider.script("strong", { text: "是 56。" });
    await ask(page, "七乘八？");
    await page.getByRole("group", { name: /允许执行这个工具吗？/ }).waitFor();
    await expect.poll(() => page.title()).toBe("(1) 七乘八？ · Duet");
    await page.getByRole("button", { name: "新对话" }).click();
    const entry = page
      .locator(".conversation[data-mark=waits]")
      .getByRole("button", { name: "七乘八？ 等待你", exact: true });
    await entry.waitFor();
    expect(page.url()).not.toContain("conversation=");
    await page.reload();
    await expect.poll(() => page.title()).toBe("(1) Duet");
    await entry.click();
    await page.getByRole("button", { name: "允许这一次" }).click();
    expect((await answered(page)).answer).toBe("是 56。");
    await expect.poll(() => page.title()).toBe("七乘八？ · Duet");
    await page.locator(".conversation[data-current=true][data-mark='']").waitFor();
  });

  test("a conversation has an address: back, forward and another tab open it, with all that it did", async () => {
    const { page } = watched;
    const address = page.url();
    expect(address).toMatch(/#conversation=conv-/);
    await page.goBack();
    await page.getByRole("heading", { name: "新对话" }).waitFor();
    await page.goForward();
    await page.locator(".question").getByText("七乘八？").waitFor();
    const other = await page.context().newPage();
    await other.goto(address);
    await other.getByRole("button", { name: "查看执行过程" }).click();
    const { steps } = await untilRun(other, (shown) => shown.steps.length === 3);
    expect(steps.map(({ title }) => title)).toEqual([
      expect.stringMatching(/^工具调用阶段 1 · 1 次调用 openai\/cheap/),
      expect.stringMatching(/^工具调用阶段 2 openai\/cheap/),
      expect.stringMatching(/^回答生成阶段 anthropic\/strong/),
    ]);
    await other.close();
  });

  test("a lost connection is told, and what was missed is there when it is back", async () => {
    const { page } = watched;
    const last = gate();
    duet.provider.script("cheap", { text: "够了。" });
    duet.provider.script("strong", { text: "一二三。", hang: "after-text", until: last.until });
    await ask(page, "断网？");
    await untilRun(page, ({ answer }) => answer.includes("一二三"));
    cable.cut();
    await page.getByText("连接已断开，正在重新连接…").waitFor();
    await send(page, "断网时问的");
    const problem = page.getByRole("alert").filter({ hasText: "无法连接到服务器" });
    await problem.waitFor();
    expect(await problem.textContent()).not.toMatch(/[a-z]/i);
    last.open();
    cable.mend();
    const shown = await answered(page);
    expect(shown.answer).toBe("一二三。");
    await page.getByText("连接已断开").waitFor({ state: "hidden" });
    await problem.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "取回" }).click();
    await page.getByRole("textbox", { name: "输入问题" }).fill("");
  });

  describe("a hostile answer", () => {
    test("loads nothing, runs nothing and leads nowhere; what it would have done can be read", async () => {
      const { page } = watched;
      await page.getByRole("button", { name: "新对话" }).click();
      const before = watched.requests.length;
      duet.provider.script("cheap", { text: "够了。" });
      duet.provider.script("strong", { text: hostile });
      await ask(page, "骗我？");
      const { answer } = await answered(page);
      for (const words of hostileWords) expect(answer).toContain(words);
      const links = await page.evaluate<string[]>(
        "[...document.querySelectorAll('.answer a')].map(({ href }) => new URL(href).protocol)",
      );
      expect(new Set(links)).toEqual(new Set(["https:"]));
      expect(await page.locator(".answer :is(img, script, iframe, form, style, svg, object)").count()).toBe(0);
      expect(await page.evaluate("window.hacked")).toBeUndefined();
      const made = watched.requests.slice(before).filter((each) => !/ \/agent\//.test(each));
      expect(made).toEqual([]);
    });

    test("of 200 KB is shown whole, and each block of it is drawn about once", async () => {
      const { page } = watched;
      const long = Array.from(
        { length: 2000 },
        (_, n) => `## 第 ${n} 节\n\n**文字** \`code\` [链](https://example.com/${n}) ${"字".repeat(60)}`,
      );
      duet.provider.script("cheap", { text: "够了。" });
      duet.provider.script("strong", { text: long.join("\n\n"), chunkSize: 400 });
      await page.evaluate(`window.drawn = 0; new MutationObserver((changes) => {
        for (const { addedNodes } of changes) drawn += addedNodes.length;
      }).observe(document.body, { childList: true, subtree: true });`);
      await ask(page, "写长一点");
      await answered(page);
      await expect
        .poll(() => page.locator(".turn").last().locator(".answer .words").textContent())
        .toContain("第 1999 节");
      // Two blocks for each heading, and what was drawn again while it was still being written; drawing all of it at each piece would be a thousand times that.
      expect(await page.evaluate<number>("drawn")).toBeLessThan(3 * 2 * long.length);
    });
  });

  describe("by the keyboard alone", () => {
    test("all can be reached, and what has the focus is seen", async () => {
      const { page } = watched;
      await page.getByRole("button", { name: "新对话" }).click();
      await page.keyboard.press("Tab");
      const reached: string[] = [];
      for (let presses = 0; presses < 8; presses += 1) {
        reached.push(
          await page.evaluate<string>(
            "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.id) || document.activeElement.textContent",
          ),
        );
        await page.keyboard.press("Tab");
      }
      expect(reached).toEqual(expect.arrayContaining(["mode_selector", "模型与参数", "发送"]));
      await page.getByRole("link", { name: "跳到输入框" }).focus();
      expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).not.toBe("none");
      await page.keyboard.press("Enter");
      expect(await page.evaluate("document.activeElement.id")).toBe("message");
    });

    test("Shift and Enter begin a line, Enter sends", async () => {
      const { page } = watched;
      duet.provider.script("cheap", { text: "够了。" });
      duet.provider.script("strong", { text: "两行。" });
      await page.getByRole("textbox", { name: "输入问题" }).fill("");
      await page.keyboard.type("第一行");
      await page.keyboard.press("Shift+Enter");
      await page.keyboard.type("第二行");
      await page.keyboard.press("Enter");
      await answered(page);
      expect(await page.locator(".question").last().textContent()).toBe("第一行\n第二行");
    });
  });

  test("on a phone nothing is wider than the screen, and the conversations are behind a button", async () => {
    const { page } = watched;
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    await page.getByRole("button", { name: "打开对话列表" }).click();
    await page.getByRole("button", { name: /^会断吗？/ }).click();
    await page.getByRole("heading", { name: "会断吗？" }).waitFor();
    expect(await page.getByRole("button", { name: "打开对话列表" }).isVisible()).toBe(true);
    await page.setViewportSize({ width: 1200, height: 800 });
  });

  test("in English all is English, and the language is told to screen readers", async () => {
    const { page } = watched;
    await page.getByRole("combobox", { name: /语言/ }).selectOption("en");
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.getByText("What would you like to know?").waitFor();
    expect(await page.evaluate("document.documentElement.lang")).toBe("en");
    const shown = await page.locator("div.main").textContent();
    expect(shown).not.toMatch(/\p{Script=Han}/u);
    const asked = page.waitForRequest(/conversations\?.*q=/);
    await page.getByRole("searchbox").fill("nothing");
    expect((await (await asked).allHeaders())["accept-language"]).toBe("en");
    await page.getByRole("searchbox").fill("");
    await page.getByRole("combobox", { name: /Language/ }).selectOption("zh");
  });
});

function calculate(expression: string) {
  return { name: "calculator", arguments: { expression } };
}

function search(query: string) {
  return { name: "web_search", arguments: { query } };
}
