import { expect, test } from "vitest";
import { takePage } from "../../../src/server/mcp/pages.ts";

const names = Array.from({ length: 7 }, (_, index) => `name-${index}`);
const limits = { entries: 3, length: 1000 };
const keyOf = (name: string): string => name;

test("pages follow one another, whatever has been added or removed behind them, and end with the list", () => {
  const first = takePage("tools", names, { keyOf, cursor: undefined, limits });
  const changed = ["new", ...names.slice(1)];
  const second = takePage("tools", changed, { keyOf, cursor: first.nextCursor, limits });
  const third = takePage("tools", changed, { keyOf, cursor: second.nextCursor, limits });
  expect([first.entries, second.entries, third.entries]).toEqual([
    names.slice(0, 3),
    names.slice(3, 6),
    names.slice(6),
  ]);
  expect(third).not.toHaveProperty("nextCursor");
  expect(takePage("tools", [], { keyOf, cursor: undefined })).toEqual({ entries: [] });
  expect(takePage("tools", names, { keyOf, cursor: undefined })).toEqual({ entries: names });
});

test("a page ends before it is too long for a message, and has an entry in any case", () => {
  const long = ["a".repeat(600), "b".repeat(600), "c"];
  const first = takePage("tools", long, { keyOf, cursor: undefined, limits });
  expect(first.entries).toHaveLength(1);
  expect(takePage("tools", long, { keyOf, cursor: first.nextCursor, limits }).entries).toEqual(long.slice(1));
});

test("a cursor of another list, of an entry that is gone, or that nobody gave out is an error that says what is allowed", () => {
  const { nextCursor } = takePage("tools", names, { keyOf, cursor: undefined, limits });
  const refused = { code: -32602, message: expect.stringContaining("leave it out to begin anew") };
  const take = (list: string, all: string[], cursor: string | undefined) => () =>
    takePage(list, all, { keyOf, cursor, limits });
  expect(take("prompts", names, nextCursor)).toThrow(expect.objectContaining(refused));
  expect(take("tools", names.slice(3), nextCursor)).toThrow(expect.objectContaining(refused));
  for (const made of ["", "MTAw", "x".repeat(10_000)])
    expect(take("tools", names, made)).toThrow(expect.objectContaining(refused));
});
