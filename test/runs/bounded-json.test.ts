import { expect, test } from "vitest";
import { toBoundedJson } from "../../src/runs/bounded-json.ts";

test("what fits stays as it is, with no raw control character", () => {
  expect(toBoundedJson({ a: [1, null, true], b: "\u001b[2J" })).toBe('{"a":[1,null,true],"b":"\\u001b[2J"}');
});

test("long texts are cut first, at their end, and never within a character", () => {
  const cut = JSON.parse(toBoundedJson({ id: "run-1", text: `x${"😀".repeat(10_000)}` }, 10_000));
  expect(cut.text).toMatch(/^x(😀)+…$/u);
  expect(cut).toEqual({ left_out: { characters: 20_002 - cut.text.length, entries: 0 }, id: "run-1", text: cut.text });
});

test("of long lists the ends stay", () => {
  const list = Array.from({ length: 5000 }, (_, index) => ({ index }));
  const cut = JSON.parse(toBoundedJson({ list }, 10_000));
  expect(cut.left_out).toEqual({ characters: 0, entries: 5000 - cut.list.length });
  expect([cut.list[0], cut.list.at(-1)]).toEqual([{ index: 0 }, { index: 4999 }]);
});

test("an object of any shape comes within the bound", () => {
  const shapes = [
    Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key ${index}`, "value"])),
    { ["k".repeat(50_000)]: 1 },
    {
      list: Array.from({ length: 100 }, () =>
        Array.from({ length: 100 }, () => Array.from({ length: 10 }, () => "word")),
      ),
    },
    { deep: narrow(2000) },
  ];
  for (const shape of shapes) {
    const text = toBoundedJson(shape, 5000);
    expect(text.length).toBeLessThanOrEqual(5000);
    expect(JSON.parse(text)).toHaveProperty("left_out");
  }
});

/** Objects in one another. */
function narrow(levels: number): object {
  let inner: object = { text: "x".repeat(100) };
  for (let level = 0; level < levels; level += 1) inner = { inner };
  return inner;
}
