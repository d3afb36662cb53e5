import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/** Puts axe-core into a page; it is gone when the page is loaded again. */
export async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
}

/** Lists what breaks a rule of axe-core now. `rules` limits the rules that are looked at. */
export function findViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  return page.evaluate<string[]>(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target + " " + failureSummary)))`);
}
