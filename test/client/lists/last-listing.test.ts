import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { toLastListing } from "../../../src/client/lists/last-listing.ts";

const hour = 3_600_000;
const noFields = new Map();

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: 100 * hour }));
afterEach(() => void vi.useRealTimers());

test("the time of a list that has not changed is stored again when it is an hour old, and not before", () => {
  const before = toLastListing(undefined, noFields);
  expect(before).toEqual({ at: 100 * hour, pagesOnly: [] });
  vi.setSystemTime(101 * hour - 1);
  expect(toLastListing(before, noFields)).toBe(before);
  vi.setSystemTime(101 * hour);
  expect(toLastListing(before, noFields)).toEqual({ at: 101 * hour, pagesOnly: [] });
});

test("the time of a list is stored again at once where it lies in the future", () => {
  expect(toLastListing({ at: 100 * hour + 1, pagesOnly: [] }, noFields)).toEqual({ at: 100 * hour, pagesOnly: [] });
});

test("a list with another tool for pages alone is stored at once", () => {
  const before = toLastListing(undefined, noFields);
  const page = { name: "draw", titleIn: "tool" as const, meta: { ui: { visibility: ["app"] } } };
  expect(toLastListing(before, new Map([["draw", page]]))).toEqual({ at: 100 * hour, pagesOnly: ["draw"] });
});
