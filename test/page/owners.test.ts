import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { createTokenText, hashSecret, toTokenHint } from "../../src/core/store/credentials.ts";
import { inChromium } from "./chromium.ts";
import { type PageDuet, startPageDuet } from "./page-duet.ts";
import { readKept } from "./read-kept.ts";
import { answered, ask, gate, send } from "./screen.ts";
import { checkFaults, openPage, type WatchedPage } from "./watched-page.ts";

/** What one person wrote is never sent, shown or kept as another one's, also where both use one browser. */
inChromium("two people in one browser", () => {
  let duet: PageDuet;
  let watched: WatchedPage;
  let tokens = 0;
  beforeAll(async () => {
    duet = await startPageDuet({
      environment: { DEFAULT_MODE: "chat" },
      settings: { serve: { http: { requireToken: true } } },
    });
    watched = await openPage(duet.origin, { meant: /status of 401/ });
  });
  checkFaults(() => [watched]);

  const field = (page: Page) => page.getByRole("textbox", { name: "输入问题" });
  const unsentOf = (page: Page) => page.getByRole("list", { name: "没有发送成功" });
  const asked = () => JSON.stringify(duet.provider.requests("strong").map(({ body }) => body.messages));

  interface Token {
    readonly token: string;
    revoke(): Promise<unknown>;
  }

  /** Sends a text whose token is revoked when it is on its way: what the page asks besides would ask for a token before. */
  async function sendRevoked(tab: Page, text: string, { revoke }: Token, draft = ""): Promise<void> {
    await tab.route("**/agent/chat", async (route) => {
      // The dialog leaves no way to write once it is there.
      if (draft !== "") await field(tab).fill(draft);
      if (draft !== "") await expect.poll(() => readKept(tab)).toContain(draft);
      await revoke();
      await route.continue();
    });
    await send(tab, text);
  }

  async function createToken(owner: string): Promise<Token> {
    const token = createTokenText();
    const name = `token-${tokens}`;
    tokens += 1;
    const { tokens: kept } = await duet.duet.credentials();
    const createdAt = new Date().toISOString();
    const facts = { scope: "ask", tools: undefined, expiresAt: undefined } as const;
    await kept.add({ ...facts, name, owner, createdAt, hash: hashSecret(token), hint: toTokenHint(token) });
    return { token, revoke: () => kept.revoke(name, createdAt) };
  }

  async function openTab(token: string): Promise<Page> {
    const tab = await watched.page.context().newPage();
    await tab.goto(`${duet.origin}/#token=${token}`);
    await tab.locator(".mode-now").getByText(/Chat/).waitFor();
    return tab;
  }

  async function signIn(tab: Page, token: string): Promise<void> {
    await tab.getByRole("dialog", { name: "登录" }).waitFor();
    await tab.getByLabel("令牌").fill(token);
    await tab.keyboard.press("Enter");
    await tab.getByRole("dialog", { name: "登录" }).waitFor({ state: "detached" });
  }

  test("a link with somebody else's token leaves each person their own draft", async () => {
    const [alice, dave] = [await createToken("alice"), await createToken("dave")];
    const first = await openTab(alice.token);
    await field(first).fill("爱丽丝写的");
    await expect.poll(() => readKept(first)).toContain("爱丽丝写的");
    await first.close();
    const tab = await openTab(dave.token);
    await field(tab).fill("戴夫写的");
    await expect.poll(() => readKept(tab)).toContain("戴夫写的");
    await tab.evaluate(`location.hash = "token=${alice.token}"`);
    await tab.getByRole("button", { name: "改用" }).click();
    await expect.poll(() => field(tab).inputValue()).toBe("爱丽丝写的");
    await tab.reload();
    await expect.poll(() => field(tab).inputValue()).toBe("爱丽丝写的");
    const last = await openTab(dave.token);
    await expect.poll(() => field(last).inputValue()).toBe("戴夫写的");
    await field(last).fill("");
    await tab.close();
    await last.close();
  });

  test("what waits for a sign-in is not asked by somebody else who signs in, and is there for its writer", async () => {
    const [erin, frank] = [await createToken("erin"), await createToken("frank")];
    const tab = await openTab(erin.token);
    duet.provider.script("strong", { text: "好。" });
    await ask(tab, "艾琳问过的");
    await answered(tab);
    await sendRevoked(tab, "艾琳的秘密", erin, "艾琳还在写");
    await tab
      .getByRole("alert")
      .filter({ hasText: /API 令牌 token-\d+ 已撤销/ })
      .waitFor();
    await signIn(tab, frank.token);
    await tab.getByRole("button", { name: "我的用量" }).waitFor();
    await tab.getByRole("heading", { name: "新对话" }).waitFor();
    const shown = (await tab.locator("body").textContent()) ?? "";
    expect(shown + (await field(tab).inputValue())).not.toContain("艾琳");
    expect(tab.url()).not.toContain("conversation");
    await field(tab).fill("弗兰克写的");
    await expect.poll(() => readKept(tab)).toContain("弗兰克写的");
    expect(asked()).not.toContain("秘密");
    const again = await openTab((await createToken("erin")).token);
    await again.getByRole("button", { name: /^艾琳问过的/ }).click();
    duet.provider.script("strong", { text: "知道了。" });
    await unsentOf(again).getByRole("button", { name: "重新发送" }).click();
    expect((await answered(again)).answer).toBe("知道了。");
    expect(asked()).toContain("秘密");
    await field(tab).fill("");
    await tab.close();
    await again.close();
  });

  test("what waits for a sign-in is asked when its writer signs in with another token", async () => {
    const old = await createToken("grace");
    const tab = await openTab(old.token);
    await sendRevoked(tab, "还是我问的", old);
    duet.provider.script("strong", { text: "还是答你。" });
    await signIn(tab, (await createToken("grace")).token);
    expect((await answered(tab)).answer).toBe("还是答你。");
    await tab.close();
  });

  test("who signs out leaves no token and no text in any tab, and nobody else is signed out", async () => {
    const [heidi, ivan] = [await createToken("heidi"), await createToken("ivan")];
    const tabs = [await openTab(heidi.token), await openTab(heidi.token), await openTab(ivan.token)] as const;
    const [first, second, other] = tabs;
    await field(second).fill("海蒂写的");
    await field(other).fill("伊万写的");
    await expect.poll(() => readKept(first)).toEqual(expect.arrayContaining(["海蒂写的", "伊万写的"]));
    // A tab that the browser has put aside hears nothing, and learns of it when it is back.
    const aside = await openTab(heidi.token);
    await aside.goto("about:blank");
    await first.getByRole("button", { name: "退出登录" }).click();
    await first.getByRole("dialog").getByRole("button", { name: "退出登录" }).click();
    await aside.goBack();
    for (const tab of [first, second, aside]) {
      await tab.getByRole("dialog", { name: "登录" }).waitFor();
      expect(await tab.evaluate("JSON.stringify({ ...sessionStorage })")).not.toMatch(/duet\.token|海蒂/);
    }
    const kept = await readKept(first);
    expect(kept).toContain("伊万写的");
    expect(kept).not.toContain("海蒂写的");
    await other.reload();
    await expect.poll(() => field(other).inputValue()).toBe("伊万写的");
    await field(other).fill("");
    await Promise.all([...tabs, aside].map((tab) => tab.close()));
  });

  test("a tab that did not know its owner yet offers no sign-out, and follows that of another tab once it knows", async () => {
    const heidi = await createToken("heidi");
    const first = await openTab(heidi.token);
    const answer = gate();
    const second = await watched.page.context().newPage();
    await second.route("**/agent/usage", (route) => answer.until.then(() => route.continue()));
    await second.goto(`${duet.origin}/#token=${heidi.token}`);
    await second.locator(".mode-now").getByText(/Chat/).waitFor();
    expect(await second.getByRole("button", { name: "退出登录" }).count()).toBe(0);
    await first.getByRole("button", { name: "退出登录" }).click();
    await first.getByRole("dialog").getByRole("button", { name: "退出登录" }).click();
    await first.getByRole("dialog", { name: "登录" }).waitFor();
    answer.open();
    await second.getByRole("dialog", { name: "登录" }).waitFor();
    await Promise.all([first, second].map((tab) => tab.close()));
  });

  describe("without a token", () => {
    let open: PageDuet;
    beforeAll(async () => {
      open = await startPageDuet({ environment: { DEFAULT_MODE: "chat" } });
    });
    const questions = () => JSON.stringify(open.provider.requests("strong").map(({ body }) => body.messages));

    /** Opens a page to whose owner the server says something else, as long as `says` returns it. */
    async function openAs(says: () => { status?: number; body: string } | undefined): Promise<Page> {
      const tab = await watched.page.context().newPage();
      await tab.route("**/agent/usage", (route) => {
        const { status = 200, body = "" } = says() ?? {};
        return body === "" ? route.continue() : route.fulfill({ status, body, contentType: "application/json" });
      });
      await tab.goto(open.origin);
      await tab.locator(".mode-now").getByText(/Chat/).waitFor();
      return tab;
    }

    test("what is sent as soon as one is back is not sent as the person that another tab has signed in", async () => {
      let owner = "alice";
      const tab = await openAs(() => ({ body: JSON.stringify({ caller: owner }) }));
      await field(tab).fill("爱丽丝的草稿");
      await expect.poll(() => readKept(tab)).toContain("爱丽丝的草稿");
      owner = "bob";
      // The page begins anew by itself.
      const anew = tab.waitForEvent("load");
      await tab.evaluate(`dispatchEvent(new Event("focus"))
        document.querySelector(".compose textarea, textarea").form.requestSubmit()`);
      await anew;
      await expect.poll(() => field(tab).inputValue()).toBe("");
      await field(tab).fill("鲍勃的草稿");
      await expect.poll(() => readKept(tab)).toContain("鲍勃的草稿");
      expect(questions()).not.toContain("爱丽丝");
      owner = "alice";
      await tab.evaluate(`dispatchEvent(new Event("focus"))`);
      await unsentOf(tab).getByText("爱丽丝的草稿").waitFor();
      await tab.close();
    });

    test("a draft is not in sight before the server has said who asks, which it is asked again when it is busy", async () => {
      const tab = await openAs(() => undefined);
      await field(tab).fill("以后再发");
      await expect.poll(() => readKept(tab)).toContain("以后再发");
      const answer = gate();
      await tab.route("**/agent/usage", async (route) => {
        await answer.until;
        await route.fulfill({ status: 429, body: "{}", contentType: "application/json" });
        await tab.unroute("**/agent/usage");
      });
      await tab.reload();
      await tab.locator(".mode-now").getByText(/Chat/).waitFor();
      expect(await field(tab).inputValue()).toBe("");
      answer.open();
      await expect.poll(() => field(tab).inputValue()).toBe("以后再发");
      await tab.close();
    });

    test("who has to sign in is shown no error of something else", async () => {
      const tab = await openAs(() => undefined);
      const refuse = (status: number) =>
        tab.route("**/agent/conversations?*q=*", (route) =>
          route.fulfill({ status, body: JSON.stringify({ detail: "查不了" }), contentType: "application/json" }),
        );
      await refuse(400);
      await tab.getByRole("searchbox").fill("一");
      await tab.getByRole("alert").getByText("查不了").waitFor();
      await refuse(401);
      await tab.getByRole("searchbox").fill("二");
      const dialog = tab.getByRole("dialog");
      await dialog.getByLabel("令牌").waitFor();
      expect(await dialog.getByRole("alert").textContent()).toBe("");
      await tab.close();
    });

    test("a server that does not say who asks is told of, and nothing is sent until it does", async () => {
      let said: string | undefined = "[]";
      const tab = await openAs(() => (said === undefined ? undefined : { body: said }));
      await tab.getByText("服务器没有说明你是谁").waitFor();
      open.provider.script("strong", { text: "好。" });
      await send(tab, "先不要发");
      await tab.locator(".turn .problem").getByText("something else").waitFor();
      expect(questions()).not.toContain("先不要发");
      said = undefined;
      await tab.getByRole("button", { name: "重试", exact: true }).click();
      expect((await answered(tab)).answer).toBe("好。");
      await tab.close();
    });
  });
});
