import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { afterAll, describe } from "vitest";

const path = process.env.DUET_CHROMIUM ?? "/usr/bin/chromium";
const isThere = existsSync(path);
if (!isThere)
  process.stderr.write(
    `There is no Chromium at ${path} (DUET_CHROMIUM names another): the page's tests are skipped.\n`,
  );

/** Tests that need a browser; skipped where there is none. */
export const inChromium = describe.skipIf(!isThere);

let browser: Promise<Browser> | undefined;

/** One for all tests of a file. */
export function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch({
    executablePath: path,
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
    timeout: 60_000,
  });
  return browser;
}

afterAll(async () => {
  await (await browser)?.close();
});
