import { expect, test } from "vitest";
import { ValueCount } from "../../../src/client/transport/limited-fetch.ts";

function countOf(text: string, size = text.length): number {
  const bytes = Buffer.from(text);
  const values = new ValueCount();
  for (let start = 0; start < bytes.length; start += size) values.add(bytes.subarray(start, start + size));
  return values.count;
}

test("a key counts twice, every other value about once", () => {
  expect(countOf("[1,2,3]")).toBe(3);
  expect(countOf('{"a":1,"b":[]}')).toBe(7);
  expect(countOf("[[[]]]")).toBe(3);
});

test("what stands in a text does not count, whatever is escaped in it and wherever the bytes are split", () => {
  const text = JSON.stringify(['{"a":[1,2]}\\', '，\\"[,,,', 1]);
  for (let size = 1; size <= text.length; size += 1) expect(countOf(text, size)).toBe(3);
});
