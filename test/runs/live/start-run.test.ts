import { expect, test } from "vitest";
import { waitAbortable } from "../../../src/kit/async/timeout.ts";
import { startRun } from "../../../src/runs/live/start-run.ts";

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
