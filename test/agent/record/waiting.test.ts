import { expect, test } from "vitest";
import type { RunJournal } from "../../../src/core/store/journal.ts";
import type { Tool } from "../../../src/core/tools/tool.ts";
import { makeTool } from "../../fakes/events.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { runOptions, streamRun } from "../../fakes/run.ts";

/** Runs one call of a tool and an answer, and returns what of it may be stored later. */
async function listWaiting(tool: Partial<Tool>): Promise<string[]> {
  const log: string[] = [];
  const journal: RunJournal = {
    runId: "run-1",
    async add({ name, mayWait = false }) {
      log.push(`${name}${mayWait ? " waits" : ""}`);
    },
    async addEvents() {},
    async forbid() {},
    end: () => void log.push("end"),
  };
  const model = scriptedModel([[{ id: "c1", name: "work", input: { n: 1 } }], "It is done."]);
  const work = makeTool("work", () => ({ ok: true, text: "The work is done, as it should be." }));
  const options = await runOptions({
    models: { functionCall: model, answer: model },
    tools: [{ ...work, ...tool }],
    recording: { begin: async () => journal },
  });
  await Array.fromAsync(streamRun(options));
  return log;
}

const waiting = ["turn:decide:1 waits", "call:c1 waits", "turn:decide:2 waits", "end"];

test("the turn that asks for a call is stored before the call, unless the call changes nothing", async () => {
  const reads = { annotations: { readOnly: true } };
  expect(await listWaiting({ ...reads, canRepeat: () => true })).toEqual(waiting);
  const stored = ["turn:decide:1", ...waiting.slice(1)];
  expect(await listWaiting({})).toEqual(stored);
  // What it says of itself was approved by nobody.
  expect(await listWaiting(reads)).toEqual(stored);
  // Another model might ask for something else the next time.
  expect(await listWaiting({ annotations: { idempotent: true }, canRepeat: () => true })).toEqual(stored);
});

test("the arguments decide where they say more than the tool", async () => {
  const tool: Partial<Tool> = { annotations: { readOnly: true }, canRepeat: () => true };
  expect(await listWaiting({ ...tool, annotationsFor: ({ n }) => ({ readOnly: n === 1 }) })).toEqual(waiting);
  const [first] = await listWaiting({ ...tool, annotationsFor: ({ n }) => ({ readOnly: n !== 1 }) });
  expect(first).toBe("turn:decide:1");
});
