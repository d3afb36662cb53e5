import { expect, test } from "vitest";
import { waitAbortable } from "../../../src/kit/async/timeout.ts";
import { startRun } from "../../../src/runs/live/start-run.ts";
import { fakePath } from "../../client/servers.ts";
import { duetWith } from "../../fakes/callers.ts";
import { compileCache } from "../../fakes/program.ts";

test("a run that waits for a server names its conversation before it begins, and keeps it", async () => {
  const slow = { command: process.execPath, args: [fakePath, "--mode", "never-initialize"], env: compileCache() };
  const duet = await duetWith({}, { mcpServers: { slow } });
  const run = startRun({
    id: "run-1",
    key: "key",
    caller: {},
    locale: "en",
    request: { question: "Hello" },
    canAsk: () => false,
    patienceMs: 60_000,
    ask: (request) => duet.ask(request),
    onEnd() {},
  });
  await run.waitForChange(AbortSignal.timeout(20_000));
  const { conversation_id } = run.snapshot();
  expect([conversation_id, run.events]).toEqual([expect.stringMatching(/^conv-/), []]);
  run.cancel();
  await run.waitForChange(AbortSignal.timeout(20_000));
  expect(run.outcome).toMatchObject({ status: "cancelled", conversation_id });
});

test("a run that is cancelled before it has begun is cancelled, and no fault of the program", async () => {
  const run = startRun({
    id: "run-1",
    key: "key",
    caller: {},
    locale: "en",
    request: { question: "Hello" },
    canAsk: () => false,
    patienceMs: 60_000,
    async *ask({ signal = new AbortController().signal }) {
      await waitAbortable(new Promise<void>(() => {}), signal);
      yield* [];
    },
    onEnd() {},
  });
  run.cancel();
  await run.waitForChange(AbortSignal.timeout(20_000));
  expect(run.outcome).toMatchObject({ success: false, status: "cancelled", stop_reason: "cancelled", error: null });
  expect(run.fault).toBeUndefined();
});
