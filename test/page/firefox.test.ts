import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch, type Page } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { patienceMs } from "../runner/patience.ts";
import { firefox, requires } from "../runner/requirements.ts";
import { type PageDuet, startPageDuet } from "./page-duet.ts";

const answers = `[...document.querySelectorAll(".turn .answer .words")].map(({ textContent }) => textContent)`;
const isOver = `document.querySelector(".stop") === null`;

/** The main way through the page. Chromium has the tests of all the rest. */
describe("the page in Firefox", requires(firefox), () => {
  let duet: PageDuet;
  let page: Page;
  let close: () => Promise<void> = async () => {};
  const faults: string[] = [];

  beforeAll(async () => {
    duet = await startPageDuet();
    const home = await mkdtemp(join(tmpdir(), "duet-firefox-"));
    const browser = await launch({
      browser: "firefox",
      executablePath: firefox.path,
      timeout: patienceMs,
      protocolTimeout: patienceMs,
      extraPrefsFirefox: { "intl.accept_languages": "zh-CN" },
      env: { ...process.env, HOME: home },
    });
    close = async () => {
      await browser.close();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    };
    page = await browser.newPage();
    page.setDefaultTimeout(patienceMs);
    page.on("pageerror", (error) => faults.push(error instanceof Error ? error.message : String(error)));
    await page.goto(duet.origin);
    await page.waitForSelector("#message:focus");
  });
  afterAll(() => close());

  const send = async (text: string): Promise<void> => {
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
  };
  const press = (label: string): Promise<void> =>
    page.locator(`::-p-aria([name="${label}"][role="button"])`).setTimeout(patienceMs).click();

  test("a question is asked, streamed, answered and asked in other words", async () => {
    duet.provider.script("cheap", { toolCalls: [{ name: "calculator", arguments: { expression: "6*7" } }] });
    duet.provider.script("cheap", { text: "够了。" });
    duet.provider.script("strong", { text: "是 **42**。" });
    await send("六乘七？");
    await page.waitForFunction(`${answers}.at(-1) === "是 42。" && ${isOver}`);
    await page.waitForSelector(".step");
    await press("修改问题");
    await page.waitForFunction(`document.activeElement.closest(".turn") !== null`);
    await page.evaluate("document.activeElement.select()");
    duet.provider.script("cheap", { text: "够了。" });
    duet.provider.script("strong", { text: "是 48。" });
    await send("六乘八？");
    await page.waitForFunction(`${answers}.at(-1) === "是 48。" && ${isOver}`);
    await page.waitForFunction(`/2\\s*\\/\\s*2/.test(document.querySelector(".turn:last-child").textContent)`);
  });

  test("a draft with its file, and the conversation, are there again after a reload", async () => {
    await page.focus("#message");
    await page.keyboard.type("写到一半");
    await page.evaluate(`{
      const [input, chosen] = [document.querySelector(".choose-files"), new DataTransfer()];
      chosen.items.add(new File(["牛奶"], "清单.txt", { type: "text/plain" }));
      input.files = chosen.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }`);
    await page.waitForFunction(`document.querySelector(".composer .file-name")?.textContent === "清单.txt"`);
    // The browser writes in a process of its own, and what it has not written yet goes with the page.
    await page.waitForFunction(`new Promise((resolve) => {
      indexedDB.open("duet").onsuccess = ({ target: { result: database } }) => {
        database.transaction("texts").objectStore("texts").getAll().onsuccess = ({ target: { result: kept } }) => {
          database.close();
          resolve(kept.some(({ files }) => files.some(({ name }) => name === "清单.txt")));
        };
      };
    })`);
    await page.reload();
    await page.waitForFunction(`document.querySelector("#message")?.value === "写到一半"`);
    await page.waitForFunction(`document.querySelector(".composer .file-name")?.textContent === "清单.txt"`);
    await page.waitForFunction(`${answers}.at(-1) === "是 48。"`);
    expect(faults).toEqual([]);
  });
});
