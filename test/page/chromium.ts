import { type Browser, chromium } from "playwright-core";
import { afterAll, describe } from "vitest";
import { patienceMs } from "../runner/patience.ts";
import { requires, chromium as wanted } from "../runner/requirements.ts";

/** A group of tests that need a browser; skipped where there is none. */
export function inChromium(title: string, define: () => void): void {
  describe(title, requires(wanted), define);
}

let browser: Promise<Browser> | undefined;

/** One for all tests of a file. */
export function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch({
    executablePath: wanted.path,
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
    timeout: patienceMs,
  });
  return browser;
}

afterAll(async () => {
  await (await browser)?.close();
});
