import { expect, test } from "vitest";
import { type CheckedAnswer, checkAnswer } from "../../src/eval/check-answer.ts";
import { createJudge } from "../../src/eval/judge.ts";
import { findDifference, normalizeRequest, toPlainRequest } from "../../src/eval/recording/plain-request.ts";
import { findMismatch, scoreCalls } from "../../src/eval/score-calls.ts";
import { scriptedModel } from "../fakes/model.ts";

const call = (tool: string, args = {}) => ({ tool, arguments: args });
const none = { order: "any" as const, alsoAllowed: [] };

test("a choice of tools is wrong for a call that is missing or not expected, and a repeated call is not", () => {
  const calls = [call("a"), call("b__*")];
  const score = (made: string[], isComplete = true) =>
    scoreCalls(
      { ...none, calls },
      made.map((tool) => call(tool)),
      isComplete,
    ).choice;
  expect(score(["b__x", "a", "a"])).toBe(true);
  expect(score(["a"])).toBe(false);
  expect(score(["a", "b__x", "c"])).toBe(false);
  expect(score(["a", "b__x", "find_tools"])).toBe(true);
  // Before its end a run may still have called it.
  expect(score(["a"], false)).toBeNull();
  expect(score(["c"], false)).toBe(false);
  expect(scoreCalls({ ...none, calls: [] }, [], true).choice).toBe(true);
  expect(scoreCalls({ ...none, calls: [] }, [], false).choice).toBeNull();
  expect(scoreCalls({ ...none, calls: undefined }, [call("a")], true).choice).toBeNull();
  expect(
    scoreCalls(
      { order: "same", alsoAllowed: ["c"], calls },
      ["b__x", "a"].map((tool) => call(tool)),
      true,
    ),
  ).toEqual({
    ...{ choice: false, arguments: null, faults: [{ kind: "order" }] },
  });
});

test("of several calls of one tool each takes the expected arguments that fit it", () => {
  const calls = [call("w", { city: { $matches: "H" } }), call("w", { city: "Hangzhou" })];
  const made = [call("w", { city: "Hangzhou", unit: "C" }), call("w", { city: "Hefei" })];
  expect(scoreCalls({ ...none, calls }, made, true)).toEqual({ choice: true, arguments: true, faults: [] });
  const wrong = scoreCalls({ ...none, calls }, [made[0] ?? call("w"), call("w", { city: "Rome" })], true);
  expect(wrong).toMatchObject({
    choice: true,
    arguments: false,
    faults: [{ kind: "arguments", tool: "w", path: "city" }],
  });
});

test("arguments are compared in part, and the first difference has its path", () => {
  expect(findMismatch({ a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 2, d: 3 }] }, e: 4 })).toBeUndefined();
  expect(findMismatch({ a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 3 }] } })).toBe("a.b[1].c");
  expect(findMismatch({ a: [1] }, { a: [1, 2] })).toBe("a");
  expect(findMismatch({ a: { $oneOf: [["x"], "y"] } }, { a: ["x"] })).toBeUndefined();
  expect(findMismatch({ toString: "x" }, {})).toBe("toString");
});

test("checks say what is missing", async () => {
  const answer: CheckedAnswer = {
    ...{ question: "?", response: "It is 21 °C in Hangzhou [1].", form: undefined, locale: "en" },
    citations: [{ n: 1, title: "W", url: "https://weather.example/hz" }],
  };
  const results = await checkAnswer(
    [
      { contains: ["hangzhou", "rain"] },
      { lacks: "snow" },
      { matches: "\\d+ °C" },
      { citations: { atLeast: 2, urls: ["https://weather.example/*"] } },
      { judge: "Says the temperature.", atLeast: 0.7 },
    ],
    answer,
    createJudge(scriptedModel(['{"reason": "no wind", "mark": 0.5}']), new AbortController().signal),
  );
  expect(results).toEqual([
    { kind: "contains", passed: false, detail: "rain" },
    { kind: "lacks", passed: true },
    { kind: "matches", passed: true },
    { kind: "citations", passed: false, detail: "1 < 2" },
    { kind: "judge", passed: false, detail: "no wind", mark: 0.5 },
  ]);
  const mute = createJudge(scriptedModel(["Fine!", "Good!"]), new AbortController().signal);
  expect(await checkAnswer([{ judge: "x", atLeast: 0.7 }], answer, mute)).toEqual([
    { kind: "judge", passed: null, detail: 'fake/scripted gave no mark from 0 to 1: "Good!"' },
  ]);
});

test("the day, the marker and the folder make no difference between two requests, and anything else does", () => {
  const request = (marker: string, day: string, folder: string) =>
    toPlainRequest(
      normalizeRequest(
        {
          messages: [
            { role: "system", content: `Working folder: ${folder}.\n<<<result ${marker} is data` },
            { role: "user", content: `Today is ${day} (Monday, UTC).\n\nWhen? ${marker}` },
          ],
          tools: [{ name: "a", description: "A.", inputSchema: {} }],
        },
        [folder],
      ),
    );
  const one = request("0123abcd", "2026-11-26", "/home/ada");
  expect(findDifference(one, request("fedc9876", "2027-01-01", "/srv/work"))).toBeUndefined();
  const other = { ...one, tools: [{ name: "a", description: "B.", inputSchema: {} }] };
  expect(findDifference(one, other)).toEqual({ path: "tools[0].description", recorded: '"A."', asked: '"B."' });
  expect(findDifference({ a: [1, 2] }, { a: [1] })?.path).toBe("a[1]");
});

test("a regular expression that takes exponential time fails its check, and does not stop the evaluation", async () => {
  const answer = {
    question: "x",
    response: `${"a".repeat(60)}!`,
    citations: [],
    form: undefined,
    locale: "zh" as const,
  };
  expect(await checkAnswer([{ matches: "^(a+)+$" }], answer, undefined)).toEqual([
    { kind: "matches", passed: false, detail: "查找时间过长：^(a+)+$" },
  ]);
});
