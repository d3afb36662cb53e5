import { mkdir } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import { written } from "../agent/plan/planning.ts";
import { fakePath } from "../client/servers.ts";
import { compileCache } from "../fakes/program.ts";
import { findViolations, loadAxe } from "./axe.ts";
import { inChromium } from "./chromium.ts";
import { type PageDuet, startPageDuet } from "./page-duet.ts";
import { answered, ask, chooseMode, gate, untilRun } from "./screen.ts";
import { checkFaults, openPage, type WatchedPage } from "./watched-page.ts";

/** Where the pictures go; none is taken where DUET_PICTURES names no folder, because no test looks at them. */
const folder = process.env.DUET_PICTURES;

/** How the page looks in each of its states: to axe-core, and on pictures for whoever asks for them. */
inChromium("the look of the page", () => {
  let duet: PageDuet;
  let watched: WatchedPage;
  beforeAll(async () => {
    if (folder) await mkdir(folder, { recursive: true });
    const own = { command: process.execPath, args: [fakePath, "--mode", "normal"], env: compileCache() };
    const serve = { http: { operator: "local" } };
    duet = await startPageDuet({ settings: { tools: { ask: ["calculator"] }, mcpServers: { own }, serve } });
    watched = await openPage(duet.origin);
    await loadAxe(watched.page);
  });
  checkFaults(() => [watched]);

  test("empty", async () => {
    await looksRight("empty");
  });

  test("with the settings open", async () => {
    await watched.page.getByRole("button", { name: "模型与参数" }).click();
    await looksRight("settings");
    await watched.page.keyboard.press("Escape");
  });

  test("while it runs, and when it has answered", async () => {
    const { page } = watched;
    await page.getByRole("textbox", { name: "输入问题" }).focus();
    const last = gate();
    duet.provider.script(
      "cheap",
      { text: "天气是实时数据，先查预报。", toolCalls: [search("上海 明天 天气预报")] },
      { text: "再查一次具体气温。", toolCalls: [search("上海 明天 最高气温")] },
      { text: "结果已经足够。" },
    );
    duet.provider.script("strong", { text: answer, hang: "after-text", until: last.until });
    await ask(page, "上海明天天气怎么样？适合带孩子出门吗？");
    await untilRun(page, ({ answer: shown }) => shown.includes("外套"));
    await looksRight("running");
    last.open();
    await answered(page);
    await looksRight("answered");
    await page.getByText(/^用量 ·/).click();
    await page.locator(".step summary").first().click();
    await looksRight("unfolded");
  });

  test("with a call that waits for consent", async () => {
    const { page } = watched;
    duet.provider.script(
      "cheap",
      { text: "算一下。", toolCalls: [{ name: "calculator", arguments: { expression: "6*7" } }] },
      { text: "好。" },
    );
    duet.provider.script("strong", { text: "42。" });
    await ask(page, "六乘七？");
    await page.getByRole("button", { name: "允许这一次" }).waitFor();
    await looksRight("approval");
    await page.getByRole("button", { name: "允许这一次" }).click();
    await answered(page);
  });

  test("with a plan that waits to be confirmed", async () => {
    const { page } = watched;
    await chooseMode(page, "Plan 模式");
    const steps = ["查明天的天气", "查最高气温", "比较两天"].map((description) => ({
      description,
      tool: "web_search",
      parameters: { query: description },
    }));
    duet.provider.script("cheap", { text: written(...steps) });
    await ask(page, "先规划再执行");
    await page.getByRole("button", { name: "修改" }).click();
    await looksRight("plan");
    await page.getByRole("group", { name: "执行这个计划吗？" }).getByRole("button", { name: "取消" }).click();
    await untilRun(page, ({ status }) => !/等待|正在|思考/.test(status));
  });

  test("with menus, files, an edited question, its versions, what was found, and the list of keys", async () => {
    const { page } = watched;
    await chooseMode(page, "Chat 模式");
    duet.provider.script(
      "strong",
      { text: "用 `npm ci`：\n\n```ts\nconst x: number = 1; // 一\n```\n\n$$x^2$$" },
      { text: "好。" },
    );
    await ask(page, "怎么装？");
    await answered(page);
    await page.locator("math").waitFor();
    await page
      .locator(".choose-files")
      .setInputFiles({ name: "表.pdf", mimeType: "application/pdf", buffer: Buffer.alloc(9000) });
    await page.getByRole("button", { name: "修改问题" }).click();
    await looksRight("editing");
    await page.getByRole("textbox", { name: "修改问题" }).fill("怎样安装？");
    await page.keyboard.press("Enter");
    await page.getByRole("group", { name: "这个问题的其他写法" }).waitFor();
    await page.locator(".conversation .open-menu").first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menu").waitFor();
    await looksRight("menu");
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox", { name: "搜索对话" }).fill("上海");
    await page.locator("mark").first().waitFor();
    await page.locator(".conversation .open-menu").first().click();
    await page.getByRole("menuitem", { name: "删除" }).click();
    await page.getByRole("button", { name: "撤销" }).waitFor();
    await looksRight("found");
    await page.keyboard.press("Control+/");
    await page.getByRole("dialog", { name: "键盘快捷键" }).waitFor();
    await looksRight("keys");
    await page.keyboard.press("Escape");
  });

  test("in each part of the operator's view, and with a person's own limits", async () => {
    const { page } = watched;
    await page.evaluate("document.querySelector('.open-operator').click()");
    await page.locator(".operator [data-run]").first().click();
    await page.locator(".waterfall rect").first().waitFor();
    await looksRight("waterfall");
    await page.locator(".tabs button").filter({ hasText: "用量" }).click();
    await page.locator(".operator").getByRole("combobox", { name: "显示" }).selectOption("Token");
    await page.locator(".plot canvas").waitFor();
    await looksRight("usage");
    await page.setViewportSize({ width: 360, height: 740 });
    // A narrow table scrolls, and breaks no word.
    for (const word of [/^\d{4}-\d\d-\d\d$/, /^anthropic\/strong$/])
      expect(await page.locator(".operator td").filter({ hasText: word }).last().evaluate(countLines)).toBe(1);
    await page.setViewportSize({ width: 1200, height: 800 });
    await page.locator(".tabs button").filter({ hasText: "设置" }).click();
    await page.locator(".setting").first().waitFor();
    await looksRight("operator");
    for (const [tab, part, state] of [
      ["服务器", ".card", "servers"],
      ["批准", ".sides", "approvals"],
      ["工具", ".tool", "tools"],
      ["提示词", ".prompt", "prompts"],
      ["智能体", ".card", "agents"],
      ["外观", ".pick", "look"],
    ] as const) {
      await page
        .locator(".tabs button")
        .filter({ hasText: new RegExp(`^${tab}$`) })
        .click();
      await page.locator(part).first().waitFor();
      await looksRight(state, narrowAndDark);
      const widths = "[...document.querySelectorAll('.operator, .operator-body, .card')]";
      expect(await page.evaluate(`${widths}.filter((part) => part.scrollWidth > part.clientWidth + 1).length`)).toBe(0);
      await page.setViewportSize({ width: 1200, height: 800 });
    }
    await page.keyboard.press("Escape");
    await page.evaluate("document.querySelector('.open-usage').click()");
    await page.locator(".figures").waitFor();
    await looksRight("own-usage", narrowAndDark);
    await page.keyboard.press("Escape");
  });

  /** No rule of axe-core is broken, light, dark or on a phone; and there is a picture of each. */
  async function looksRight(state: string, looks: readonly Look[] = usualLooks): Promise<void> {
    const { page } = watched;
    const broken: string[] = [];
    for (const { look, width, height, colorScheme } of looks) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      // In the dark, only the colours are others.
      const rules = look === "dark" ? ["color-contrast"] : undefined;
      for (const each of await findViolations(page, rules)) broken.push(`${look}: ${each}`);
      if (folder) await page.screenshot({ path: `${folder}/${state}-${look}.png` });
    }
    if (looks === usualLooks) await page.setViewportSize({ width: 1200, height: 800 });
    expect(broken).toEqual([]);
  }
});

