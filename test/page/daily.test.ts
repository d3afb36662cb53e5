import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { chatTexts } from "../../src/server/web/chat/state/chat-texts.ts";
import { fakePath } from "../client/servers.ts";
import { compileCache, temporaryFolder } from "../fakes/program.ts";
import { inChromium } from "./chromium.ts";
import { type PageDuet, startPageDuet } from "./page-duet.ts";
import { answered, ask, chooseMode, send, told, untilRun } from "./screen.ts";
import { checkFaults, openPage, type WatchedPage } from "./watched-page.ts";

/** What people do every day besides asking. */
inChromium("the page as a daily tool in a browser", () => {
  let duet: PageDuet;
  let watched: WatchedPage;
  beforeAll(async () => {
    duet = await startPageDuet({ settings: { tools: { ask: ["calculator"] } } });
    watched = await openPage(duet.origin);
  });
  checkFaults(() => [watched]);
  const field = () => watched.page.getByRole("textbox", { name: "输入问题" });

  test("a text that begins with a slash and is no command is kept and told, and sent when it is sent again", async () => {
    const { page } = watched;
    await chooseMode(page, "Chat 模式");
    await send(page, "/tmp 满了，怎么办？");
    await page.getByText("这个页面没有 /tmp 命令").waitFor();
    expect(await field().inputValue()).toBe("/tmp 满了，怎么办？");
    duet.provider.script("strong", { text: "清理它。" });
    await page.keyboard.press("Enter");
    expect((await answered(page)).answer).toBe("清理它。");
    expect(await page.locator(".question").allTextContents()).toEqual(["/tmp 满了，怎么办？"]);
  });

  test("what is said of a text that was not sent, or of files without words, is said of no other", async () => {
    const { page } = watched;
    const word = page.locator("#message_word");
    await page.getByRole("button", { name: "新对话" }).click();
    duet.provider.script("strong", { text: "好。" });
    await ask(page, "还有呢？");
    await answered(page);
    await field().fill("/heb");
    await page.getByRole("button", { name: /^\/tmp 满了/ }).click();
    await expect.poll(() => field().inputValue()).toBe("");
    await send(page, "/hepl");
    await word.getByText("这个页面没有 /hepl 命令").waitFor();
    await page.getByRole("button", { name: /^还有呢/ }).click();
    await expect.poll(() => field().inputValue()).toBe("/heb");
    expect(await word.isHidden()).toBe(true);
    await page.keyboard.press("Enter");
    await word.getByText("这个页面没有 /heb 命令").waitFor();
    await field().fill("");
    await page.keyboard.press("Enter");
    const file = { name: "诗.txt", mimeType: "text/plain", buffer: Buffer.from("床前明月光") };
    await page.locator("input[type=file]").setInputFiles(file);
    await page.locator(".composer .file-name").getByText("诗.txt").waitFor();
    expect(await word.isHidden()).toBe(true);
    await field().press("Enter");
    await word.getByText("还要写一个问题").waitFor();
    await page.getByRole("button", { name: "移除 诗.txt" }).click();
  });

  test("what is typed where one writes answers a call that waits: a yes, or what to do instead", async () => {
    const { page } = watched;
    await chooseMode(page, "Agent 模式");
    const call = { name: "calculator", arguments: { expression: "6*7" } };
    duet.provider.script("cheap", { toolCalls: [call] }, { text: "够了。" });
    duet.provider.script("strong", { text: "那就不算。" });
    await ask(page, "六乘六？");
    await page.getByRole("button", { name: "允许这一次" }).waitFor();
    await page.getByPlaceholder("“是”、“否”，或者改做什么").waitFor();
    await send(page, "改成六乘七");
    expect((await answered(page)).steps[0]?.text).toContain("改为：改成六乘七");
    expect(JSON.stringify(duet.provider.requests("cheap").at(-1)?.body.messages)).toContain("应当怎么做：改成六乘七");
    duet.provider.script("cheap", { toolCalls: [call] }, { text: "够了。" });
    duet.provider.script("strong", { text: "是 42。" });
    await ask(page, "六乘七？");
    await page.getByRole("button", { name: "允许这一次" }).waitFor();
    await send(page, "好");
    expect((await answered(page)).steps[0]?.text).toContain("42");
  });

  describe("files", () => {
    test("come by the button, by paste and by drop, and go along with the question", async () => {
      const { page } = watched;
      await page
        .locator(".choose-files")
        .setInputFiles({ name: "清单.txt", mimeType: "text/plain", buffer: Buffer.from("牛奶和面包") });
      await page.evaluate(`(() => {
        const give = (name) => {
          const data = new DataTransfer();
          data.items.add(new File(["内容 " + name], name, { type: "text/plain" }));
          return data;
        };
        const field = document.querySelector("#message");
        field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: give("贴.txt"), bubbles: true, cancelable: true }));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: give("拖.txt"), bubbles: true, cancelable: true }));
      })()`);
      await expect.poll(() => page.locator(".composer .file-name").allTextContents()).toHaveLength(3);
      await page.getByRole("button", { name: "移除 拖.txt" }).click();
      duet.provider.script("cheap", { text: "读完了。" });
      duet.provider.script("strong", { text: "要买牛奶。" });
      await ask(page, "买什么？");
      await answered(page);
      const asked = JSON.stringify(duet.provider.requests("cheap").at(-1)?.body.messages);
      for (const words of ["牛奶和面包", "内容 贴.txt"]) expect(asked).toContain(words);
      expect(asked).not.toContain("拖.txt");
      expect(await page.locator(".turn").last().locator(".file-name").allTextContents()).toEqual([
        "清单.txt",
        "贴.txt",
      ]);
      expect(await page.locator(".composer .file").count()).toBe(0);
    });

    test("that cannot be read or are empty are named before anything is sent, and the others come along", async () => {
      const { page } = watched;
      const folder = await temporaryFolder();
      const [good, empty, inner] = ["好.txt", "空.txt", "文件夹"].map((name) => join(folder, name));
      await Promise.all([writeFile(good ?? "", "好的内容"), writeFile(empty ?? "", ""), mkdir(inner ?? "")]);
      const session = await page.context().newCDPSession(page);
      const data = { items: [], files: [good ?? "", empty ?? "", inner ?? ""], dragOperationsMask: 1 };
      for (const type of ["dragEnter", "dragOver", "drop"] as const)
        await session.send("Input.dispatchDragEvent", { type, x: 600, y: 300, data });
      await page.getByText("空.txt 是空文件").waitFor();
      expect(await page.locator(".composer .file .facts").allTextContents()).toEqual(["12 B", "0 B"]);
      await page.getByRole("button", { name: "移除 空.txt" }).click();
      await page.getByText("无法读取，没有添加：文件夹").waitFor();
      duet.provider.script("cheap", { text: "读完了。" });
      duet.provider.script("strong", { text: "好。" });
      await ask(page, "写了什么？");
      expect((await answered(page)).answer).toBe("好。");
      expect(JSON.stringify(duet.provider.requests("cheap").at(-1)?.body.messages)).toContain("好的内容");
      await page.getByText("无法读取，没有添加").waitFor({ state: "hidden" });
    });

    test("one that is larger than a file may be is named before anything is sent", async () => {
      const { page } = watched;
      const file = join(await temporaryFolder(), "大.txt");
      await writeFile(file, Buffer.alloc(20_500_000, "a"));
      await page.locator(".choose-files").setInputFiles(file);
      await page.getByText("大.txt 有 20.5 MB，每个文件最多 20 MB。").waitFor();
      const hint = () => page.getByRole("button", { name: "添加文件" }).getAttribute("title");
      await expect.poll(hint).toContain("每个 20 MB，共 25 MB");
      await page.getByRole("button", { name: "移除 大.txt" }).click();
    });

    test("too many of them hold the question back, and the page says how many are allowed", async () => {
      const { page } = watched;
      await page.getByRole("button", { name: "新对话" }).click();
      await chooseMode(page, "Chat 模式");
      const files = Array.from({ length: 21 }, (_, n) => ({
        name: `${n}.txt`,
        mimeType: "text/plain",
        buffer: Buffer.from("x"),
      }));
      await page.locator(".choose-files").setInputFiles(files);
      await page.getByText("有 21 个文件，最多 20 个。").waitFor();
      const before = duet.provider.journal.length;
      await send(page, "太多了？");
      await send(page, "/config");
      await told(page, "模式：Chat");
      await page.getByRole("button", { name: "移除 20.txt" }).click();
      await page.getByText("有 21 个文件").waitFor({ state: "hidden" });
      duet.provider.script("strong", { text: "刚好。" });
      await ask(page, "够了吗？");
      expect((await answered(page)).answer).toBe("刚好。");
      // Nothing was asked before what is known to have been asked after it.
      expect(duet.provider.journal).toHaveLength(before + 1);
      expect(await page.locator(".question").allTextContents()).toEqual(["够了吗？"]);
    });
  });

  test("an answer is copied as plain text or as its code alone, from a menu that the keyboard leads through", async () => {
    const { page } = watched;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "新对话" }).click();
    await chooseMode(page, "Chat 模式");
    duet.provider.script("strong", { text: "先**装**：\n\n```sh\nnpm ci\n```\n\n再跑：\n\n```\nnpm test\n```" });
    await ask(page, "怎么跑？");
    await answered(page);
    const readClipboard = () => page.evaluate("navigator.clipboard.readText()");
    await page.getByRole("button", { name: "复制为…" }).click();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(readClipboard).toBe("npm ci\n\nnpm test");
    await page.getByRole("button", { name: "复制为…" }).click();
    await page.getByRole("menuitem", { name: "复制为纯文本" }).click();
    await expect.poll(readClipboard).toMatch(/^先装：\s[\s\S]*npm test/);
  });

  test("the colours are chosen by hand and stay; the list of conversations folds by its key; Escape in a menu stops no run", async () => {
    const { page } = watched;
    const scheme = () => page.evaluate("getComputedStyle(document.documentElement).colorScheme");
    await page.getByRole("button", { name: "外观" }).click();
    await page.getByRole("menuitemradio", { name: "深色" }).click();
    expect(await scheme()).toBe("dark");
    await page.keyboard.press("Control+Shift+S");
    await page.getByRole("button", { name: "打开对话列表" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "打开对话列表" }).click();
    expect(await scheme()).toBe("dark");
    duet.provider.script("strong", { text: "说到一半", hang: "after-text" });
    await ask(page, "慢的？");
    await untilRun(page, ({ answer }) => answer.includes("一半"));
    await page.getByRole("button", { name: "外观" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "hidden" });
    expect((await untilRun(page, () => true)).status).toBe("正在写回答…");
    await page.keyboard.press("Control+/");
    await page.getByRole("dialog", { name: "键盘快捷键" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await untilRun(page, ({ status }) => status === "已取消");
    await page.getByRole("button", { name: "重试", exact: true }).waitFor();
  });
});

