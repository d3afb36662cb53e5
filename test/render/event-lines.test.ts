import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../src/core/run/events.ts";
import { renderEvent } from "../../src/render/event-lines.ts";

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
