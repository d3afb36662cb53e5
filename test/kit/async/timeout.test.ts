import { once } from "node:events";
import { expect, test } from "vitest";
import { createWaitLimit } from "../../../src/kit/async/timeout.ts";

test("the end of a wait is told in whole milliseconds", async () => {
  const { signal } = createWaitLimit(1.830649);
  if (!signal.aborted) await once(signal, "abort");
  expect(signal.reason).toMatchObject({ message: "the wait of 2 ms is over" });
});
