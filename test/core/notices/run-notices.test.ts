import { expect, test } from "vitest";
import { noticeKinds } from "../../../src/core/notices/notice-kinds.ts";

test("a message that came too late is told with what the run waits for, or how it ended", () => {
  const tell = (status: "complete" | "needs_confirmation") =>
    noticeKinds.messageUndelivered({ said: "also Rome", status }, "en").message;
  expect(tell("complete")).toContain("because the answer was already written");
  expect(tell("needs_confirmation")).toContain("because the run waits for a confirmation");
});

test.each([
  [{ finished: 0, unclear: 0 }, "已取消这次运行。请再问一次。", "cancelled this run. Ask again."],
  [
    { finished: 2, unclear: 0 },
    "已完成 2 次工具调用，其效果不会撤销；请先确认做了什么，再重新提问。",
    "What its 2 finished tool calls did stays done. Check that before you ask again.",
  ],
  [
    { finished: 1, unclear: 2 },
    "已完成 1 次工具调用，其效果不会撤销；有 2 次工具调用可能已经生效；请先确认做了什么，再重新提问。",
    "What its 1 finished tool call did stays done. 2 tool calls may have taken effect. Check that before you ask again.",
  ],
])("the end of the server tells apart what is done and what nobody knows: %o", (calls, zh, en) => {
  expect(noticeKinds.serverEnded(calls, "zh").message).toContain(zh);
  expect(noticeKinds.serverEnded(calls, "en").message).toContain(en);
});
