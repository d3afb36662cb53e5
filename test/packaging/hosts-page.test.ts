import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hostNames, hosts } from "../../src/cli/install/hosts.ts";
import { planChange } from "../../src/cli/install/install.ts";
import { launch } from "../cli/install/machine.ts";

const pages = ["docs/hosts.md", "docs/hosts.zh.md"].map((file) => ({ file, text: readFileSync(file, "utf8") }));
const cases = pages.flatMap(({ file, text }) => hostNames.map((host) => ({ file, text, host })));

function plan(host: (typeof hostNames)[number]) {
  return planChange(hosts[host], "", "", "duet", { launch, values: {}, names: [] });
}

test.each(cases)("$file says which fields duet install writes for $host", ({ text, host }) => {
  const { title, key, defaults } = hosts[host];
  const { entry } = plan(host);
  const fields = Object.entries(defaults).map(([field, value]) => `\`${field}: ${JSON.stringify(value)}\``);
  const window = [entry?.args ?? entry?.command].flat().slice(-2);
  const told = window[0] === "--window" ? `\`${window.join(" ")}\`` : "–";
  const row = `| ${title} | \`${key}\` | ${fields.join(", ") || "–"} | ${told} |`;
  expect(text).toContain(`\n${row}\n`);
  expect(text).toContain(`\n| ${title} | \`duet install ${host}\` | `);
});

const shown = cases.filter(({ text, host }) => text.includes(`<code>duet install ${host}</code></summary>`));

test.each(shown)("$file shows for $host what duet install writes", ({ text, host }) => {
  const [, section = ""] = text.split(`<code>duet install ${host}</code></summary>`);
  const snippet = /```(?:json|toml|yaml) run=install\n([\s\S]*?)```/.exec(section)?.[1];
  expect(snippet).toBe(plan(host).text);
});

test("each shape of an entry is shown in full on both pages", () => {
  const shapes = new Set(hostNames.map((host) => hosts[host].form + JSON.stringify(hosts[host].fields)));
  for (const { file } of pages) {
    const seen = shown
      .filter((each) => each.file === file)
      .map(({ host }) => hosts[host].form + JSON.stringify(hosts[host].fields));
    expect(new Set(seen)).toEqual(shapes);
  }
});
