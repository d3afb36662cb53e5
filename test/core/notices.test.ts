import { expect, test } from "vitest";
import { noticeKinds } from "../../src/core/notices.ts";

test("a message that came too late is told with what the run waits for, or how it ended", () => {
  const tell = (status: "complete" | "needs_confirmation") =>
    noticeKinds.messageUndelivered({ said: "also Rome", status }, "en").message;
  expect(tell("complete")).toContain("because the answer was already written");
  expect(tell("needs_confirmation")).toContain("because the run waits for a confirmation");
});
