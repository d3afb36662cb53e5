import { expect, test } from "vitest";
import { createTypingAhead } from "../../../../../src/cli/chat/interface/screen/picker.ts";

const panel = { press: () => true, view: () => ({ lines: [] }) };

function open() {
  const clock = { ms: 0 };
  const ahead = createTypingAhead(() => clock.ms);
  return {
    ahead,
    /** Whether a key so much later is ahead of the question. */
    key(afterMs: number, typed: string, stands = panel) {
      clock.ms += afterMs;
      return ahead.isAhead(stands, typed);
    },
    show(afterMs: number, typed: string, stands = panel) {
      clock.ms += afterMs;
      ahead.shown(stands, typed);
    },
  };
}

test("keys that come before the question is on the screen, or too soon to have read it, are not its answer", () => {
  const { ahead, key, show } = open();
  expect(ahead.isAhead(undefined, "")).toBe(false);
  expect(key(5_000, "")).toBe(true);
  show(5_000, "");
  expect(key(30, "")).toBe(true);
  expect(key(200, "y")).toBe(true);
  expect(key(100, "")).toBe(false);
});

test("what was half typed when it came goes on until there is a pause", () => {
  const { key, show } = open();
  show(1_000, "may");
  expect(key(400, "may")).toBe(false);
  const other = open();
  expect(other.ahead.isAhead(undefined, "m")).toBe(false);
  other.show(400, "ma");
  expect(other.key(10, "ma")).toBe(true);
  expect(other.key(350, "may")).toBe(true);
  expect(other.key(600, "mayb")).toBe(true);
  expect(other.key(800, "maybe")).toBe(false);
  expect(other.key(10, "maybe")).toBe(false);
});

test("each question is one of its own", () => {
  const { key, show } = open();
  show(1_000, "");
  expect(key(400, "")).toBe(false);
  const next = { ...panel };
  expect(key(10, "", next)).toBe(true);
  show(10, "", next);
  expect(key(100, "", next)).toBe(true);
  expect(key(300, "", next)).toBe(false);
});
