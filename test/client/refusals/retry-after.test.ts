import { expect, test } from "vitest";
import { retryAfterRefusal } from "../../../src/client/refusals/explain.ts";
import { createFailure, type ToolResult } from "../../../src/core/tools/tool.ts";

/** Gives these results one after the other, and notes how often it was asked and what pauses were wanted. */
function server(...results: ToolResult[]) {
  const pauses: number[] = [];
  let calls = 0;
  const send = async (): Promise<ToolResult> => results[calls++] ?? createFailure("internal", "asked too often");
  const locale = "en" as const;
  return {
    pauses,
    calls: () => calls,
    heeded: () => retryAfterRefusal({ send, rest: (ms) => pauses.push(ms), locale }),
  };
}

const found: ToolResult = { ok: true, text: "found" };
const tooFast = createFailure("tool", "Text Search failed: CUQPS_HAS_EXCEEDED_THE_LIMIT");

test("a result is handed on as it is", async () => {
  const it = server(found);
  expect(await it.heeded()).toBe(found);
  expect(it.pauses).toEqual([]);
});

test("too many calls per second: sent once more after the pause", async () => {
  const it = server(tooFast, found);
  expect(await it.heeded()).toBe(found);
  expect(it.pauses).toEqual([1000]);
});

test("refused twice: explained, and not sent a third time", async () => {
  const it = server(tooFast, tooFast, found);
  const result = await it.heeded();
  expect(result).toMatchObject({ ok: false, error: { code: "rate_limit" } });
  expect(result.text).toMatch(/^Text Search failed: CUQPS_HAS_EXCEEDED_THE_LIMIT\nAmap refused: /);
  expect(it.calls()).toBe(2);
});

test.each([
  ["a quota that is used up", createFailure("tool", "Text Search failed: USER_DAILY_QUERY_OVER_LIMIT"), "quota"],
  ["a pause of a minute", createFailure("tool", "Text Search failed: ACCESS_TOO_FREQUENT"), "rate_limit"],
  ["a wrong key", createFailure("tool", "Text Search failed: INVALID_USER_KEY"), "auth"],
])("%s: explained at once", async (_, refused, code) => {
  const it = server(refused, found);
  expect(await it.heeded()).toMatchObject({ ok: false, error: { code } });
  expect(it.calls()).toBe(1);
  expect(it.pauses).toEqual([]);
});

test("a refusal that passes for a success becomes a failure", async () => {
  const it = server({ ok: true, text: '{"status":"0","info":"INVALID_USER_KEY","infocode":"10001"}' });
  expect(await it.heeded()).toMatchObject({ ok: false, error: { code: "auth" } });
});

test("what we say ourselves of a server is not read as its words", async () => {
  const ours = createFailure("unavailable", "Error: Rate limit exceeded");
  const it = server(ours, found);
  expect(await it.heeded()).toBe(ours);
  expect(it.calls()).toBe(1);
});

test("a failure of the call itself is thrown on", async () => {
  const broken = retryAfterRefusal({ send: () => Promise.reject(new Error("lost")), rest: () => {}, locale: "zh" });
  await expect(broken).rejects.toThrow("lost");
});
