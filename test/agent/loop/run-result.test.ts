import { expect, test } from "vitest";
import { DuetError, type ErrorCode } from "../../../src/kit/errors.ts";
import { outcomeOf } from "../../fakes/events.ts";
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
