import { expect, test } from "vitest";
import { createRestarts } from "../../../src/client/lifecycle/server-lifecycle.ts";

test("a server that keeps failing is tried again at growing distances, then once a minute and only for a call", () => {
  const restarts = createRestarts(() => 0.5);
  expect([1, 2, 3, 4].map(() => restarts.failed(0))).toEqual([250, 1000, 4000, 16_000]);
  expect(restarts.isOpen).toBe(false);
  expect([restarts.failed(0), restarts.isOpen, restarts.failed(0)]).toEqual([60_000, true, 60_000]);
});

test("a server that was ready for ten seconds has not failed in a row", () => {
  const restarts = createRestarts(() => 0.5);
  for (let failure = 0; failure < 6; failure += 1) restarts.failed(9999);
  expect(restarts.isOpen).toBe(true);
  expect([restarts.failed(10_000), restarts.isOpen]).toEqual([250, false]);
});

test.each([
  [0, 188],
  [1, 313],
])("a pause is a quarter shorter or longer by chance (%d), so that servers do not start in step", (chance, pause) => {
  expect(createRestarts(() => chance).failed(0)).toBe(pause);
});
