import { expect, test } from "vitest";
import { createActiveCalls } from "../../../src/client/questions/active-calls.ts";
import type { Elicit, Elicitation } from "../../../src/core/forms/elicitation.ts";

const question: Elicitation = { kind: "form", from: "shop", message: "?", schema: {} };
const yes: Elicit = async () => ({ action: "accept" });

test("a question goes to whoever makes the only call, and to nobody where none or one without a person is under way", async () => {
  const asker = createActiveCalls();
  expect(asker.current()).toBeUndefined();
  const leave = asker.enter({});
  expect(asker.current()).toBeUndefined();
  leave();
  asker.enter({ elicit: yes });
  expect(await asker.current()?.(question)).toEqual({ action: "accept" });
});

test("two calls for the same person are one asker", async () => {
  const asker = createActiveCalls();
  const person = {};
  for (const answer of [yes, yes]) asker.enter({ elicit: Object.assign(answer.bind(undefined), { person }) });
  expect(await asker.current()?.(question)).toEqual({ action: "accept" });
});

test.each([
  ["two persons", async (): ReturnType<Elicit> => ({ action: "accept" })],
  ["one person and a program that can ask nobody", undefined],
])("nobody is asked while calls of %s are under way, and all are told", async (_, other) => {
  const asker = createActiveCalls();
  const told: string[] = [];
  const tell = (code: string, { en }: { en: string }): void => void told.push(`${code}: ${en}`);
  asker.enter({ elicit: yes, tell });
  const leave = asker.enter({ elicit: other, tell });
  expect(await asker.current()?.(question)).toEqual({ action: "cancel" });
  expect(told).toHaveLength(2);
  expect(told[0]).toContain("question-unasked: The MCP server shop asked a question while several callers used it");
  leave();
  expect(await asker.current()?.(question)).toEqual({ action: "accept" });
});

test("one question is asked after the other, and more than five are not asked at all", async () => {
  const asker = createActiveCalls();
  const standing: (() => void)[] = [];
  const elicit: Elicit = () =>
    new Promise((resolve) => {
      standing.push(() => resolve({ action: "accept" }));
    });
  asker.enter({ elicit });
  const asked = Array.from({ length: 6 }, () => asker.current()?.(question));
  expect(await asked[5]).toEqual({ action: "cancel" });
  for (let answered = 0; answered < 5; answered++) {
    await expect.poll(() => standing.length).toBe(answered + 1);
    standing[answered]?.();
  }
  expect(await Promise.all(asked.slice(0, 5))).toEqual(Array(5).fill({ action: "accept" }));
});

test("a question is withdrawn when the last call has ended, and when its server does not want it any more", async () => {
  const asker = createActiveCalls();
  const withdrawn: unknown[] = [];
  const elicit: Elicit = (_, signal) =>
    new Promise((resolve) => {
      signal?.addEventListener("abort", () => {
        withdrawn.push(signal);
        resolve({ action: "cancel" });
      });
    });
  const leave = asker.enter({ elicit });
  const stop = new AbortController();
  const first = asker.current()?.(question, stop.signal);
  const second = asker.current()?.(question);
  await expect.poll(() => withdrawn.length).toBe(0);
  stop.abort();
  expect(await first).toEqual({ action: "cancel" });
  leave();
  expect(await second).toEqual({ action: "cancel" });
});
