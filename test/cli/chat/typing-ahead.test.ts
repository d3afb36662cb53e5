import { expect, test } from "vitest";
import { createTypesAhead } from "../../../src/cli/chat/typing-ahead.ts";

const panel = { press: () => true, view: () => ({ lines: [] }) };

test("what is being typed when a question comes goes on until there is a pause", () => {
  let now = 0;
  const typesAhead = createTypesAhead(() => now);
  expect(typesAhead(undefined, "")).toBe(false);
  now += 100;
  expect(typesAhead(undefined, "ma")).toBe(false);
  now += 100;
  expect(typesAhead(panel, "may")).toBe(true);
  now += 600;
  expect(typesAhead(panel, "mayb")).toBe(true);
  now += 800;
  expect(typesAhead(panel, "maybe")).toBe(false);
  now += 10;
  expect(typesAhead(panel, "maybe")).toBe(false);
});

test("with nothing half typed the question has the keys at once, and so has the next one", () => {
  let now = 0;
  const typesAhead = createTypesAhead(() => now);
  expect(typesAhead(undefined, "go")).toBe(false);
  now += 1;
  expect(typesAhead(panel, "")).toBe(false);
  now += 1;
  expect(typesAhead({ ...panel }, "")).toBe(false);
});
