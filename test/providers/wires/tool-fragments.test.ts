import { describe, expect, test } from "vitest";
import { parseArguments, type ToolFragment, ToolFragments } from "../../../src/providers/wires/tool-fragments.ts";

/** Each inner list is one delta. */
function collect(...deltas: ToolFragment[][]) {
  const fragments = new ToolFragments();
  for (const delta of deltas) fragments.add(delta);
  let made = 0;
  return fragments.calls(() => `made-${++made}`).map(({ id, name, argumentsText }) => [id, name, argumentsText]);
}

describe("fragments of tool calls", () => {
  test("are joined by index, and an empty id or a repeated name changes nothing", () => {
    const calls = collect(
      [{ index: 0, id: "a", name: "weather", arguments: "{" }],
      [{ index: 0, id: "", name: "weather", arguments: "}" }],
    );
    expect(calls).toEqual([["a", "weather", "{}"]]);
  });

  test("with interleaved indexes keep apart, whichever number is the first", () => {
    const calls = collect(
      [{ index: 1, id: "a", name: "one", arguments: "1" }],
      [{ index: -1, id: "b", name: "two", arguments: "2" }],
      [{ index: 1, arguments: "1" }],
      [{ index: -1, arguments: "2" }],
    );
    expect(calls).toEqual([
      ["a", "one", "11"],
      ["b", "two", "22"],
    ]);
  });

  test("with one index for all calls are told apart by their ids", () => {
    const calls = collect(
      [{ index: 0, id: "a", name: "one", arguments: "{}" }],
      [{ index: 0, id: "b", name: "one", arguments: "{}" }],
      [{ index: 0, arguments: " " }],
    );
    expect(calls).toEqual([
      ["a", "one", "{}"],
      ["b", "one", "{} "],
    ]);
  });

  test("without an index are joined by id", () => {
    const calls = collect(
      [
        { id: "a", name: "one", arguments: "1" },
        { id: "b", name: "two", arguments: "2" },
      ],
      [{ id: "a", arguments: "1" }],
    );
    expect(calls).toEqual([
      ["a", "one", "11"],
      ["b", "two", "2"],
    ]);
  });

  test("without index and id go by their place among several, and to the last call when alone", () => {
    const opening = [
      { id: "a", name: "one" },
      { id: "b", name: "two" },
    ];
    expect(collect(opening, [{ arguments: "1" }, { arguments: "2" }], [{ arguments: "2" }])).toEqual([
      ["a", "one", "1"],
      ["b", "two", "22"],
    ]);
  });

  test("that are whole calls with neither index nor id never run into one another", () => {
    const whole = { name: "one", arguments: "{}" };
    expect(collect([whole], [whole], [{ name: "two", arguments: "{}" }])).toEqual([
      ["made-1", "one", "{}"],
      ["made-2", "one", "{}"],
      ["made-3", "two", "{}"],
    ]);
  });

  test("with a name in parts make one name", () => {
    expect(collect([{ index: 0, id: "a", name: "wea" }], [{ index: 0, name: "ther" }])).toEqual([["a", "weather", ""]]);
  });

  test("get an id of their own where one is missing or taken", () => {
    const calls = collect(
      [{ index: 0, id: "", name: "one" }],
      [{ index: 1, id: "x", name: "two" }],
      [{ index: 2, id: "x", name: "three" }],
    );
    expect(calls.map(([id]) => id)).toEqual(["made-1", "x", "made-2"]);
  });
});

test.each([
  ["", {}],
  ["null", {}],
  [' {"a":1} ', { a: 1 }],
  ["[1]", undefined],
  ['"{}"', undefined],
  ['{"a":1', undefined],
  ['{"a":1,}', undefined],
  ["```json\n{}\n```", undefined],
  ['{"a":1,"a":1}', undefined],
  ['{"a":{"b":1,"\\u0062":2}}', undefined],
  ['{"a":"\\"a\\":1","b":{"a":2}}', { a: '"a":1', b: { a: 2 } }],
])("arguments %j stand for %j", (text, value) => {
  expect(parseArguments(text)).toEqual(value);
});