function countLines(cell: { ownerDocument: { createRange(): Range } }): number {
  const range = cell.ownerDocument.createRange();
  range.selectNodeContents(cell);
  return range.getClientRects().length;
}

/** Is as much of a browser's as is needed here: this program has no types of browsers. */
interface Range {
  selectNodeContents(node: unknown): void;
  getClientRects(): ArrayLike<unknown>;
}

interface Look {
  readonly look: "light" | "dark" | "phone";
  readonly width: number;
  readonly height: number;
  readonly colorScheme: "light" | "dark";
}

const usualLooks: readonly Look[] = [
  { look: "light", width: 1200, height: 800, colorScheme: "light" },
  { look: "dark", width: 1200, height: 800, colorScheme: "dark" },
  { look: "phone", width: 360, height: 740, colorScheme: "light" },
];

/** The narrowest page last, so that what follows sees it. */
const narrowAndDark: readonly Look[] = [
  { look: "dark", width: 1200, height: 800, colorScheme: "dark" },
  { look: "phone", width: 320, height: 640, colorScheme: "light" },
];

const answer = `## 上海明天：多云，适合出门

上海明天**多云**，东南风三级[1]；最高气温 **24 度**，最低 17 度[2]。空气质量为优，适合户外活动。

| 时段 | 天气 | 气温 |
| --- | --- | --: |
| 上午 | 多云 | 19 °C |
| 下午 | 多云 | 24 °C |
| 晚上 | 阴 | 18 °C |

- 早晚温差较大，带一件薄外套
- 下午紫外线一般，注意补水
`;

function search(query: string) {
  return { name: "web_search", arguments: { query } };
}
