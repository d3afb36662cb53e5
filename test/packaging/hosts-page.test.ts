import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { writeHostPage } from "../../scripts/host-pages/write-host-page.ts";
import { hostNames, hosts } from "../../src/cli/install/hosts.ts";
import { planChange } from "../../src/cli/install/install.ts";
import { launch } from "../cli/install/machine.ts";

const cases = hostNames.flatMap((host) =>
  (["en", "zh"] as const).map((locale) => {
    const file = `docs/hosts/${host}.${locale === "zh" ? "zh.md" : "md"}`;
    return { file, host, locale };
  }),
);

test.each(cases)("$file is what the tables of the program say (else: npm run docs)", ({ file, host, locale }) => {
  expect(readFileSync(file, "utf8")).toBe(writeHostPage(host, locale));
});

test.each(cases)("$file shows what duet install writes", ({ file, host }) => {
  const snippet = /```(?:json|toml|yaml) run=install\n([\s\S]*?)```/.exec(readFileSync(file, "utf8"))?.[1];
  const { text } = planChange(hosts[host], "", "", "duet", { launch, values: {}, names: [] });
  expect(snippet).toBe(`${text.trimEnd()}\n`);
});

test("a page says of what was run that it was, and of what was not that it was not", () => {
  expect(readFileSync("docs/hosts/codex.md", "utf8")).toMatch(/run with Codex \d[\s\S]*\$ codex exec/);
  expect(readFileSync("docs/hosts/zed.md", "utf8")).toMatch(/\| \[documented\]\([\s\S]*Not run: /);
});
