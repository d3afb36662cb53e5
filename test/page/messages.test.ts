import { beforeAll, expect, test } from "vitest";
import { inChromium } from "./chromium.ts";
import { type PageDuet, startPageDuet } from "./page-duet.ts";
import { readKept } from "./read-kept.ts";
import { answered, ask, gate, send, untilRun } from "./screen.ts";
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
