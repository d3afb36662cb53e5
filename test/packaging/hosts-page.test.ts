import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hostNames, hosts } from "../../src/cli/install/hosts.ts";
import { planChange } from "../../src/cli/install/install.ts";
import { launch } from "../cli/install/machine.ts";

const cases = ["docs/hosts.md", "docs/hosts.zh.md"].flatMap((file) => hostNames.map((host) => [file, host] as const));

test.each(cases)("%s shows for %s what duet install writes", (file, host) => {
  const text = readFileSync(file, "utf8");
  const [, section = ""] = text.split(`<code>duet install ${host}</code></summary>`);
  const snippet = /```(?:json|toml)\n([\s\S]*?)```/.exec(section)?.[1];
  expect(snippet).toBe(planChange(hosts[host], "", "", "duet", { launch, values: {}, names: [] }).text);
});
