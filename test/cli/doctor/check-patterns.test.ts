import { expect, test } from "vitest";
import type { Inventory } from "../../../src/app/tools/tool-inventory.ts";
import { checkPatterns } from "../../../src/cli/doctor/check-patterns.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { makeTool } from "../../fakes/events.ts";
import { configFile } from "../../fakes/program.ts";

const said = { tools: { deny: ["echo", "fs__*", "fs__write_fil", "gone"], ask: ["*:destructive", "sh_*(rm *)"] } };

/** Lists what is told where these servers are, in this state. */
async function listFindings(state?: Inventory["servers"][number]["state"]): Promise<string[]> {
  const config = await loadConfig({ config: await configFile(said) });
  const tools = [makeTool("echo", () => ({ ok: true, text: "" }))];
  const denied = { name: "fs__read", source: "fs", reason: "denied", text: { zh: "", en: "" } } as const;
  const server = { name: "fs", state } as Inventory["servers"][number];
  return checkPatterns({ tools, dropped: [denied], servers: state ? [server] : [] }, config).map(
    ({ what, name, state: mark }) => `${mark} ${what.en} ${name}`,
  );
}

test("patterns whose name no tool has are told, not those of tools that the rules leave out", async () => {
  const told = ["none tools.deny fs__write_fil", "none tools.deny gone", "none tools.ask sh_*(rm *)"];
  expect(await listFindings()).toEqual(told);
  expect(await listFindings("ready")).toEqual(told);
});

test("nothing is told while a server's tools are not known", async () => {
  expect(await listFindings("failed")).toEqual([]);
});
