import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { programEnvironment, temporaryFolder } from "../../fakes/program.ts";
import { startTerminal } from "../../fakes/terminal.ts";

test("at a terminal the file is written after a yes, and exactly what stands in it starts the server", async () => {
  const home = await temporaryFolder();
  await mkdir(join(home, ".cursor"));
  const terminal = await startTerminal(["install", "cursor"], { cwd: home, env: { HOME: home }, isFirstStart: true });
  const file = join(home, ".cursor/mcp.json");
  await terminal.shows(`Write ${file}? [y/n]`);
  expect(await readdir(join(home, ".cursor"))).toEqual([]);
  terminal.type("y\n");
  expect(await terminal.ended()).toBe(0);
  expect(terminal.screen()).toContain("Restart Cursor");

  const { command, args } = JSON.parse(await readFile(file, "utf8")).mcpServers.duet;
  const client = new Client({ name: "cursor-vscode", version: "1" });
  onTestFinished(() => client.close());
  // A host that was started from a menu stands anywhere and has a short path.
  const env = { ...(await programEnvironment()), HOME: home, PATH: "/usr/bin:/bin" };
  await client.connect(new StdioClientTransport({ command, args, env, cwd: "/", stderr: "ignore" }));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("agent_ask");
});
