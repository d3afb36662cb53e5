import { expect, test } from "vitest";
import { DuetError, type ErrorCode } from "../../../src/kit/errors.ts";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { makeTool, outcomeOf } from "../../fakes/events.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { type Overrides, runAll } from "../../fakes/run.ts";

/** What a reader is advised after a run whose model failed. */
async function hintAfter(code: ErrorCode, more: Partial<Overrides> = {}): Promise<string | null | undefined> {
  const error = new DuetError({ code, text: { zh: "出错了", en: "no luck" } });
  const model = scriptedModel([{ error }]);
  return outcomeOf(await runAll({ models: { functionCall: model, answer: model }, ...more })).error?.hint;
}

test("a run that failed advises its reader to try chat mode", async () => {
  expect(await hintAfter("server")).toContain("Chat");
});

test("a run below another agent gives no advice that only a person can follow", async () => {
  expect(await hintAfter("server", { chain: { depth: 1 } })).toBeNull();
});

test("chat mode is not advised in chat mode, nor for what it cannot help with", async () => {
  expect(await hintAfter("server", { mode: "chat" })).toBeNull();
  for (const code of ["auth", "quota", "config"] as const) expect(await hintAfter(code)).toBeNull();
});

test("a conversation keeps the cause of an early end that its reader is told: the error before the time ran out", async () => {
  const failWith = (code: ErrorCode, en: string) => ({ error: new DuetError({ code, text: { zh: en, en } }) });
  const count = makeTool("count", () => ({ ok: true, text: "A result that is long enough to count." }));
  const store = createMemoryStore();
  const outcome = outcomeOf(
    await runAll({
      store,
      conversationId: "conv-1",
      tools: [count],
      models: {
        functionCall: scriptedModel([[{ id: "1", name: "count", input: {} }], failWith("auth", "the key is wrong")]),
        answer: scriptedModel([failWith("timeout", "no reply in time")]),
      },
    }),
  );
  expect([outcome.status, outcome.error?.message]).toEqual(["partial", "the key is wrong"]);
  const [turn] = (await store.load("conv-1"))?.turns ?? [];
  expect(turn?.answer).toContain("the key is wrong");
});
