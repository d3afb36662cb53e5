import { expect, test } from "vitest";
import { noticeKinds } from "../../../src/core/notices/notice-kinds.ts";
import { createRunSnapshot } from "../../../src/runs/live/run-snapshot.ts";

test("a run that goes on shows the notices that its result will repeat, each once", () => {
  const snapshot = createRunSnapshot({ runId: "run-1", conversationId: "conv-1", mode: "agent" });
  const failing = noticeKinds.storeFailing({ zh: "磁盘已满", en: "the disk is full" }, "en");
  const { type: _, ...shown } = failing;
  snapshot.handle(failing);
  snapshot.handle(noticeKinds.priceUnknown("own/m", "en"));
  snapshot.handle(failing);
  expect(snapshot.outcome().notices).toEqual([shown]);
});
