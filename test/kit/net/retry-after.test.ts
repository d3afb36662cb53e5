import { expect, test } from "vitest";
import { readRetryAfterHeader } from "../../../src/kit/net/retry-after.ts";

const now = Date.parse("2026-03-01T00:00:00Z");

test.each([
  ["7", 7000],
  [" 0 ", 0],
  ["Sun, 01 Mar 2026 00:00:09 GMT", 9000],
  ["Sat, 28 Feb 2026 00:00:00 GMT", undefined],
  ["soon", undefined],
  ["", undefined],
  [null, undefined],
])("the header %j asks for %j ms", (value, ms) => expect(readRetryAfterHeader(value, now)).toBe(ms));
