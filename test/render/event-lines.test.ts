import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../src/core/run/events.ts";
import type { Outcome } from "../../src/core/run/outcome.ts";
import { timeoutError } from "../../src/kit/async/timeout.ts";
import { toErrorReport } from "../../src/kit/errors.ts";
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

describe("a partial answer as a line", () => {
  const limit = { setting: "agent.maxExecutionTime", value: 10 };

  test("says once that the time is over, and how to have more, in whole sentences", () => {
    const toLine = (locale: "zh" | "en") => {
      const error = toErrorReport(timeoutError({ zh: "运行", en: "the run" }, 10_000), locale);
      return renderPartial({ status: "partial", stop_reason: "time_limit", limit, error }, locale, "chat");
    };
    expect(toLine("en")).toBe(
      "⚠ This answer is partial: the time limit was reached. The limit is 10 s; /set max_execution_time 40 raises it.",
    );
    expect(toLine("zh")).toBe("⚠ 这是不完整的回答：执行超时。上限是 10 秒，可用 /set max_execution_time 40 调高。");
  });

  test("says what went wrong, and ends it before what raises the limit", () => {
    const error = { code: "timeout", message: "the run timed out after 10 s", hint: null, retryable: false } as const;
    const outcome = { status: "partial", stop_reason: "error", limit, error } as const;
    expect(renderPartial(outcome, "en")).toBe(
      "⚠ This answer is partial: the run timed out after 10 s. The limit is 10 s; agent.maxExecutionTime raises it.",
    );
  });

  test("names the limit that was met where something else ended the run", () => {
    const limit = { setting: "agent.maxToolCalls", value: 5 };
    const toLine = (locale: "zh" | "en", outcome: Partial<Outcome>) =>
      renderPartial({ status: "partial", stop_reason: "error", error: null, limit, ...outcome }, locale);
    const none = { code: "server", hint: null, retryable: false } as const;
    expect(toLine("en", { error: { ...none, message: "The model returned no answer." } })).toBe(
      "⚠ This answer is partial: The model returned no answer. The limit of tool calls was reached. The limit is 5; agent.maxToolCalls raises it.",
    );
    expect(toLine("zh", { error: { ...none, message: "模型没有返回回答。" } })).toBe(
      "⚠ 这是不完整的回答：模型没有返回回答。已达到最大工具调用次数。上限是 5，可用 agent.maxToolCalls 调高。",
    );
    expect(toLine("zh", { stop_reason: "tool_call_limit" })).toBe(
      "⚠ 这是不完整的回答：已达到最大工具调用次数。上限是 5，可用 agent.maxToolCalls 调高。",
    );
  });
});
