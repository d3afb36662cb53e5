import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Tool } from "../../src/core/tools/tool.ts";
import { truncate } from "../../src/kit/text/truncate.ts";
import { createTool } from "../../src/tools/create-tool.ts";
import { withOutputLimit, withTimeout } from "../../src/tools/tool-limits.ts";
import { testContext } from "./context.ts";

const tool = (run: Tool["run"]) =>
  createTool({ name: "probe", description: "d", inputSchema: { type: "object" }, source: "user", run });
const saying = (text: string) => tool(async () => ({ ok: true, text }));

describe("withTimeout", () => {
  test("answers in time although the tool ignores its signal", async () => {
    let signal: AbortSignal | undefined;
    const stuck = tool((_, context) => {
      signal = context.signal;
      return new Promise(() => {});
    });
    const result = await withTimeout(stuck, 20).run({}, testContext());
    expect(result).toEqual({
      ok: false,
      text: "probe timed out after 0.02 s",
      error: { code: "timeout", message: "probe timed out after 0.02 s" },
    });
    expect(signal?.aborted).toBe(true);
  });

  test("passes a cancel on as a rejection with the caller's reason", async () => {
    const controller = new AbortController();
    const stuck = tool(() => new Promise(() => {}));
    const running = withTimeout(stuck, 60_000).run({}, testContext({ signal: controller.signal }));
    controller.abort(new Error("the user left"));
    await expect(running).rejects.toThrow("the user left");
  });

  test("does not start a tool whose caller has already gone", async () => {
    const run = vi.fn(async () => ({ ok: true, text: "" }));
    await expect(
      withTimeout(tool(run), 10).run({}, testContext({ signal: AbortSignal.abort(new Error("gone")) })),
    ).rejects.toThrow("gone");
    expect(run).not.toHaveBeenCalled();
  });

  test("begins to count when the tool is prepared, however long that takes", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const prepare = vi.fn(async () => void (await vi.advanceTimersByTimeAsync(60_000)));
    const result = await withTimeout(saying("ready"), 10, prepare).run({ a: 1 }, testContext());
    expect(prepare.mock.calls).toEqual([[{ a: 1 }]]);
    expect(result).toEqual({ ok: true, text: "ready" });
  });

  test("leaves a preparation that never ends when the caller does", async () => {
    const controller = new AbortController();
    const running = withTimeout(saying("never"), 10, () => new Promise(() => {})).run(
      {},
      testContext({ signal: controller.signal }),
    );
    controller.abort(new Error("the user left"));
    await expect(running).rejects.toThrow("the user left");
  });

  test("lets the tool's own failure through", async () => {
    const broken = tool(async () => {
      throw new Error("broken");
    });
    await expect(withTimeout(broken, 1000).run({}, testContext())).rejects.toThrow("broken");
  });

  test("drops what the tool reports after its time", async () => {
    let late = (): void => {};
    const chatty = tool((_, context) => {
      context.progress("early");
      late = () => context.progress("late");
      return new Promise(() => {});
    });
    const context = testContext();
    await withTimeout(chatty, 10).run({}, context);
    late();
    expect(context.progressed).toEqual(["early"]);
  });
});

describe("withOutputLimit", () => {
  test("leaves a short result alone", async () => {
    expect(await withOutputLimit(saying("short"), 10).run({}, testContext())).toEqual({ ok: true, text: "short" });
  });

  test("keeps head and tail of a long one and says how much is missing", async () => {
    const result = await withOutputLimit(saying(`HEAD${"-".repeat(1000)}TAIL`), 40).run(
      {},
      testContext({ locale: "zh" }),
    );
    expect(result.text).toBe(`HEAD${"-".repeat(26)}\n…[省略 968 个字符]…\n${"-".repeat(6)}TAIL`);
  });

  test("keeps no more than it may, accounts for the rest, and never splits a character", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "中", "😀", "\n"), maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 0, max: 200 }), async (original, limit) => {
        const { text: cut } = await withOutputLimit(saying(original), limit).run({}, testContext());
        if (original.length <= limit) {
          expect(cut).toBe(original);
          return;
        }
        const [all = "", missing] = /\n…\[(\d+) characters? left out\]…\n/.exec(cut) ?? [];
        const [head = "", tail = ""] = cut.split(all);
        expect(head.length + tail.length).toBeLessThanOrEqual(limit);
        expect(head.length + tail.length + Number(missing)).toBe(original.length);
        expect(original.startsWith(head) && original.endsWith(tail)).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });

  test("cuts a failure's message too", async () => {
    const failing = tool(async () => ({
      ok: false,
      text: "x".repeat(99),
      error: { code: "tool", message: "x".repeat(99) },
    }));
    const result = await withOutputLimit(failing, 10).run({}, testContext());
    expect(result.error?.message).toHaveLength(10);
  });
});

test("limits compose and keep what the tool says of itself", () => {
  const { run: _, ...original } = saying("x");
  const { run: __, ...wrapped } = withTimeout(withOutputLimit(saying("x"), 10), 10);
  expect(wrapped).toEqual({ ...original, callLimits: { timeoutMs: 10 }, canRepeat: expect.any(Function) });
});

test("cutText never exceeds its length nor splits a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), fc.integer({ min: 1, max: 250 }), (text, max) => {
      const cut = truncate(text, max);
      expect(cut.length).toBeLessThanOrEqual(max);
      expect(cut.isWellFormed()).toBe(true);
      if (text.length <= max) expect(cut).toBe(text);
    }),
  );
});
