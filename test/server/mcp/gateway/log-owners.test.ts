// What a server logs for one user is read by nobody else, wherever the call comes from.
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { type Caller, operator } from "../../../../src/core/caller.ts";
import { anna, askAs, duetWith } from "../../../fakes/callers.ts";
import { scriptedModel } from "../../../fakes/model.ts";
import { compileCache } from "../../../fakes/program.ts";

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
