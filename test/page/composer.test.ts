import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { written } from "../agent/plan/planning.ts";
import { inChromium } from "./chromium.ts";
import { type PageDuet, startPageDuet } from "./page-duet.ts";
import { answered, ask, chooseMode, gate, send, told, untilRun } from "./screen.ts";
import { checkFaults, openPage, type WatchedPage } from "./watched-page.ts";

/** Where one writes, and what stands beside it. */
inChromium("the field and the cards in a browser", () => {
  let duet: PageDuet;
  let watched: WatchedPage;
  beforeAll(async () => {
    duet = await startPageDuet({ settings: { tools: { ask: ["calculator"] } } });
    watched = await openPage(duet.origin, { meant: /ERR_FAILED/ });
  });
  checkFaults(() => [watched]);
  beforeEach(() => watched.page.setViewportSize({ width: 1280, height: 800 }));
  beforeEach(() => watched.page.setViewportSize({ width: 1280, height: 800 }));
  const field = () => watched.page.getByRole("textbox", { name: "输入问题" });
  const asked = () => watched.page.locator(".question").allTextContents();

  describe("in little room", () => {
    test("the talk has most of the window, and begins at its top", async () => {
      const { page } = watched;
      const rooms: number[] = [];
      for (const [width, height] of windows) {
        await page.setViewportSize({ width, height });
        rooms.push(await heightOf(".talk"));
        expect(await page.evaluate("document.querySelector('.talk').scrollTop")).toBe(0);
        expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
        for (const name of ["输入问题", "发送", "模型与参数"]) expect(await visible(name)).toBe(true);
      }
      for (const [at, least] of [400, 190, 240, 380].entries()) expect(rooms[at]).toBeGreaterThan(least);
    });

    test("the next key after Ctrl+K is searched for, in place of what was searched before, wherever the list was", async () => {
      const { page } = watched;
      for (const [width, height] of [windows[0], [1280, 800]] as const) {
        await page.setViewportSize({ width, height });
        await field().click();
        if (width > 760) await page.keyboard.press("Control+Shift+S");
        // The next key is a task of its own, which comes after what the one before it has left to be done.
        const focused = await page.evaluate(`(async () => {
          const key = { key: "k", ctrlKey: true, bubbles: true, cancelable: true };
          document.activeElement.dispatchEvent(new KeyboardEvent("keydown", key));
          await undefined;
          return document.activeElement.id;
        })()`);
        expect(focused).toBe("search");
        for (const words of ["港口", "天气"]) {
          await page.keyboard.press("Control+k");
          await page.keyboard.insertText(words);
          expect(await page.locator("#search").inputValue()).toBe(words);
        }
        await page.keyboard.press("Escape");
        await page.keyboard.press("Escape");
      }
    });

    test("Ctrl+K leads to the search, also where the list comes in from the side", async () => {
      const { page } = watched;
      for (const [width, height] of [windows[0], [640, 400]] as const) {
        await page.setViewportSize({ width, height });
        await field().click();
        await page.keyboard.press("Control+k");
        await expect.poll(() => page.evaluate("document.activeElement.id"), { timeout: 5000 }).toBe("search");
        await page.keyboard.press("Escape");
        await page.locator("#search").waitFor({ state: "hidden" });
      }
    });

    test("a text that waits, and one that was not taken, is one line beside its buttons, whatever its length", async () => {
      const { page } = watched;
      const last = gate();
      duet.provider.script("cheap", { text: "慢", hang: "after-text", until: last.until });
      duet.provider.script("strong", { text: "好。" });
      await ask(page, "什么时候去港口？");
      await untilRun(page, ({ steps }) => steps[0]?.text.includes("慢") === true);
      await page.route(/\/messages$/, (route) => route.abort());
      await send(page, `不要${"很".repeat(120)}长`);
      await page.getByRole("button", { name: "重新发送" }).waitFor();
      await field().fill(
        "What is the best time of the year to visit the harbour with two small children, and how long does it take?",
      );
      await page.keyboard.press("Alt+Enter");
      const takeBack = page.locator(".queue").getByRole("button", { name: "取回" });
      await expect.poll(() => takeBack.count()).toBe(2);
      for (const [width, height] of windows) {
        await page.setViewportSize({ width, height });
        expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
        expect(await page.evaluate<number[]>(beyondComposer)).toEqual([]);
      }
      await page.unroute(/\/messages$/);
      for (const left of [1, 0]) {
        await takeBack.first().click();
        await expect.poll(() => takeBack.count()).toBe(left);
        await field().fill("");
      }
      last.open();
      await answered(page);
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByRole("button", { name: "新对话" }).click();
    });

    test("a call that needs consent can be read and answered", async () => {
      const { page } = watched;
      duet.provider.script("cheap", { toolCalls: [{ name: "calculator", arguments: { expression: "6*7\u202e" } }] });
      duet.provider.script("cheap", { text: "够了。" });
      duet.provider.script("strong", { text: "是 42。" });
      await ask(page, "六乘七？");
      await page.getByRole("button", { name: "允许这一次" }).waitFor();
      expect(await page.getByText("一次运行正在进行").isVisible()).toBe(false);
      expect(await page.getByText("一次运行正在进行").isVisible()).toBe(false);
      for (const place of [".ask", ".step"])
        expect(await page.locator(`${place} pre`).first().textContent()).toContain("6*7\\u{202e}");
      for (const [width, height] of windows) {
        await page.setViewportSize({ width, height });
        await expect.poll(() => isClear(".ask")).toBe(true);
      }
      await page.getByRole("button", { name: "允许这一次" }).click();
      await answered(page);
    });
  });

  test("what is to be changed of a plan is written and sent in sight", async () => {
    const { page } = watched;
    await chooseMode(page, "Plan 模式");
    const steps = Array.from({ length: 4 }, (_, n) => ({
      description: `第 ${n} 步`,
      tool: "web_search",
      parameters: { query: "x" },
    }));
    duet.provider.script("cheap", { text: written(...steps) });
    await ask(page, "先规划");
    await page.getByRole("button", { name: "修改" }).click();
    await expect.poll(() => isClear(".ask .field button")).toBe(true);
    await page.getByRole("group", { name: "执行这个计划吗？" }).getByRole("button", { name: "取消" }).click();
    await untilRun(page, ({ status }) => !/等待|正在|思考/.test(status));
  });

  describe("after a failure", () => {
    test("the same is asked again, in Chat mode where that may help", async () => {
      const { page } = watched;
      await chooseMode(page, "Agent 模式");
      duet.provider.script("cheap", { status: 400, body: '{"error":{"message":"bad"}}' });
      duet.provider.script("strong", { text: "聊天的回答。" });
      await ask(page, "会失败？");
      await untilRun(page, ({ status }) => status.startsWith("失败"));
      await page.getByRole("button", { name: "在 Chat 模式下重试" }).click();
      expect((await answered(page)).answer).toBe("聊天的回答。");
      await told(page, "已切换到 Chat 模式");
      expect(await asked()).toEqual(["会失败？"]);
    });

    test("of the key, Chat mode is not offered; the question is asked again as it was", async () => {
      const { page } = watched;
      await chooseMode(page, "Agent 模式");
      duet.provider.script("cheap", { status: 401, body: '{"error":{"message":"no"}}' }, { text: "够了。" });
      duet.provider.script("strong", { text: "现在行了。" });
      await ask(page, "密钥？");
      await untilRun(page, ({ status }) => status.startsWith("失败"));
      expect(await page.getByRole("button", { name: "在 Chat 模式下重试" }).isVisible()).toBe(false);
      await page.getByRole("button", { name: "重试", exact: true }).click();
      expect((await answered(page)).answer).toBe("现在行了。");
      expect(await asked()).toEqual(["密钥？"]);
    });
  });

  test("Enter while a run goes on passes on what is written, which stays in sight, and keeps a command; a running step counts its seconds", async () => {
    const { page } = watched;
    const last = gate();
    duet.provider.script("cheap", { text: "慢", hang: "after-text", until: last.until }, { text: "够了。" });
    duet.provider.script("strong", { text: "好。" });
    await ask(page, "慢的？");
    // Before its run has an ID, the page keeps what is sent.
    await untilRun(page, ({ steps }) => steps[0]?.text.includes("慢") === true);
    await send(page, "用法语");
    await expect.poll(() => field().inputValue()).toBe("");
    const said = page.getByRole("list", { name: "你在运行期间说的话" }).getByText("用法语", { exact: true });
    await said.waitFor();
    await page.getByText("等待模型读取").waitFor();
    await field().fill("长".repeat(10_001));
    await page.getByText("内容有 10,001 个字符，运行中一次最多发送 10,000 个").waitFor();
    await page.keyboard.press("Enter");
    expect((await field().inputValue()).length).toBe(10_001);
    await send(page, "/hepl");
    await page.getByText("这个页面没有 /hepl 命令").waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => field().inputValue()).toBe("");
    await page.getByRole("list", { name: "你在运行期间说的话" }).getByText("/hepl", { exact: true }).waitFor();
    await send(page, "/help");
    await page.getByText("一次运行正在进行").waitFor();
    await page.locator(".step summary .facts[data-seconds]").waitFor({ state: "attached" });
    last.open();
    await answered(page);
    await page.getByText("一次运行正在进行").waitFor({ state: "hidden" });
    expect(await page.locator("[data-seconds]").count()).toBe(0);
    await said.waitFor();
    expect(await page.getByText("等待模型读取").count()).toBe(0);
    await page.reload();
    await said.waitFor();
    await page.getByText("一次运行正在进行").waitFor({ state: "hidden" });
    expect(await field().inputValue()).toBe("/help");
  });

  test("the stop button looks the same under the pointer", async () => {
    const { page } = watched;
    const last = gate();
    duet.provider.script("cheap", { text: "慢", hang: "after-text", until: last.until });
    duet.provider.script("strong", { text: "好。" });
    await field().fill("");
    await ask(page, "慢的？");
    const stop = page.getByRole("button", { name: "停止" });
    const colors = () =>
      page.evaluate<string[]>(
        "(({ backgroundColor, color }) => [backgroundColor, color])(getComputedStyle(document.querySelector('.stop')))",
      );
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      await field().hover();
      const usual = await colors();
      await stop.hover();
      expect(await page.evaluate("document.querySelector('.stop').matches(':hover')")).toBe(true);
      expect(await colors()).toEqual(usual);
    }
    last.open();
    await answered(page);
  });

  test("an answer is copied whole; Up in the empty field brings the last question back", async () => {
    const { page } = watched;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator(".copying .copy").last().click();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe("好。");
    await field().fill("");
    await field().press("ArrowUp");
    expect(await field().inputValue()).toBe("慢的？");
  });

  describe("what cannot be sent", () => {
    test("a question that is too long is kept whole and told; a long one is folded", async () => {
      const { page } = watched;
      const before = await asked();
      await send(page, "长".repeat(100_001));
      await page.getByText("问题有 100,001 个字符，最多 100,000 个").waitFor();
      expect(await asked()).toEqual(before);
      duet.provider.script("cheap", { text: "够了。" });
      duet.provider.script("strong", { text: "读完了。" });
      await ask(page, "长".repeat(100_000));
      await answered(page);
      expect(await heightOf(".turn:last-child .question")).toBeLessThan(300);
      await page.getByRole("button", { name: "显示全部" }).click();
      expect(await heightOf(".turn:last-child .question")).toBeGreaterThan(300);
    });

    test("a parameter that is not allowed holds the question back, and says what is", async () => {
      const { page } = watched;
      const before = await asked();
      await page.getByRole("button", { name: "模型与参数" }).click();
      const temperature = page.getByRole("textbox", { name: "temperature" }).first();
      await temperature.fill("abc");
      await page.getByRole("button", { name: "模型与参数" }).click();
      await send(page, "温度？");
      await page.getByText("需要：0 <= temperature < 2").waitFor();
      expect(await page.evaluate("document.activeElement.id")).toBe("function_call_temperature");
      expect(await asked()).toEqual(before);
      await temperature.fill("");
      await page.getByRole("button", { name: "模型与参数" }).click();
    });
  });

  test("a draft is there again after a reload, and each conversation has its own; a new tab speaks as the last", async () => {
    const { page } = watched;
    await field().fill("没写完");
    await page.reload();
    await page.locator(".turn").first().waitFor();
    await expect.poll(() => field().inputValue()).toBe("没写完");
    await page.getByRole("button", { name: /^六乘七？/ }).click();
    await page.getByRole("heading", { name: "六乘七？" }).waitFor();
    expect(await field().inputValue()).toBe("");
    await page.getByRole("button", { name: /^密钥？/ }).click();
    await expect.poll(() => field().inputValue()).toBe("没写完");
    await chooseMode(page, "Plan 模式");
    expect(await field().inputValue()).toBe("没写完");
    await page.getByRole("combobox", { name: /语言/ }).selectOption("en");
    const tab = await page.context().newPage();
    await tab.goto(duet.origin);
    await tab.getByText("Current mode: Plan mode").waitFor();
    expect(await tab.getByRole("textbox", { name: "Your question" }).inputValue()).toBe("");
    await tab.close();
  });

  function heightOf(selector: string): Promise<number> {
    return watched.page.evaluate<number>(`document.querySelector(${JSON.stringify(selector)}).clientHeight`);
  }

  function visible(name: string): Promise<boolean> {
    return watched.page.getByLabel(name).or(watched.page.getByRole("button", { name })).first().isVisible();
  }

  /** Whether the whole of it is in sight, above the composer. */
  function isClear(selector: string): Promise<boolean> {
    return watched.page.evaluate<boolean>(`(() => {
      const boxOf = (of) => document.querySelector(of).getBoundingClientRect();
      const box = boxOf(".turn:last-child " + ${JSON.stringify(selector)});
      return box.top >= boxOf(".talk").top && box.bottom <= boxOf(".composer").top;
    })()`);
  }
});

/** Lists the right edges of the buttons that stand outside of where one writes, or are too narrow for a finger. */
const beyondComposer = `(() => {
  const { right } = document.querySelector(".composer").getBoundingClientRect();
  return [...document.querySelectorAll(".queue button")].map((button) => button.getBoundingClientRect())
    .filter((box) => box.right > right || box.width < 24).map((box) => box.right);
})()`;

/** A phone, a phone with its keyboard on the screen, and one on its side. */
const windows = [
  [360, 640],
  [360, 340],
  [844, 390],
  [320, 640],
] as const;
