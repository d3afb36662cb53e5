import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { readProcessorWaitMs } from "../../../src/kit/process/processor-wait.ts";
import { linux, requires } from "../../runner/requirements.ts";

test("a thread that shares its processors with more busy threads than there are has waited", requires(linux), () => {
  const before = readProcessorWaitMs();
  for (let count = 2 * availableParallelism(); count > 0; count--) {
    const worker = new Worker("for (;;);", { eval: true });
    onTestFinished(() => void worker.terminate());
  }
  // The loop ends as soon as the scheduler has taken the processor away once.
  const enough = performance.now() + 60_000;
  while (readProcessorWaitMs() <= before + 1 && performance.now() < enough);
  expect(readProcessorWaitMs()).toBeGreaterThan(before + 1);
});
