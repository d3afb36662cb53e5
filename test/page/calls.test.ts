import { beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../../src/kit/json.ts";
import { toTool } from "../../src/tools/user-tool.ts";
import { findViolations, loadAxe } from "./axe.ts";
import { inChromium } from "./chromium.ts";
import { type PageDuet, startPageDuet } from "./page-duet.ts";
import { answered, ask } from "./screen.ts";
import { checkFaults, openPage, type WatchedPage } from "./watched-page.ts";

const lineCount = 9000;

const lines = Array.from({ length: lineCount }, (_, n) => `第 ${n + 1} 行：<b>数据</b>`).join("\n");

const define = (name: string, properties: JsonObject, run: () => unknown) =>
  toTool({ name, description: name, inputSchema: { type: "object", properties }, run }, "the test");

/** What calls of tools want to do, and what they give back. */
inChromium("calls of tools in a browser", () => {
  let duet: PageDuet;
  let watched: WatchedPage;
  beforeAll(async () => {
    const text = { type: "string" };
    const tools = await Promise.all([
      define("edit_file", { path: text, oldText: text, newText: text }, () => "edited"),
      define("list_lines", {}, () => lines),
    ]);
    duet = await startPageDuet({ tools, settings: { tools: { ask: ["edit_file"] } } });
    watched = await openPage(duet.origin);
    await loadAxe(watched.page);
  });
  checkFaults(() => [watched]);

  async function askFor(name: string, given: JsonObject, question: string): Promise<void> {
    duet.provider.script("cheap", { text: "好。", toolCalls: [{ name, arguments: given }] }, { text: "够了。" });
    duet.provider.script("strong", { text: "完成。" });
    await ask(watched.page, question);
  }

  test("an approval shows a change by its lines, with signs for the eye and words for the ear; what compares is loaded then", async () => {
    const { page, requests } = watched;
    const loaded = () => requests.filter((request) => request.includes("/page/review"));
    expect(loaded()).toEqual([]);
    const [oldText, newText] = [
      "const a = 1;\nconst b = 2;\nrun(a);",
      "const a = 1;\nconst b = 3;\nrun(a, b);\n<i>x</i>",
    ];
    await askFor("edit_file", { path: "src/a.ts", oldText, newText }, "改一下");
    const review = page.getByRole("group", { name: "这次调用要做的改动" });
    await review.waitFor();
    expect(await review.locator(".review-line").evaluateAll((all) => all.map((line) => line.textContent))).toEqual([
      expect.stringContaining('"path": "src/a.ts"'),
      "oldText · +3 −2",
      "  const a = 1;",
      "- 删除 const b = 2;",
      "- 删除 run(a);",
      "+ 新增 const b = 3;",
      "+ 新增 run(a, b);",
      "+ 新增 <i>x</i>",
    ]);
    expect(loaded()).toHaveLength(1);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      expect(await findViolations(page)).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.getByRole("button", { name: "允许这一次" }).click();
    await answered(page);
  });

  test("of a long change the beginning and the end are shown, and all of it when that is asked for, at 320 pixels too", async () => {
    const { page } = watched;
    await page.setViewportSize({ width: 320, height: 640 });
    const newText = Array.from({ length: 1500 }, (_, n) => `line ${n} ${"x".repeat(60)}`).join("\n");
    await askFor("edit_file", { path: "b.txt", oldText: "", newText }, "写很长的");
    const review = page.getByRole("group", { name: "这次调用要做的改动" });
    await review.waitFor();
    const count = () => review.locator("[data-role=added]").count();
    expect(await count()).toBeLessThan(250);
    await page.getByRole("button", { name: "显示全部" }).click();
    await expect.poll(count).toBeGreaterThan(900);
    await page.getByRole("button", { name: /再显示 1000 行/ }).click();
    await expect.poll(count).toBe(1500);
    expect(await page.evaluate("document.activeElement.className")).toBe("review");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    await page.getByRole("button", { name: "允许这一次" }).click();
    await answered(page);
    await page.setViewportSize({ width: 1200, height: 800 });
  });

  test("a large result shows its beginning, and further parts one after the other, also of a run that was opened again and behind one that could not be read", async () => {
    const { page } = watched;
    // What was said before would be condensed for its length.
    await page.getByRole("button", { name: "新对话" }).click();
    await askFor("list_lines", {}, "列出来");
    await answered(page);
    await checkParts();
    expect(await findViolations(page)).toEqual([]);
    await page.reload();
    await page
      .getByRole("button", { name: /步骤|过程/ })
      .last()
      .click();
    await checkParts();

    /** Reads the result to its end. The text on the page is never much longer than what was asked for. */
    async function checkParts(): Promise<void> {
      const step = page.locator(".turn").last().locator(".step").first();
      await step.waitFor();
      if ((await step.locator("details").first().getAttribute("open")) === null)
        await step.locator("summary").first().click();
      const call = step.locator("li details").last();
      if ((await call.getAttribute("open")) === null) await call.locator("summary").click();
      const result = call.getByRole("group", { name: "结果" });
      const read = () => result.textContent();
      const more = call.getByRole("button", { name: "显示更多结果" });
      await more.waitFor();
      expect((await read())?.length).toBeLessThanOrEqual(4000);
      // A proxy answers once in place of the server.
      await page.route("**/agent/runs/*/steps/*", (route) => route.fulfill({ body: "<html>" }), { times: 1 });
      await more.click();
      await call.getByText("未能读取：服务器的响应无法识别。").waitFor();
      await more.focus();
      await page.keyboard.press("Enter");
      await expect.poll(read).toHaveLength(20_000);
      await call.getByText(`已显示 20,000 / ${lines.length.toLocaleString("en")} 个字符`).waitFor();
      for (let at = 40_000; at < lines.length + 20_000; at += 20_000) {
        await more.click();
        await expect.poll(read).toHaveLength(Math.min(at, lines.length));
      }
      expect(await read()).toBe(lines);
      await more.waitFor({ state: "hidden" });
    }
  });
});
