import { beforeAll, expect, test } from "vitest";
import { inChromium } from "./chromium.ts";
import { type PageDuet, startPageDuet } from "./page-duet.ts";
import { readKept } from "./read-kept.ts";
import { answered, ask, chooseMode, gate, send, untilRun } from "./screen.ts";
import { checkFaults, openPage, type WatchedPage } from "./watched-page.ts";

/** What is said to a run of one model, whose answer may be written before it reads that. */
inChromium("what is said to a run in a browser", () => {
  let duet: PageDuet;
  let watched: WatchedPage;
  beforeAll(async () => {
    const model = JSON.stringify({ provider: "openai", model: "cheap" });
    duet = await startPageDuet({
      environment: { AGENT_ANSWER_MODEL: model },
      settings: { tools: { ask: ["calculator"] } },
    });
    watched = await openPage(duet.origin);
  });
  checkFaults(() => [watched]);

  test("what came too late for the models can be sent again, in the tab that said it, also after a reload", async () => {
    const { page } = watched;
    const last = gate();
    duet.provider.script("cheap", { text: "正在写。", hang: "after-text", until: last.until });
    await ask(page, "写一段");
    await untilRun(page, ({ steps }) => steps[0]?.text.includes("正在写。") === true);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.locator(".question").getByText("写一段").waitFor();
    const taken = page.waitForResponse(/\/messages$/);
    await send(page, "再写一段");
    expect((await taken).status()).toBe(202);
    last.open();
    const unsentOf = (tab: typeof page) => tab.getByRole("list", { name: "没有发送成功" });
    await unsentOf(page).getByText("再写一段").waitFor();
    await page.reload();
    await unsentOf(page).getByText("再写一段").waitFor();
    await answered(other);
    expect(await unsentOf(other).count()).toBe(0);
    await other.close();
    duet.provider.script("cheap", { text: "又写了。" });
    await unsentOf(page).getByRole("button", { name: "重新发送" }).click();
    expect((await untilRun(page, ({ answer }) => answer === "又写了。")).status).toContain("已完成");
    expect(await unsentOf(page).count()).toBe(0);
  });

  test("a file beside what is told to a run stays, which the page says before, and a file alone wants a question", async () => {
    const { page } = watched;
    await page.getByRole("button", { name: "新对话" }).click();
    const last = gate();
    duet.provider.script("cheap", { text: "在做。", hang: "after-text", until: last.until }, { text: "看了附件。" });
    await ask(page, "做一件事");
    await untilRun(page, ({ steps }) => steps[0]?.text.includes("在做。") === true);
    const file = { name: "附.txt", mimeType: "text/plain", buffer: Buffer.from("附上的") };
    await page.locator(".choose-files").setInputFiles(file);
    const fileName = page.locator(".composer .file-name");
    await fileName.getByText("附.txt").waitFor();
    const word = page.locator("#message_word");
    await send(page, "");
    await word.getByText("还要写一个问题").waitFor();
    await page.getByRole("textbox", { name: "输入问题" }).fill("附件说了什么？");
    await word.getByText("Enter 只发送文字").waitFor();
    await page.keyboard.press("Alt+Enter");
    await page.getByRole("list", { name: "排队中的问题" }).getByText("附件说了什么？ (附.txt)").waitFor();
    expect(await fileName.count()).toBe(0);
    last.open();
    expect((await untilRun(page, ({ answer }) => answer === "看了附件。")).status).toContain("已完成");
    await page.locator(".choose-files").setInputFiles(file);
    await fileName.getByText("附.txt").waitFor();
    await send(page, "");
    await word.getByText("还要写一个问题").waitFor();
    await page.getByRole("button", { name: "移除 附.txt" }).click();
    await word.waitFor({ state: "hidden" });
  });

  test("in Chat mode, where the answer is all that a run writes, Enter lets what is typed wait with its files, and it is asked then", async () => {
    const { page } = watched;
    await page.getByRole("button", { name: "新对话" }).click();
    await chooseMode(page, "Chat 模式");
    const last = gate();
    duet.provider.script("cheap", { text: "慢。", hang: "after-text", until: last.until }, { text: "也答了。" });
    await ask(page, "慢的问题");
    await untilRun(page, ({ answer }) => answer === "慢。");
    await page.getByPlaceholder("下一个问题，Enter 排队").waitFor();
    const file = { name: "附.txt", mimeType: "text/plain", buffer: Buffer.from("附上的") };
    await page.locator(".choose-files").setInputFiles(file);
    await page.locator(".composer .file-name").getByText("附.txt").waitFor();
    await send(page, "还有呢？");
    await page.getByRole("list", { name: "排队中的问题" }).getByText("还有呢？ (附.txt)").waitFor();
    expect(await page.locator(".composer .file").count()).toBe(0);
    expect(await page.getByRole("alert").filter({ hasText: /./ }).count()).toBe(0);
    last.open();
    await untilRun(page, ({ answer }) => answer === "也答了。");
    expect(JSON.stringify(duet.provider.requests("cheap").at(-1)?.body.messages)).toContain("附上的");
    await page.getByPlaceholder("问点什么").waitFor();
    await chooseMode(page, "Agent 模式");
  });

  test("what the models have read is not offered again", async () => {
    const { page } = watched;
    const call = gate();
    const tool = { name: "current_time", arguments: {} };
    duet.provider.script(
      "cheap",
      { text: "查。", toolCalls: [tool], hang: "after-text", until: call.until },
      { text: "早上好。" },
    );
    await ask(page, "几点了？");
    await untilRun(page, ({ steps }) => steps[0]?.text.includes("查。") === true);
    const taken = page.waitForResponse(/\/messages$/);
    await send(page, "简短一点");
    await taken;
    await expect.poll(() => readKept(page)).toContain("简短一点");
    await page.reload();
    await untilRun(page, ({ steps }) => steps[0]?.text.includes("查。") === true);
    call.open();
    expect((await untilRun(page, ({ answer }) => answer === "早上好。")).answer).toBe("早上好。");
    // What waits for the word of its run is not shown either.
    await expect.poll(() => readKept(page)).not.toContain("简短一点");
    await page.reload();
    await page.getByText("早上好。").waitFor();
    expect(await page.getByRole("list", { name: "没有发送成功" }).count()).toBe(0);
  });
});
