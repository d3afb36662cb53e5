import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson } from "../../../src/config/sources/parse-json.ts";
import { lineOf } from "../workplace.ts";

const line = (text: string, plain = false): Promise<string> => lineOf(parseJson(text, "f.json", plain));

describe("JSON with comments", () => {
  test("takes comments, trailing commas and a byte order mark", async () => {
    const text = '\uFEFF// first\n{ "a": [1, 2,], /* b */ "b": { "c": null, }, }\n';
    expect(await parseJson(text, "f.json")).toEqual({ a: [1, 2], b: { c: null } });
  });

  test.each([
    ["", "1:1: expected a value"],
    ["{", "1:2: expected }"],
    ['{\n  "a": 1\n  "b": 2\n}', "3:3: expected a comma"],
    ["{\n  a: 1\n}", "2:3: unknown symbol (strings need double quotes)"],
    ["{'a': 1}", "1:2: unknown symbol (strings need double quotes)"],
    ['{"a" 1}', "1:6: expected a colon"],
    ['{"a": "x\n"}', "1:7: the string is not closed"],
    ['{"a": 1} x', "1:10: unknown symbol (strings need double quotes)"],
    ["{} {}", "1:4: unexpected content after the value"],
    ['{"a": "\\x"}', "1:7: not a valid escape"],
    ["{} /* x", "1:4: the comment is not closed"],
    ['{"a": 1,\n "a": 2}', '2:2: duplicate key "a"'],
    ['{"a": {"__proto__": {}}}', '1:8: the key "__proto__" is not allowed'],
    ['{"a": "x\\u0000"}', "1:7: a NUL character is not allowed"],
    ["[".repeat(100_000), "1:65: nested more than 64 levels deep"],
    ['{"a":'.repeat(100_000), "1:321: nested more than 64 levels deep"],
  ])("%.20j is refused at its place", async (text, fault) => {
    expect(await line(text)).toBe(`f.json:${fault}`);
  });

  test("plain JSON has neither comments nor trailing commas", async () => {
    expect(await line('{"a": 1 /* x */}', true)).toBe("f.json:1:9: a comment is not allowed here");
    expect(await line('{"a": 1,}', true)).toBe("f.json:1:9: expected a key in double quotes");
  });
});

test("whatever JSON.stringify writes is read back", async () => {
  const value = fc.jsonValue({ maxDepth: 5 }).filter((json) => !/__proto__|\\u0000/.test(JSON.stringify(json)));
  await fc.assert(
    fc.asyncProperty(value, async (json) => {
      const text = JSON.stringify(json);
      expect(await parseJson(text, "f.json", true)).toEqual(JSON.parse(text));
    }),
  );
});
