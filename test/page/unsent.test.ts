import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { inChromium } from "./chromium.ts";
import { type PageDuet, startPageDuet } from "./page-duet.ts";
import { answered, ask, gate, send, untilRun } from "./screen.ts";
import { checkFaults, openPage, type WatchedPage } from "./watched-page.ts";

/** What was written is never lost, whatever the server or the model says to it. */
inChromium("texts and files that were not taken in a browser", () => {
  let duet: PageDuet;
  let watched: WatchedPage;
  beforeAll(async () => {
    duet = await startPageDuet({
      environment: { DEFAULT_MODE: "chat" },
      settings: { serve: { maxRuns: 1 } },
    });
    watched = await openPage(duet.origin, { meant: /status of (429|503)/ });
  });
  checkFaults(() => [watched]);
  beforeEach(() => watched.page.getByRole("button", { name: "新对话" }).click());

  const field = (page: Page) => page.getByRole("textbox", { name: "输入问题" });
  const questions = (page: Page) => page.locator(".question").allTextContents();
  const attach = (page: Page, name: string, text: string) =>
    page.locator(".choose-files").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  const lastRequest = () => JSON.stringify(duet.provider.requests("strong").at(-1)?.body.messages);

  /** Lists what the browser keeps of what was written, and the names of its files. */
  const keptTexts = async (page: Page) => (await readKept(page)).map(({ text }) => text);
  const keptFiles = async (page: Page) => (await readKept(page)).flatMap(({ files }) => files.map(({ name }) => name));
  const readKept = (page: Page) =>
    page.evaluate<{ text: string; files: { name: string }[] }[]>(`new Promise((resolve, reject) => {
      const opened = indexedDB.open("duet");
      opened.onerror = () => reject(opened.error);
      opened.onsuccess = () => {
        const all = opened.result.transaction("texts").objectStore("texts").getAll();
        all.onsuccess = () => {
          opened.result.close();
          resolve(all.result);
        };
      };
    })`);

  /** Keeps the only place of the server taken, from another tab. */
  async function occupy(): Promise<{ leave(): Promise<void> }> {
    const last = gate();
    const tab = await watched.page.context().newPage();
    await tab.goto(duet.origin);
    duet.provider.script("strong", { text: "占着。", hang: "after-text", until: last.until });
    await ask(tab, "占着位置");
    await untilRun(tab, ({ answer }) => answer === "占着。");
    return {
      async leave() {
        last.open();
        await answered(tab);
        await tab.close();
      },
    };
  }

  test("a refused question keeps its files, waits in its own place, and is sent again with them", async () => {
    const { page } = watched;
    const place = await occupy();
    await attach(page, "清单.txt", "牛奶和面包");
    await page.locator(".composer .file-name").getByText("清单.txt").waitFor();
    await ask(page, "买什么？");
    await page.getByRole("button", { name: "重试", exact: true }).waitFor();
    expect(await page.locator(".turn .file-name").allTextContents()).toEqual(["清单.txt"]);
    await page.getByRole("button", { name: /^占着位置/ }).click();
    await page.getByRole("heading", { name: "占着位置" }).waitFor();
    expect(await field(page).inputValue()).toBe("");
    await place.leave();
    await page.getByRole("button", { name: "新对话" }).click();
    const unsent = page.getByRole("list", { name: "没有发送成功" });
    await unsent.getByText("买什么？ (清单.txt)").waitFor();
    duet.provider.script("strong", { text: "买牛奶。" });
    await unsent.getByRole("button", { name: "重新发送" }).click();
    expect((await answered(page)).answer).toBe("买牛奶。");
    expect(lastRequest()).toContain("牛奶和面包");
    expect(await unsent.count()).toBe(0);
  });

  describe("after the page is gone", () => {
    test("what was written, chosen and refused is there again after a reload, and is gone once it is sent", async () => {
      const { page } = watched;
      const place = await occupy();
      await attach(page, "重载.txt", "重载前选的");
      await page.locator(".composer .file-name").getByText("重载.txt").waitFor();
      await ask(page, "没有位置？");
      await page.getByRole("button", { name: "重试", exact: true }).waitFor();
      await attach(page, "草稿.txt", "草稿里的");
      await field(page).fill("写到一半");
      // The browser writes in a process of its own, and what it has not written yet goes with the page.
      await expect.poll(() => keptFiles(page)).toContain("草稿.txt");
      await page.reload();
      const unsent = page.getByRole("list", { name: "没有发送成功" });
      await unsent.getByText("没有位置？ (重载.txt)").waitFor();
      await page.locator(".composer .file-name").getByText("草稿.txt").waitFor();
      expect(await field(page).inputValue()).toBe("写到一半");
      await place.leave();
      duet.provider.script("strong", { text: "收到。" });
      await page.keyboard.press("Enter");
      expect((await answered(page)).answer).toBe("收到。");
      expect(lastRequest()).toContain("草稿里的");
      await page.getByRole("button", { name: "新对话" }).click();
      await unsent.getByRole("button", { name: "取回" }).click();
      expect(await page.locator(".composer .file-name").allTextContents()).toEqual(["重载.txt"]);
      await page.getByRole("button", { name: "移除 重载.txt" }).click();
      await field(page).fill("");
      await expect.poll(() => keptTexts(page)).toEqual([]);
    });

    test("what a closed tab left is in the next one", async () => {
      const { page } = watched;
      const tab = await page.context().newPage();
      await tab.goto(duet.origin);
      await field(tab).fill("关掉之前写的");
      await expect.poll(() => keptTexts(page)).toEqual(["关掉之前写的"]);
      await tab.close();
      const next = await page.context().newPage();
      await next.goto(duet.origin);
      await expect.poll(() => field(next).inputValue()).toBe("关掉之前写的");
      await field(next).fill("");
      await expect.poll(() => keptTexts(page)).toEqual([]);
      await next.close();
    });

    test("a question that the server took just before a reload is in the list, is not offered again, and is asked once", async () => {
      const { page } = watched;
      const taken = Promise.withResolvers<void>();
      await page.route("**/agent/chat", async (route) => {
        const request = route.request();
        const { "content-length": _, host: __, connection: ___, ...headers } = await request.allHeaders();
        await fetch(request.url(), { method: "POST", headers, body: request.postData() });
        taken.resolve();
      });
      duet.provider.script("strong", { text: "收到了。" });
      await ask(page, "你收到了吗？");
      await taken.promise;
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await page.reload();
      await page.getByRole("button", { name: /^你收到了吗/ }).click();
      await untilRun(page, ({ answer }) => answer === "收到了。");
      await expect.poll(() => keptTexts(page)).toEqual([]);
      await page.getByRole("button", { name: "新对话" }).click();
      expect(await page.getByRole("list", { name: "没有发送成功" }).count()).toBe(0);
      const asked = duet.provider.requests("strong").map(({ body }) => JSON.stringify(body.messages));
      expect(asked.filter((words) => words.includes("你收到了吗？"))).toHaveLength(1);
    });

    test("a database that the browser has closed is opened again, and files without room are told of", async () => {
      const { page } = watched;
      const tab = await page.context().newPage();
      await tab.addInitScript(`{
        const { open } = IDBFactory.prototype;
        window.opened = [];
        IDBFactory.prototype.open = function (...of) {
          const request = open.apply(this, of);
          request.addEventListener("success", () => window.opened.push(request.result));
          return request;
        };
        const { put } = IDBObjectStore.prototype;
        IDBObjectStore.prototype.put = function (text) {
          if (text.files.length > 0) throw new DOMException("full", "QuotaExceededError");
          return put.call(this, text);
        };
      }`);
      await tab.goto(duet.origin);
      await field(tab).fill("关之前");
      await expect.poll(() => keptTexts(page)).toEqual(["关之前"]);
      await tab.evaluate("for (const each of opened) each.close()");
      await field(tab).fill("关之后");
      await expect.poll(() => keptTexts(page)).toEqual(["关之后"]);
      await attach(tab, "太大.txt", "放不下");
      await tab.getByText("浏览器没有保存文件").waitFor();
      expect(await readKept(page)).toMatchObject([{ text: "关之后", files: [] }]);
      await field(tab).fill("");
      await tab.getByRole("button", { name: "移除 太大.txt" }).click();
      await expect.poll(() => keptTexts(page)).toEqual([]);
      await tab.close();
    });

    test("a waiting question keeps its files, and the server and the page forget it once it has begun", async () => {
      const { page } = watched;
      const last = gate();
      duet.provider.script("strong", { text: "慢。", hang: "after-text", until: last.until }, { text: "读了。" });
      await ask(page, "还在答");
      await untilRun(page, ({ answer }) => answer === "慢。");
      const waiting = page.getByRole("list", { name: "排队中的问题" });
      for (const name of ["取回.txt", "留下.txt"]) {
        await attach(page, name, `${name}的内容`);
        await page.locator(".composer .file-name").getByText(name).waitFor();
        await field(page).fill(`看${name}`);
        await page.keyboard.press("Alt+Enter");
        await waiting.getByText(`看${name} (${name})`).waitFor();
        await expect.poll(() => keptFiles(page)).toContain(name);
      }
      // The page shows what waits before it knows whose texts it may read.
      const account = gate();
      await page.route("**/signin/session", (route) => account.until.then(() => route.continue()));
      await page.reload();
      await waiting.getByText("看取回.txt (取回.txt)").waitFor();
      const row = waiting.getByRole("listitem").filter({ hasText: "取回" });
      // A second click is none.
      for (const _ of ["first", "second"]) await row.getByRole("button", { name: "取回" }).click();
      account.open();
      await page.locator(".composer .file-name").getByText("取回.txt").waitFor();
      await page.unroute("**/signin/session");
      await page.getByRole("button", { name: "移除 取回.txt" }).click();
      await field(page).fill("");
      last.open();
      await untilRun(page, ({ answer }) => answer === "读了。");
      expect(lastRequest()).toContain("留下.txt的内容");
      await expect.poll(() => keptTexts(page)).toEqual([]);
    });
  });

  test("a browser that denies its storage still asks", async () => {
    const context = await watched.page.context().browser()?.newContext({ locale: "zh-CN" });
    const page = await context?.newPage();
    if (context === undefined || page === undefined) throw new Error("There is no browser.");
    await page.addInitScript(`for (const name of ["sessionStorage", "localStorage", "indexedDB"])
      Object.defineProperty(window, name, { get() { throw new DOMException("denied", "SecurityError"); } });
      navigator.locks.query = navigator.locks.request = () => Promise.reject(new DOMException("denied", "SecurityError"));`);
    await page.goto(duet.origin);
    duet.provider.script("strong", { text: "也行。" });
    await ask(page, "没有存储？");
    expect((await answered(page)).answer).toBe("也行。");
    await context.close();
  });

  test("a command and what only looks like one leave the files alone", async () => {
    const { page } = watched;
    await attach(page, "别丢.txt", "别丢我");
    await page.locator(".composer .file-name").getByText("别丢.txt").waitFor();
    await send(page, "/config");
    await page.locator(".note").first().waitFor();
    await send(page, "/help 我看看这个文件");
    await page.getByText("再按一次 Enter").waitFor();
    expect(await field(page).inputValue()).toBe("/help 我看看这个文件");
    duet.provider.script("strong", { text: "看了。" });
    await page.keyboard.press("Enter");
    expect((await answered(page)).answer).toBe("看了。");
    expect(lastRequest()).toContain("别丢我");
  });

  test("a question that failed is asked again in its place, with its files", async () => {
    const { page } = watched;
    duet.provider.script("strong", { status: 400, body: '{"error":{"message":"bad"}}' }, { text: "三行。" });
    await attach(page, "诗.txt", "床前明月光");
    await page.locator(".composer .file-name").getByText("诗.txt").waitFor();
    await ask(page, "几行？");
    await untilRun(page, ({ status }) => status.startsWith("失败"));
    await page.getByRole("button", { name: "重试", exact: true }).click();
    expect((await answered(page)).answer).toBe("三行。");
    expect(lastRequest()).toContain("床前明月光");
    expect(await questions(page)).toEqual(["几行？"]);
  });

  test("what replaces a failed edit follows what the first version followed, not the first version", async () => {
    const { page } = watched;
    duet.provider.script(
      "strong",
      { text: "旧答案。" },
      { status: 400, body: '{"error":{"message":"bad"}}' },
      { text: "新答案。" },
    );
    await ask(page, "旧问法");
    await answered(page);
    await edit(page, "旧问法", "坏问法");
    await untilRun(page, ({ status }) => status.startsWith("失败"));
    await edit(page, "坏问法", "新问法");
    expect((await answered(page)).answer).toBe("新答案。");
    expect(lastRequest()).not.toContain("旧答案。");
    await page.getByRole("group", { name: "这个问题的其他写法" }).getByText("3/3").waitFor();
  });

  test("a waiting question that is taken back leaves the draft alone and keeps its files", async () => {
    const { page } = watched;
    const last = gate();
    duet.provider.script("strong", { text: "慢。", hang: "after-text", until: last.until });
    await ask(page, "慢的问题");
    await untilRun(page, ({ answer }) => answer === "慢。");
    await attach(page, "附.txt", "附上的");
    await page.locator(".composer .file-name").getByText("附.txt").waitFor();
    await field(page).fill("先等着");
    await page.keyboard.press("Alt+Enter");
    const waiting = page.getByRole("list", { name: "排队中的问题" });
    await waiting.getByText("先等着 (附.txt)").waitFor();
    await field(page).fill("正在写");
    await waiting.getByRole("button", { name: "取回" }).click();
    const unsent = page.getByRole("list", { name: "没有发送成功" });
    await unsent.getByText("先等着 (附.txt)").waitFor();
    expect(await field(page).inputValue()).toBe("正在写");
    await unsent.getByRole("button", { name: "取回" }).click();
    expect(await field(page).inputValue()).toBe("正在写\n先等着");
    expect(await page.locator(".composer .file-name").allTextContents()).toEqual(["附.txt"]);
    await page.getByRole("button", { name: "移除 附.txt" }).click();
    await field(page).fill("");
    last.open();
    await answered(page);
  });

  test("a question that could not begin says why, and is tried again", async () => {
    const { page } = watched;
    const last = gate();
    duet.provider.script("strong", { text: "慢。", hang: "after-text", until: last.until });
    await ask(page, "先答这个");
    await untilRun(page, ({ answer }) => answer === "慢。");
    const [conversation = ""] = /[^/#=]+$/.exec(page.url()) ?? [];
    // Nothing has this number, which the page would not send.
    await page.evaluate(
      `fetch("/agent/conversations/${conversation}/queue", { method: "POST", headers: { "content-type": "application/json" },
        body: JSON.stringify({ message: "接着问", parent: 99 }) })`,
    );
    const waiting = page.getByRole("list", { name: "排队中的问题" });
    await waiting.getByText("接着问").waitFor();
    last.open();
    await waiting.getByText(/99/).waitFor();
    duet.provider.script("strong", { text: "接上了。" });
    await waiting.getByRole("button", { name: "重试" }).click();
    expect((await untilRun(page, ({ answer }) => answer === "接上了。")).answer).toBe("接上了。");
    await waiting.waitFor({ state: "detached" });
  });

  test("attached files stay with the conversation where they were attached", async () => {
    const { page } = watched;
    await converse("别的对话");
    await page.getByRole("button", { name: "新对话" }).click();
    await converse("有附件的对话");
    await attach(page, "只在这里.txt", "x");
    await page.locator(".composer .file-name").getByText("只在这里.txt").waitFor();
    await page.getByRole("button", { name: /^别的对话/ }).click();
    await page.getByRole("heading", { name: "别的对话" }).waitFor();
    expect(await page.locator(".composer .file").count()).toBe(0);
    await page.getByRole("button", { name: /^有附件的对话/ }).click();
    await page.locator(".composer .file-name").getByText("只在这里.txt").waitFor();
    await page.getByRole("button", { name: "移除 只在这里.txt" }).click();
  });

  test("two deleted conversations can both be restored", async () => {
    const { page } = watched;
    const row = (title: string) => page.locator(".conversation").filter({ hasText: title });
    for (const title of ["先删的", "后删的"]) {
      await page.getByRole("button", { name: "新对话" }).click();
      await converse(title);
    }
    for (const title of ["先删的", "后删的"]) {
      await row(title).hover();
      await row(title)
        .getByRole("button", { name: /更多操作/ })
        .click();
      await page.getByRole("menuitem", { name: "删除" }).click();
      await row(title).waitFor({ state: "detached" });
    }
    for (const title of ["先删的", "后删的"]) {
      await page.locator(".toast").filter({ hasText: title }).getByRole("button", { name: "撤销" }).click();
      await row(title).waitFor();
    }
    await page.locator(".toast").first().waitFor({ state: "detached" });
  });

  /** Has a question answered. */
  async function converse(question: string): Promise<void> {
    duet.provider.script("strong", { text: "好。" });
    await ask(watched.page, question);
    await answered(watched.page);
  }

  /** Takes the pen to a question and sends other words. */
  async function edit(page: Page, question: string, words: string): Promise<void> {
    const turn = page.locator(".turn").filter({ hasText: question }).first();
    await turn.hover();
    await turn.getByRole("button", { name: "修改问题" }).click();
    await page.getByRole("textbox", { name: "修改问题" }).fill(words);
    await page.keyboard.press("Enter");
    await page.locator(".question").getByText(words).waitFor();
  }
});