inChromium("the operator's view in a browser", () => {
  test("shows the runs of all, what they used, what failed and the servers; a setting is changed, and the server's word about it is shown", async () => {
    const folder = await mkdtemp(join(tmpdir(), "duet-page-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, "duet.json");
    await writeFile(file, "{}");
    const duet = await startPageDuet({ config: file, settings: opened });
    const { page, faults, requests } = await openPage(duet.origin, { meant: /status of 400|willReadFrequently/ });
    expect(requests).not.toContain("GET /page/operator.js");
    duet.provider.script("cheap", { text: "够了。" }, { status: 401, body: '{"error":{"message":"no"}}' });
    duet.provider.script("strong", { text: "看得见。" });
    await ask(page, "运营者看得见吗？");
    await answered(page);
    await ask(page, "会失败吗？");
    await untilRun(page, ({ status }) => status.startsWith("失败"));
    await page.getByRole("button", { name: "运维" }).click();
    const view = page.getByRole("dialog", { name: "运维" });
    await view.getByRole("cell", { name: "运营者看得见吗？", exact: true }).waitFor();
    for (const status of ["已完成", "失败 · auth"])
      await view.getByRole("cell", { name: status, exact: true }).waitFor();
    await view.getByRole("button", { name: "时间线 · 运营者看得见吗？" }).click();
    const turns = view.getByRole("group", { name: "时间线" }).getByRole("rowheader");
    await turns.first().waitFor();
    expect(await turns.allTextContents()).toEqual(["工具调用阶段 · openai/cheap", "回答生成阶段 · anthropic/strong"]);
    const bars = await view.locator("rect").evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().width));
    expect(bars.every((width) => width >= 1)).toBe(true);
    await view.getByRole("button", { name: "返回运行列表" }).click();
    await expect.poll(() => page.evaluate("document.activeElement.dataset.run")).toMatch(/^run-/);
    const loaded = () => requests.filter((request) => request.includes("/page/plot"));
    expect(loaded()).toEqual([]);
    await view.getByRole("button", { name: "用量" }).click();
    await view.getByRole("cell", { name: "anthropic/strong" }).first().waitFor();
    await view.getByRole("combobox", { name: "显示" }).selectOption("Token");
    // The colour of the first model stands in the plot.
    await expect.poll(() => page.evaluate(countMarked)).toBeGreaterThan(50);
    // And follows the system's colours.
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(() => page.evaluate(countMarked)).toBeGreaterThan(50);
    expect(loaded()).toHaveLength(1);
    await view.getByRole("combobox", { name: "分组" }).selectOption("调用者");
    await view.getByRole("group", { name: "合计" }).getByRole("cell", { name: "运营者" }).waitFor();
    await view.getByRole("button", { name: "问题" }).click();
    await view.getByRole("cell", { name: "auth", exact: true }).waitFor();
    await view.getByRole("button", { name: "设置" }).click();
    await view.getByRole("searchbox").fill("maxIterations");
    const setting = view.locator(".setting").filter({ hasText: "agent.maxIterations" });
    await setting.getByText("默认值", { exact: true }).waitFor();
    await setting.getByRole("textbox").fill("1000000");
    await page.keyboard.press("Enter");
    await setting.locator(".problem").getByText("不能是 1000000（允许：1 到 1000 的整数）").waitFor();
    expect(await readFile(file, "utf8")).toBe("{}");
    await page.keyboard.press("Escape");
    await view.waitFor({ state: "detached" });
    expect(faults).toEqual([]);
  });

  test("a changed tool is approved beside what it was, a tool is denied, a prompt is written and a person's limits are shown, by keyboard", async () => {
    const folder = await mkdtemp(join(tmpdir(), "duet-page-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [file, tools] = [join(folder, "duet.json"), join(folder, "tools.json")];
    await writeFile(file, "{}");
    const offer = (description: string) =>
      writeFile(tools, JSON.stringify([{ name: "find", description, inputSchema: { type: "object" } }]));
    await offer("Finds words.");
    const args = [fakePath, "--mode", "tools-from-file", "--tools", tools];
    const mcpServers = { own: { command: process.execPath, args, env: compileCache() } };
    const limits = { limits: { tokensPerDay: 20_000 }, http: { operator: "local" } };
    const duet = await startPageDuet({ config: file, settings: { mcpServers, serve: limits } });
    const { page, faults } = await openPage(duet.origin);
    await page.getByRole("button", { name: "我的用量" }).press("Enter");
    const own = page.getByRole("dialog", { name: "我的用量" });
    await own.getByText("运营者（未登录）").waitFor();
    await own.getByRole("definition").filter({ hasText: "0 / 20,000" }).waitFor();
    await page.keyboard.press("Escape");
    await own.waitFor({ state: "detached" });

    const opener = page.getByRole("button", { name: "运维" });
    await opener.press("Enter");
    const view = page.getByRole("dialog", { name: "运维" });
    const show = (tab: string) => view.getByRole("button", { name: tab, exact: true }).press("Enter");
    await show("服务器");
    const server = view.getByRole("listitem", { name: "own" });
    await offer("Finds words, and sends them out.");
    await server.getByRole("button", { name: "重新连接" }).press("Enter");
    await server.getByText("个工具等待批准").waitFor();
    await show("批准");
    const change = view.getByRole("listitem", { name: "own__find" });
    const row = change.getByRole("row").filter({ hasText: "sends them out" });
    await row.waitFor();
    expect(await row.getByRole("cell").allInnerTexts()).toEqual([
      expect.stringContaining("Finds words."),
      expect.stringContaining("Finds words, and sends them out."),
    ]);
    await change.getByRole("button", { name: "批准 own__find" }).press("Enter");
    await view.getByText("没有等待批准的工具").waitFor();

    await show("工具");
    const tool = view.getByRole("listitem").filter({ hasText: "own__find" });
    await tool.getByRole("combobox").selectOption("禁止");
    await tool.getByText("已写入，下次启动时生效").waitFor();
    await show("提示词");
    await view.getByRole("textbox", { name: "内容" }).fill("好好回答。{marker}");
    await view.getByRole("button", { name: "保存" }).press("Enter");
    await view.getByText("已写入，下次启动时生效").waitFor();
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
      tools: { deny: ["own__find"] },
      prompts: { directory: "./prompts" },
    });
    expect(await readFile(join(folder, "prompts", "zh", "answer.md"), "utf8")).toBe("好好回答。{marker}\n");
    await show("外观");
    await view.getByRole("combobox", { name: "语言" }).selectOption("English");
    const english = page.getByRole("dialog", { name: "Operator" });
    await english.getByRole("button", { name: "Prompts" }).waitFor();
    await page.keyboard.press("Escape");
    await english.waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate("document.activeElement.className")).toContain("open-operator");
    expect(faults).toEqual([]);
  });
});

