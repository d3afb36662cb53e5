import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { allDead, processesIn } from "../client/servers.ts";
import { collect, compileCache, configFile, startProgram, temporaryFolder } from "../fakes/program.ts";

const fakeServer = resolve("test/fakes/mcp.ts");

test("duet serve takes the servers of a configuration that changes, and ends those that are gone", async () => {
  const folder = await temporaryFolder();
  const journal = (name: string): string => join(folder, name);
  const server = (name: string) => ({
    command: process.execPath,
    args: [fakeServer, "--journal", journal(name)],
    env: compileCache(),
  });
  const kept = server("kept");
  const config = await configFile({ mcpServers: { kept, old: server("old") } });
  const child = await startProgram(["serve", "--config", config], { env: { LANG: "en_US.UTF-8" } });
  const finished = collect(child);
  const old = await processesIn(journal("old"), 1);
  const first = await processesIn(journal("kept"), 1);

  await writeFile(config, JSON.stringify({ mcpServers: { kept, fresh: server("fresh") } }));
  const fresh = await processesIn(journal("fresh"), 1);
  await allDead(old);
  expect(await processesIn(journal("kept"), 1)).toEqual(first);

  child.stdin.end();
  expect(await finished).toEqual({ code: 0, stdout: "", stderr: "" });
  await allDead([...first, ...fresh]);
});
