import { expect, test } from "vitest";
import { formQuestion } from "../fakes/mcp-questions.ts";
import { inChromium } from "./chromium.ts";
import { startPageDuet } from "./page-duet.ts";
import { answered, ask, send, told } from "./screen.ts";
import { openPage } from "./watched-page.ts";

const token = "a-secret-of-enough-length-0123456789";
const url = "https://login.example/start?id=1";

/** What servers ask of a person, and what the page asks for itself. */
inChromium("questions to a person in a browser", () => {
  test("a server's form is filled in by the keyboard, what does not fit is said at its field; its page is only shown", async () => {
    const questions = { command: process.execPath, args: ["test/fakes/mcp-questions.ts"] };
    const duet = await startPageDuet({ settings: { mcpServers: { questions } } });
    const { page, faults } = await openPage(duet.origin);
    const question = { method: "elicitation/create", params: { mode: "url", message: "In", url, elicitationId: "e1" } };
    const replies: string[] = [];
    for (const asked of [{ form: formQuestion() }, { page: question }]) {
      const call = { id: "1", name: "questions__ask", arguments: { questions: asked } };
      duet.provider.script("cheap", { text: "问。", toolCalls: [call] }, { text: "够了。" });
      duet.provider.script("strong", { text: "好。" });
      await ask(page, "去问");
      if ("form" in asked) {
        await page.getByRole("button", { name: "提交" }).click();
        expect(await page.locator(".ask .problem:not([hidden])").allTextContents()).toEqual(
          Array(2).fill("请填写这一项。"),
        );
        await page.keyboard.type("Anna");
        await page.getByLabel("Meal").selectOption({ label: "Noodles" });
        await page.getByLabel("weight").focus();
        await page.keyboard.type("1e");
        await page.keyboard.press("Enter");
        await page.locator(".ask").getByText("需要：数字").waitFor();
        await page.getByLabel("weight").fill("1.5");
        await page.keyboard.press("Enter");
      } else {
        await page.getByText("主机：login.example").waitFor();
        await page.getByRole("button", { name: "我已完成" }).click();
      }
      await answered(page);
      replies.push(JSON.stringify(duet.provider.requests("cheap").at(-1)?.body.messages));
    }
    expect(replies[0]).toContain(String.raw`\"name\":\"Anna\",\"seats\":2,\"weight\":1.5,`);
    expect(replies[1]).toContain(String.raw`\"page\":{\"action\":\"accept\"`);
    expect(faults).toEqual([]);
  });

  test.each([
    ["zh-CN", "opens the page", /链接带来另一个令牌/, "取消", "改用"],
    ["en-US", "finds it open", /The link brings another token/, "Cancel", "Use it"],
  ])(
    "a token in a link replaces no other one unasked (%s, the link %s)",
    async (locale, way, question, stay, change) => {
      const duet = await startPageDuet({ environment: { DUET_HTTP_TOKEN: token }, settings: { locale: undefined } });
      const isOpen = way === "finds it open";
      const { page } = await openPage(isOpen ? duet.origin : `${duet.origin}/#token=${token}`, {
        locale,
        meant: /401/,
      });
      if (isOpen) {
        await page.getByRole("dialog", { name: "Sign in" }).waitFor();
        await page.goto(`${duet.origin}/#token=${token}`);
        await page.locator(".mode-now").getByText(/Agent/).waitFor();
        expect(page.url()).not.toContain(token);
      }
      const readToken = () => page.evaluate("sessionStorage.getItem('duet.token')");
      expect(await readToken()).toBe(token);
      const follow = async (link: string) => {
        if (!isOpen) await page.goto("about:blank");
        await page.goto(`${duet.origin}/#token=${link}`);
      };
      await follow("the-token-of-somebody-else");
      const dialog = page.getByRole("dialog", { name: question });
      await dialog.waitFor();
      expect(page.url()).not.toContain("somebody");
      for (const say of [() => page.getByRole("button", { name: stay }).click(), () => page.keyboard.press("Escape")]) {
        await say();
        await page.locator(".mode-now").getByText(/Agent/).waitFor();
        expect(await readToken()).toBe(token);
        await follow("the-token-of-somebody-else");
        await dialog.waitFor();
      }
      await page.getByRole("button", { name: change }).click();
      await page.getByRole("dialog", { name: /登录|Sign in/ }).waitFor();
      expect(await readToken()).toBe("the-token-of-somebody-else");
    },
  );

  test("a token that is not accepted is asked for again; commands are the page's own", async () => {
    const duet = await startPageDuet({ environment: { DUET_HTTP_TOKEN: token, DEFAULT_MODE: "chat" } });
    const { page } = await openPage(duet.origin, { meant: /401/ });
    // The second one cannot be sent, so that the server says nothing of it.
    for (const [wrong, why] of [
      ["wrong", "令牌不被接受（允许：DUET_HTTP_TOKEN"],
      ["不对", "这个令牌没有被接受。"],
    ] as const) {
      await page.getByLabel("令牌").fill(wrong);
      await page.keyboard.press("Enter");
      await page.getByRole("alert").filter({ hasText: why }).waitFor();
    }
    const settings = page.waitForResponse((response) => response.url().endsWith("/agent/settings") && response.ok());
    await page.getByLabel("令牌").fill(token);
    await page.keyboard.press("Enter");
    await settings;
    await page.locator(".mode-now").getByText("Chat 模式").waitFor();
    await send(page, "/mode agent");
    await told(page, "已切换到 Agent 模式，对话历史已清除。");
    expect(await page.locator("#mode_selector").inputValue()).toBe("agent");
    await send(page, "/config");
    await told(page, "最大迭代次数：5");
    expect(duet.provider.requests("cheap")).toEqual([]);
  });
});
