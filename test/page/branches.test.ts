import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { inChromium } from "./chromium.ts";
import { type PageDuet, startPageDuet } from "./page-duet.ts";
import { answered, ask, gate, untilRun } from "./screen.ts";
import { checkFaults, openPage, type WatchedPage } from "./watched-page.ts";

/** What the server keeps of conversations, as people use it in two tabs and two browsers. */
inChromium("conversations and their branches in a browser", () => {
  let duet: PageDuet;
  let watched: WatchedPage;
  let other: WatchedPage | undefined;
  beforeAll(async () => {
    duet = await startPageDuet({ environment: { DEFAULT_MODE: "chat" } });
    watched = await openPage(duet.origin);
  });
  checkFaults(() => [watched, other]);
  const questions = (page: Page) => page.locator(".question").allTextContents();
  const answers = (page: Page) => page.locator(".answer .words").allTextContents();
  const say = (...texts: string[]) => duet.provider.script("strong", ...texts.map((text) => ({ text })));

  /** Takes the pen to a question and sends other words. */
  async function edit(page: Page, question: string, words: string): Promise<void> {
    const turn = page.locator(".turn").filter({ hasText: question }).first();
    await turn.hover();
    await turn.getByRole("button", { name: "修改问题" }).click();
    await page.getByRole("textbox", { name: "修改问题" }).fill(words);
    await page.keyboard.press("Enter");
  }

  describe("branches", () => {
    test("a question asked in other words keeps the first; arrows lead there and back, also after a reload and in another browser", async () => {
      const { page } = watched;
      say("甲。", "跟进。");
      await ask(page, "第一种问法");
      await answered(page);
      await ask(page, "然后呢？");
      await answered(page);
      say("乙。");
      await edit(page, "第一种问法", "第二种问法");
      await expect.poll(() => answers(page)).toEqual(["乙。"]);
      const versions = page.getByRole("group", { name: "这个问题的其他写法" });
      await versions.getByText("2/2").waitFor();
      await versions.getByRole("button", { name: "上一个版本" }).click();
      await expect.poll(() => questions(page)).toEqual(["第一种问法", "然后呢？"]);
      expect(await answers(page)).toEqual(["甲。", "跟进。"]);
      await page.reload();
      await expect.poll(() => questions(page)).toEqual(["第一种问法", "然后呢？"]);
      other = await openPage(duet.origin);
      await other.page.getByRole("button", { name: "第一种问法" }).first().click();
      await expect.poll(() => questions(other?.page ?? page)).toEqual(["第一种问法", "然后呢？"]);
      await other.page.getByRole("button", { name: "下一个版本" }).click();
      await expect.poll(() => questions(other?.page ?? page)).toEqual(["第二种问法"]);
    });

    test("an answer that is asked for anew stands beside the first", async () => {
      const { page } = watched;
      await page.getByRole("button", { name: "新对话" }).click();
      say("一个答案。", "另一个答案。");
      await ask(page, "随便说一个");
      await answered(page);
      await page.getByRole("button", { name: "重新回答" }).click();
      await expect.poll(() => answers(page)).toEqual(["另一个答案。"]);
      const versions = page.getByRole("group", { name: "这个问题的其他回答" });
      await versions.getByRole("button", { name: "上一个版本" }).click();
      await expect.poll(() => answers(page)).toEqual(["一个答案。"]);
      expect(await page.getByRole("group", { name: "这个问题的其他写法" }).count()).toBe(0);
    });

    test("two tabs that edit the same question at once make two branches, and nothing is lost", async () => {
      const { page } = watched;
      const second = other?.page ?? page;
      await page.getByRole("button", { name: "新对话" }).click();
      say("原来的。");
      await ask(page, "同一个问题");
      await answered(page);
      await second.goto(page.url());
      await expect.poll(() => answers(second)).toEqual(["原来的。"]);
      const [one, two] = [gate(), gate()];
      duet.provider.script(
        "strong",
        { text: "左。", hang: "after-text", until: one.until },
        { text: "右。", hang: "after-text", until: two.until },
      );
      await edit(page, "同一个问题", "左边改的");
      await untilRun(page, ({ answer }) => answer === "左。");
      await edit(second, "同一个问题", "右边改的");
      await untilRun(second, ({ answer }) => answer === "右。");
      one.open();
      two.open();
      for (const [tab, question] of [
        [page, "左边改的"],
        [second, "右边改的"],
      ] as const) {
        await answered(tab);
        // Until a tab has read the branches it may show what the other one asks as well.
        await expect.poll(() => questions(tab)).toEqual([question]);
        await tab.getByRole("group", { name: "这个问题的其他写法" }).getByText("/3").waitFor();
      }
    });
  });

  test("a question that waits for the run's end is seen in both tabs, can be taken back, and is asked by itself", async () => {
    const { page } = watched;
    const second = other?.page ?? page;
    await page.getByRole("button", { name: "新对话" }).click();
    const last = gate();
    duet.provider.script("strong", { text: "慢慢说。", hang: "after-text", until: last.until }, { text: "排到了。" });
    await ask(page, "慢的问题");
    await untilRun(page, ({ answer }) => answer === "慢慢说。");
    await second.goto(page.url());
    for (const text of ["会取回", "会留下"]) {
      await page.getByRole("textbox", { name: "输入问题" }).fill(text);
      await page.keyboard.press("Alt+Enter");
      await page.locator(".queue li").filter({ hasText: text }).waitFor();
    }
    await second.locator(".queue li").filter({ hasText: "会留下" }).waitFor();
    await page.locator(".queue li").filter({ hasText: "会取回" }).getByRole("button", { name: "取回" }).click();
    await expect.poll(() => page.getByRole("textbox", { name: "输入问题" }).inputValue()).toBe("会取回");
    await page.getByRole("textbox", { name: "输入问题" }).fill("");
    last.open();
    for (const tab of [page, second]) {
      await expect.poll(() => answers(tab)).toEqual(["慢慢说。", "排到了。"]);
      expect(await questions(tab)).toEqual(["慢的问题", "会留下"]);
      await tab.locator(".queue").waitFor({ state: "detached" });
    }
  });

  test("a run goes on when its page is closed, and is there when it is opened again", async () => {
    const { page } = watched;
    const tab = await page.context().newPage();
    await tab.goto(duet.origin);
    const last = gate();
    duet.provider.script("strong", { text: "没人看也说完。", hang: "after-text", until: last.until });
    await ask(tab, "关掉页面？");
    await untilRun(tab, ({ answer }) => answer !== "");
    const address = tab.url();
    await tab.close();
    last.open();
    await page.goto(address);
    await expect.poll(() => answers(page)).toEqual(["没人看也说完。"]);
    // What it did is opened where one looks, and the keyboard goes on from there.
    await page.getByRole("button", { name: "查看执行过程" }).click();
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("步骤 1 步");
  });

  describe("the list", () => {
    const row = (page: Page, title: string) => page.locator(".conversation").filter({ hasText: title });

    /** Opens the menu of a conversation and chooses from it. */
    async function choose(page: Page, title: string, item: string): Promise<void> {
      await row(page, title).first().hover();
      await page.getByRole("button", { name: `“${title}”的更多操作` }).click();
      await page.getByRole("menuitem", { name: item, exact: true }).click();
    }

    test("a conversation is renamed and pinned, and another tab sees it at once", async () => {
      const { page } = watched;
      const second = other?.page ?? page;
      await choose(page, "关掉页面？", "重命名");
      await page.getByRole("textbox", { name: "新标题" }).fill("我的标题");
      await page.keyboard.press("Enter");
      await row(second, "我的标题").waitFor();
      await choose(page, "我的标题", "置顶");
      for (const tab of [page, second]) await tab.getByRole("region", { name: "置顶" }).getByText("我的标题").waitFor();
    });

    test("what is typed right after the key for the search is searched for", async () => {
      const { page } = watched;
      await page.locator(".conversation button").first().focus();
      const focused = await page.evaluate(`(async () => {
        const key = { key: "k", ctrlKey: true, bubbles: true, cancelable: true };
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", key));
        await undefined;
        return document.activeElement.id;
      })()`);
      expect(focused).toBe("search");
    });

    test("what was said is found again, with the words around it", async () => {
      const { page } = watched;
      await page.getByRole("searchbox", { name: "搜索对话" }).fill("没人看");
      await page.locator("nav[data-searching=true] mark").getByText("没人看").waitFor();
      expect(await page.locator(".conversation").count()).toBe(1);
      await page.getByRole("searchbox", { name: "搜索对话" }).fill("哪里都没有");
      await page.getByText("没有找到匹配的对话。").waitFor();
      await page.keyboard.press("Escape");
      await row(page, "慢的问题").waitFor();
    });

    test("a deleted conversation comes back when it is undone; an exported one is a file with all that was said", async () => {
      const { page } = watched;
      await choose(page, "慢的问题", "删除");
      await row(page, "慢的问题").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "撤销" }).click();
      await row(page, "慢的问题").waitFor();
      const download = page.waitForEvent("download");
      await choose(page, "慢的问题", "导出为 Markdown");
      const file = await download;
      expect(file.suggestedFilename()).toBe("慢的问题.md");
      expect(await readFile(await file.path(), "utf8")).toContain("排到了。");
    });

    test("what a person thinks of an answer is kept", async () => {
      const { page } = watched;
      await row(page, "慢的问题").locator(".open-conversation").click();
      const last = page.locator(".turn").last();
      const kept = page.waitForResponse(/feedback$/);
      await last.getByRole("button", { name: "回答得好", exact: true }).click();
      await kept;
      await page.reload();
      await expect
        .poll(() => last.getByRole("button", { name: "回答得好", exact: true }).getAttribute("aria-pressed"))
        .toBe("true");
      const words = page.waitForRequest(/feedback$/);
      await last.getByRole("textbox", { name: "说说为什么（可选）" }).fill("说得清楚");
      await page.keyboard.press("Enter");
      expect((await words).postDataJSON()).toEqual({ rating: "up", comment: "说得清楚" });
      await last.getByText("谢谢，已记下。").waitFor();
    });
  });

  test("another language changes the words of the page alone: what is being written stays, and a comment that was sent", async () => {
    const { page } = watched;
    const [first, last] = [page.locator(".turn").first(), page.locator(".turn").last()];
    say("好。");
    await ask(page, "用量多少？");
    await answered(page);
    await first.hover();
    await first.getByRole("button", { name: "回答得不好" }).click();
    await first.getByRole("textbox", { name: "说说为什么（可选）" }).fill("太短");
    await last.hover();
    await last.getByRole("button", { name: "修改问题" }).click();
    await last.getByRole("textbox", { name: "修改问题" }).fill("改到一半");
    await page.locator(".conversation").first().hover();
    await page.locator(".conversation .open-menu").first().click();
    await page.getByRole("menuitem", { name: "重命名" }).click();
    await page.getByRole("textbox", { name: "新标题" }).fill("标题写到一半");
    const language = page.getByRole("combobox", { name: /语言|Language/ });
    await language.selectOption("en");
    await page.getByText("Thank you, noted.").waitFor();
    expect(await page.getByRole("textbox", { name: "New title" }).inputValue()).toBe("标题写到一半");
    expect(await page.getByRole("textbox", { name: "Say why, if you like" }).inputValue()).toBe("太短");
    expect(await page.getByRole("textbox", { name: "Edit the question" }).inputValue()).toBe("改到一半");
    expect(await last.locator(".fold-bill").textContent()).toMatch(/^Usage[^\p{Script=Han}]*$/u);
    await language.selectOption("zh");
    await page.getByRole("textbox", { name: "新标题" }).press("Escape");
    await page.getByRole("textbox", { name: "修改问题" }).press("Escape");
  });

  test("the first answer gives the conversation a title that says what it is about", async () => {
    const titled = await startPageDuet({
      environment: { DEFAULT_MODE: "chat" },
      settings: { conversations: { store: "memory", titles: true } },
    });
    const { page, faults } = await openPage(titled.origin);
    titled.provider.script("strong", { text: "带伞。" });
    titled.provider.script("cheap", { text: "出门要带的东西" });
    await ask(page, "明天下雨吗？要带什么？");
    await answered(page);
    await page.getByRole("heading", { name: "出门要带的东西" }).waitFor();
    await page.locator(".conversation").getByText("出门要带的东西").waitFor();
    expect(faults).toEqual([]);
  });
});
