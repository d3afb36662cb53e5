import type { BrowserContextOptions, Page } from "playwright-core";
import { afterEach, expect } from "vitest";
import { patienceMs } from "../runner/patience.ts";
import { openBrowser } from "./chromium.ts";

export interface WatchedPage {
  readonly page: Page;
  /** Errors in the console or of scripts, breaches of the content policy, requests to elsewhere. */
  readonly faults: string[];
  /** What was asked for, by method and path. */
  readonly requests: string[];
}

export interface PageOptions extends BrowserContextOptions {
  /** Further patterns of console errors that a test means to cause. */
  meant?: RegExp;
}

/** A page in a browser of its own, as a person opens it. Each test of the file fails on anything that went wrong in it. */
export async function openPage(origin: string, { meant, ...options }: PageOptions = {}): Promise<WatchedPage> {
  const browser = await openBrowser();
  const context = await browser.newContext({ locale: "zh-CN", viewport: { width: 1200, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const faults: string[] = [];
  const requests: string[] = [];
  const tell = (fault: string): void => {
    if (meant?.test(fault) !== true) faults.push(fault);
  };
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") tell(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => tell(`script: ${error.message}`));
  page.on("request", (request) => {
    const url = new URL(request.url());
    requests.push(`${request.method()} ${url.pathname}`);
    if (url.origin !== origin && url.protocol !== "data:") tell(`request to ${url.origin}`);
  });
  await page.addInitScript(`
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      console.error("policy: " + violatedDirective + " " + blockedURI));
    window.folds = [];
    document.addEventListener("toggle", ({ target, newState }) =>
      folds.push(newState + " " + target.querySelector("summary")?.textContent), true);
  `);
  await page.goto(origin);
  await page.getByRole("textbox", { name: /输入问题|Your question/ }).waitFor();
  return { page, faults, requests };
}

/** After each test of the file, no error may have happened in the registered pages. */
export function checkFaults(pages: () => readonly (WatchedPage | undefined)[]): void {
  afterEach(() => {
    expect(pages().flatMap((watched) => watched?.faults ?? [])).toEqual([]);
  });
}