inChromium("the operator's view and the own usage in a browser", () => {
  test("tell in the language of the page that they cannot read an answer, or reach the server", async () => {
    const duet = await startPageDuet({ settings: opened });
    const { page } = await openPage(duet.origin);
    await page.route("**/operator/problems*", (route) => route.fulfill({ body: "<html>" }));
    await page.route("**/operator/servers*", (route) => route.abort("connectionrefused"));
    await page.getByRole("button", { name: "运维" }).click();
    const view = page.getByRole("dialog", { name: "运维" });
    await view.getByRole("button", { name: "问题", exact: true }).click();
    await view.getByRole("alert").getByText(chatTexts.notUnderstood.zh).waitFor();
    await view.getByRole("button", { name: "服务器", exact: true }).click();
    await view.getByRole("alert").getByText(chatTexts.notReached.zh).waitFor();
    await page.keyboard.press("Escape");
    await page.route("**/agent/usage*", (route) => route.fulfill({ body: "<html>" }));
    await page.getByRole("button", { name: "我的用量" }).click();
    await page.getByRole("alert").getByText(chatTexts.notUnderstood.zh).waitFor();
  });
});

const opened = { serve: { http: { operator: "local" } } };

inChromium("the first visit without a model in a browser", () => {
  test("says that none is configured and how to, and its examples are answered by the rules", async () => {
    const none = { OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "", DEEPSEEK_API_KEY: "" };
    const duet = await startPageDuet({
      environment: { ...none, AGENT_FUNCTION_CALL_MODEL: "", AGENT_ANSWER_MODEL: "" },
    });
    const { page, faults } = await openPage(duet.origin);
    await page.getByText("还没有配置模型").waitFor();
    // Nobody has opened the operator's view.
    expect(await page.getByRole("button", { name: "运维" }).count()).toBe(0);
    await page.getByRole("button", { name: "计算 (24 + 17) / 2" }).click();
    expect((await answered(page)).answer).toContain("20.5");
    expect(faults).toEqual([]);
  });
});

/** Counts the points of the plot that have the colour of the first model. */
const countMarked = `(() => {
  const canvas = document.querySelector(".plot canvas");
  if (canvas === null) return 0;
  const wanted = getComputedStyle(document.querySelector(".mark-0")).backgroundColor.match(/[0-9]+/g).map(Number);
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let at = 0; at < data.length; at += 4) if (wanted.every((value, index) => data[at + index] === value)) count += 1;
  return count;
})()`;
