import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../src/core/run/events.ts";
import type { Outcome } from "../../src/core/run/outcome.ts";
import { renderEvent, renderPartial } from "../../src/render/event-lines.ts";

describe("an event as a line", () => {
  test.each(["time-limit", "repetition"] as const)("leaves %s to its notice, which says the same", (reason) => {
    const told: AgentEvent[] = [
      { type: "evaluation", verdict: "answer", reason, message: "It ends." },
      { type: "notice", level: "warning", code: reason, message: "It ends." },
    ];
    expect(told.flatMap((event) => renderEvent(event, "en") ?? [])).toEqual(["⚠ It ends."]);
  });

  test("is one clean line by whatever name a model calls a tool", () => {
    const tool = `\u001b[2Jx\n✓ forged ${"y".repeat(10_000)}`;
    const line = renderEvent({ type: "tool-start", callId: "1", step: 1, tool, arguments: {} }, "en") ?? "";
    expect(line).toMatch(/^🔧 \\u\{1b\}\[2Jx ✓ forged y+… \{\}$/);
    expect(line.length).toBeLessThan(100);
  });
});

test("a partial answer names the limit that was met where something else ended it", () => {
  const outcome = {
    ...{ status: "partial", stop_reason: "error", limit: { setting: "agent.maxToolCalls", value: 5 } },
    error: { code: "server", message: "The model returned no answer.", hint: null },
  } as unknown as Outcome;
  expect(renderPartial(outcome, "en")).toBe(
    "⚠ This answer is partial: The model returned no answer. The limit of tool calls was reached. The limit is 5; agent.maxToolCalls raises it.",
  );
  const met: Outcome = { ...outcome, stop_reason: "tool_call_limit", error: null };
  expect(renderPartial(met, "zh")).toBe(
    "⚠ 这是不完整的回答：已达到最大工具调用次数。上限是 5，可用 agent.maxToolCalls 调高。",
  );
  const inChinese: Outcome = { ...outcome, error: { code: "server", message: "模型没有返回回答。", hint: null } };
  expect(renderPartial(inChinese, "zh")).toBe(
    "⚠ 这是不完整的回答：模型没有返回回答。已达到最大工具调用次数。上限是 5，可用 agent.maxToolCalls 调高。",
  );
});
