import { expect, test } from "vitest";
import { LostRunError, type RunJournal } from "../../../src/core/store/journal.ts";
import { makeTool } from "../../fakes/events.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { runOptions, streamRun } from "../../fakes/run.ts";

/** Runs one call with a journal that shares the run with other processes. */
async function runShared(isOurs: boolean) {
  const log: string[] = [];
  const moved = new AbortController();
  const journal: RunJournal = {
    runId: "run-1",
    moved: moved.signal,
    add: async ({ name }) => void log.push(name),
    async addEvents() {},
    async forbid() {},
    async confirm() {
      log.push("confirm");
      if (isOurs) return;
      moved.abort(new LostRunError("run-1"));
      throw new LostRunError("run-1");
    },
  };
  const model = scriptedModel([[{ id: "c1", name: "work", input: {} }], "It is done."]);
  const work = makeTool("work", () => {
    log.push("work");
    return { ok: true, text: "The work is done, as it should be." };
  });
  const models = { functionCall: model, answer: model };
  const options = await runOptions({ models, tools: [work], recording: { begin: async () => journal } });
  await Array.fromAsync(streamRun(options)).catch(() => {});
  return log;
}

test("a call is made once it is known that the run is still this process's", async () => {
  expect((await runShared(true)).slice(0, 4)).toEqual(["turn:decide:1", "confirm", "work", "call:c1"]);
});

test("a call of a run that another process may have is not made, and nothing more is recorded", async () => {
  expect(await runShared(false)).toEqual(["turn:decide:1", "confirm"]);
});
