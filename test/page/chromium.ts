import { type Browser, chromium } from "playwright-core";
import { afterAll, describe } from "vitest";
import { patienceMs } from "../runner/patience.ts";
import { requires, chromium as wanted } from "../runner/requirements.ts";

/**
 * Replaces Playwright's own list, because Chromium obeys the last `--disable-features` alone, so it repeats what matters on Linux.
 * The address bar of each window would be a page with a process of its own, which takes more time than a page of ours.
 */
const disabledFeatures = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
];

/** Defines a group of tests that need a browser. The group is skipped where there is none. */
export function inChromium(title: string, define: () => void): void {
  describe(title, requires(wanted), () => {
    // A hook of this module would belong to the first file that loads it, and a process runs many files.
    afterAll(closeBrowser);
    define();
  });
}

let browser: Promise<Browser> | undefined;

/** Opens the browser of a group on first use. */
export function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch({
    executablePath: wanted.path,
    args: [`--disable-features=${disabledFeatures.join(",")}`, ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
    timeout: patienceMs,
  });
  return browser;
}

async function closeBrowser(): Promise<void> {
  const opened = browser;
  browser = undefined;
  await (await opened)?.close();
}
