import { beforeAll, expect, test } from "vitest";
import { findViolations, loadAxe } from "./axe.ts";
import { inChromium } from "./chromium.ts";
import { type PageDuet, startPageDuet } from "./page-duet.ts";
import { answered, ask } from "./screen.ts";
import { checkFaults, openPage, type WatchedPage } from "./watched-page.ts";

/** What an answer can hold besides words, in a browser that keeps the page's policy. */
inChromium("the content of answers in a browser", () => {
  let duet: PageDuet;
  let watched: WatchedPage;
  beforeAll(async () => {
    duet = await startPageDuet({ environment: { DEFAULT_MODE: "chat" } });
    watched = await openPage(duet.origin);
  });
  checkFaults(() => [watched]);

  test("formulas are written as formulas, code is coloured, notes lead to the foot; what does that is loaded when it is first needed", async () => {
    const { page } = watched;
    const parts = () => watched.requests.filter((request) => request.includes("/page/"));
    expect(parts()).toEqual([]);
    duet.provider.script("strong", { text: answer, chunkSize: 9 });
    await ask(page, "都写出来");
    await answered(page);
    const words = page.locator(".answer .words");
    await words.locator("math").nth(2).waitFor();
    expect(await words.locator(".math[data-block=true] mfrac").count()).toBe(1);
    expect(await words.locator("math").count()).toBe(4);
    // Money is no formula, and neither is what stands in code.
    expect(await words.textContent()).toContain("$5 到 $10");
    expect(await words.locator("code").getByText("\\(x\\)", { exact: true }).count()).toBe(1);
    await words.locator(".code-keyword").getByText("const").waitFor();
    expect(await words.locator("pre code").textContent()).toBe(code);
    expect(parts().sort()).toEqual(["GET /page/code.js", "GET /page/math.js"]);
    await words.locator(".note-number a").click();
    expect(await page.evaluate("document.activeElement.dataset.note")).toBe("1");
    expect(await words.locator("img").count()).toBe(1);
    expect(await page.evaluate("document.querySelector('.words img').naturalWidth")).toBe(1);
    expect(await words.textContent()).toContain("https://elsewhere.example/a.png");
  });

  test("a single line of code is copied, the one under the pointer or the one that the arrow keys lead to", async () => {
    const { page } = watched;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const readClipboard = () => page.evaluate("navigator.clipboard.readText()");
    const shown = ["一 = 1", "  two = 2  # <b>", "", "four = 4"];
    duet.provider.script("strong", {
      text: `代码：\n\n\`\`\`py\n${shown.join("\n")}\n\`\`\`\n\n一行：\n\n\`\`\`\none\n\`\`\``,
    });
    await ask(page, "几行代码");
    await answered(page);
    const blocks = page.locator(".turn").last().locator(".code");
    expect(await blocks.nth(1).locator(".copy-line").count()).toBe(0);
    const block = blocks.first();
    const button = block.getByRole("button", { name: "复制第 4 行：four = 4" });
    // Where the browser has put a line is where its button stands. An answer that has just ended may still move under the pointer.
    const pointAtLine = async () => {
      const line = await page.evaluate<{ x: number; y: number }>(`(() => {
        const code = [...document.querySelectorAll(".turn")].at(-1).querySelector(".code code");
        const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
        while (!walker.nextNode().data.includes("four"));
        const range = document.createRange();
        range.selectNodeContents(walker.currentNode);
        const { x, y, height } = [...range.getClientRects()].at(-1);
        return { x: x + 2, y: y + height / 2 };
      })()`);
      await page.mouse.move(line.x, line.y);
      const place = await button.boundingBox();
      if (place === null) return false;
      await page.mouse.move(place.x + place.width / 2, line.y);
      return button.evaluate((element) => element.matches(":hover"));
    };
    await expect.poll(pointAtLine).toBe(true);
    await page.mouse.down();
    await page.mouse.up();
    await expect.poll(readClipboard).toBe("four = 4");
    await block.getByRole("status").getByText("已复制第 4 行").waitFor({ state: "attached" });
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(readClipboard).toBe(shown[1]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(readClipboard).toBe("");
    expect(await block.locator("code").textContent()).toBe(`${shown.join("\n")}\n`);
    await loadAxe(page);
    expect(await findViolations(page)).toEqual([]);
  });

  test("what is no formula is shown whole, as it is written", async () => {
    const { page } = watched;
    duet.provider.script("strong", { text: "坏的：\\(\\frac{1}{\\) 和 \\(\\href{javascript:alert(1)}{x}\\)。" });
    await ask(page, "坏公式");
    const { answer: shown } = await answered(page);
    expect(shown).toContain("\\(\\frac{1}{\\)");
    expect(await page.locator(".turn").last().locator(".math a, .math [href]").count()).toBe(0);
  });
});

const code = 'const x = 1; // "no"\nreturn x;\n';

const answer = String.raw`# 大标题

## 小标题

圆的面积是 \(\pi r^2\)，也写作 $a_1 + b_2$；价格 $5 到 $10；代码里的 ${"`"}\(x\)${"`"} 不变。

\[
x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}
\]

$$E = mc^2$$

${"```"}ts
${code}${"```"}

见注[^1]。

![点](data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7) ![远](https://elsewhere.example/a.png)

[^1]: 注的**内容**。
`;
