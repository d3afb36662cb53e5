import { expect, test } from "vitest";
import { abortable } from "../../src/kit/async/timeout.ts";
import { holdRun } from "../../src/runs/run-handle.ts";

test("a run that is cancelled before it has begun is cancelled, and no fault of the program", async () => {
  const run = holdRun({
    id: "run-1",
    key: "key",
    caller: {},
    locale: "en",
    request: { question: "Hello" },
    asks: { calls: false, plans: false, forms: false },
    patienceMs: 60_000,
    async *ask({ signal = new AbortController().signal }) {
      await abortable(new Promise<void>(() => {}), signal);
      yield* [];
    },
    onEnd() {},
  });
  run.cancel();
  await run.turned(AbortSignal.timeout(20_000));
  expect(run.outcome).toMatchObject({ success: false, status: "cancelled", stop_reason: "cancelled", error: null });
  expect(run.fault).toBeUndefined();
});
