// What a server logs for one user is read by nobody else, wherever the call comes from.
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { type Caller, operator } from "../../../../src/core/caller.ts";
import { anna, askAs, ben, duetWith } from "../../../fakes/callers.ts";
import { scriptedModel } from "../../../fakes/model.ts";
import { compileCache, temporaryFolder } from "../../../fakes/program.ts";

const below = {
  command: process.execPath,
  args: [resolve("test/fakes/mcp-offering.ts")],
  env: compileCache(),
};

/** A Duet whose model calls a tool that logs three lines, and what the operator's own hosts hear of them. */
async function openLogging() {
  const turns = [[{ id: "c1", name: "below__log", input: {} }], "It has logged."];
  const duet = await duetWith(
    { models: { functionCall: scriptedModel(turns), alone: true } },
    { mcpServers: { below }, tools: { allow: ["below__*"] } },
  );
  const heard: unknown[] = [];
  const gateway = duet.gateway();
  gateway.onLog(({ data }) => void heard.push(data));
  await gateway.tools();
  const ask = async (caller: Caller) => (await askAs(duet, caller, "Log, please.")).outcome.status;
  return { ask, heard };
}

test("the operator's hosts hear what a server logs for a question of theirs", async () => {
  const { ask, heard } = await openLogging();
  expect(await ask(operator)).toBe("complete");
  expect(heard).toEqual(["debug", "info", "warning"].map((said) => ({ said })));
});

test("they do not hear what it logs for a user's question, also where the user cannot be asked", async () => {
  const { ask, heard } = await openLogging();
  expect(await ask(anna)).toBe("complete");
  expect(heard).toEqual([]);
});

test("servers log what the others want once the one host that has set a level has left, also a user's", async () => {
  const folder = await temporaryFolder();
  const journal = join(folder, "journal");
  const duet = await duetWith({}, { mcpServers: { below: { ...below, args: [...below.args, "--journal", journal] } } });
  const readLevel = async () => (await readFile(journal, "utf8")).match(/(?<=\{"level":")\w+/g)?.at(-1);
  const annas = duet.gateway(anna);
  const leave = annas.onLog(() => {});
  await annas.tools();
  annas.setLogLevel("error");
  await expect.poll(readLevel).toBe("error");
  // A host that has set nothing wants `info`.
  const leaveOther = duet.gateway(ben).onLog(() => {});
  await expect.poll(readLevel).toBe("info");
  leaveOther();
  await expect.poll(readLevel).toBe("error");
  leave();
  await expect.poll(readLevel).toBe("info");
});
