import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import type { Duet } from "../../src/app/duet.ts";
import { duetWith } from "../fakes/callers.ts";
import { scriptedModel } from "../fakes/model.ts";
import { compileCache, temporaryFolder } from "../fakes/program.ts";

/** A program whose one server starts when it is wanted, and whether that has started. */
async function open(): Promise<{ duet: Duet; hasStarted(): boolean }> {
  const journal = join(await temporaryFolder(), "journal");
  const amap = {
    command: process.execPath,
    args: [resolve("test/fakes/mcp.ts"), "--journal", journal],
    env: compileCache(),
  };
  const model = scriptedModel(["Hello.", "Hello."]);
  const duet = await duetWith(
    { models: { functionCall: model, alone: true }, startServers: "when-wanted" },
    { mcpServers: { amap } },
  );
  return { duet, hasStarted: () => existsSync(journal) };
}

test("servers that start when they are wanted leave a chat without search alone, and serve the first who asks for tools", async () => {
  const { duet, hasStarted } = await open();
  await Array.fromAsync(duet.ask({ question: "Hello", mode: "chat" }));
  expect(hasStarted()).toBe(false);
  const [start] = await Array.fromAsync(duet.ask({ question: "Hello", tools: ["amap__*"] }));
  expect(start).toMatchObject({ type: "run-start", toolCount: 1 });
  expect(await duet.servers()).toMatchObject([{ name: "amap", state: "ready" }]);
});

test("servers that a reload takes away before they were wanted do not come back", async () => {
  const { duet } = await open();
  await duet.configure([]);
  expect(await duet.servers()).toEqual([]);
});

test("no server starts once the program is closing, also not for a question that had just begun", async () => {
  const { duet, hasStarted } = await open();
  const begun = Array.fromAsync(duet.ask({ question: "Hello" }));
  await duet.close();
  expect((await begun).at(-1)).toMatchObject({ outcome: { status: "cancelled" } });
  expect(await duet.servers()).toEqual([]);
  expect(hasStarted()).toBe(false);
});
