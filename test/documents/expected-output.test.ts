import { expect, test } from "vitest";
import { findJsonDifference, findLineDifference } from "./expected-output.ts";

const printed: [string, string] = [
  "The mean is 3.\n",
  "deciding\n✓ calculator (61 ms) mean = 3\nrun-0af3 · 2026-11-23 11:59\n",
];
const shown = ["deciding", "✓ calculator (2 ms) mean = 3", "The mean is 3.", "run-44dd44dd · 2026-01-01 00:00"];

test("lines of both streams may be shown in any order between the streams, and placeholders may differ", () => {
  expect(findLineDifference(shown, printed)).toBeUndefined();
  expect(findLineDifference(["deciding", "…"], printed)).toBeUndefined();
  expect(findLineDifference(["…", "The mean is …", "…"], printed)).toBeUndefined();
});

test.each<[string, string[]]>([
  ["a line is missing", shown.slice(0, 3)],
  ["a line is too much", [...shown, "Done."]],
  ["lines of a stream are in another order", [shown[1] ?? "", shown[0] ?? "", ...shown.slice(2)]],
  ["a word differs", shown.map((line) => line.replace("mean = 3", "mean = 4"))],
  ["a time has another form", shown.map((line) => line.replace("2026-01-01 00:00", "2026-01-01T00:00:00.000Z"))],
  ["what follows an ellipsis differs", ["…", "The median is …", "…"]],
])("it is told when %s", (_, lines) => {
  expect(findLineDifference(lines, printed)).toContain("cannot be matched from here on");
});

test("JSON may be wrapped and left out, and nothing else may differ", () => {
  const body = '{"id":"run-0af3","a":{"b":[1,2]},"elapsed_ms":7}';
  expect(findJsonDifference(['{"id":"run-12ab…",', '"a":{…},"elapsed_ms":52}'], body)).toBeUndefined();
  expect(findJsonDifference(['{"id":"run-12ab","elapsed_ms":52}'], body)).toContain("sent:");
  expect(findJsonDifference(['{"id":"run-12ab","a":{"b":[1,3]},…}'], body)).toContain("sent:");
});
