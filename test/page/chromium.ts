import { type Browser, chromium } from "playwright-core";
import { afterAll, describe } from "vitest";
import { patienceMs } from "../runner/patience.ts";
import { requires, chromium as wanted } from "../runner/requirements.ts";

/** A group of tests that need a browser; skipped where there is none. */
export function inChromium(title: string, define: () => void): void {
  describe(title, requires(wanted), define);
}

/** Of Playwright's own list, which this one replaces, what matters on Linux; and what takes more time than a page of ours. */
const unwanted = [
  ...["AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "LensOverlay"],
  ...["HttpsFirstBalancedModeAutoEnable", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning"],
  ...["AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled"],
  ...["PreconnectToSearch"],
  // The address bar of each window is a page with a process of its own.
  ...["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"],
];

let browser: Promise<Browser> | undefined;

/** One for all tests of a file. */
export function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch({
    executablePath: wanted.path,
    args: [`--disable-features=${unwanted.join(",")}`, ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
    timeout: patienceMs,
  });
  return browser;
}

afterAll(async () => {
  const opened = browser;
  // Another file of this process opens one of its own.
  browser = undefined;
  await (await opened)?.close();
});
