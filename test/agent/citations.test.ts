import fc from "fast-check";
import { expect, test } from "vitest";
import { createCitationFilter, references } from "../../src/agent/citations.ts";
import type { SourceList } from "../../src/agent/sources.ts";
import { createSourceList } from "../../src/agent/store/memory.ts";

function threeSources(): SourceList {
  const list = createSourceList();
  for (const name of ["a", "b", "c"])
    void list.number([{ title: name.toUpperCase(), url: `https://${name}.example`, snippet: "" }]);
  return list;
}

function filter(text: string, sources = threeSources(), pieces = [text]): { text: string; cited: string[] } {
  const citations = createCitationFilter(sources);
  const shown = pieces.map((piece) => citations.push(piece)).join("") + citations.end();
  return { text: shown, cited: citations.citations().map(({ n, url }) => `${n} ${url}`) };
}

test.each([
  [
    "numbers follow first use",
    "x [3] y [1] z [3].",
    "x [1] y [2] z [1].",
    ["1 https://c.example", "2 https://a.example"],
  ],
  ["a number that points nowhere is taken out", "x [9] y [2].", "x y [1].", ["1 https://b.example"]],
  ["several in one bracket become one each", "x [1, 3].", "x [1][2].", ["1 https://a.example", "2 https://c.example"]],
  ["full-width brackets count", "x【2】。", "x[1]。", ["1 https://b.example"]],
  ["a list of data stays", "mean of [1,2,3,4,5] is 3", "mean of [1,2,3,4,5] is 3", []],
  ["inline code stays", "use `a[1]` here", "use `a[1]` here", []],
  ["a code block stays", "```js\na[1]\n```\nx [1]", "```js\na[1]\n```\nx [1]", ["1 https://a.example"]],
  ["a Markdown link stays", "[1](https://x.example)", "[1](https://x.example)", []],
  ["an open bracket at the end stays", "x [1", "x [1", []],
  ["words in brackets stay", "x [sic] [todo 1]", "x [sic] [todo 1]", []],
])("%s", (_, given, shown, cited) => {
  expect(filter(given)).toEqual({ text: shown, cited });
});

test.each([
  ["x [1].", "x."],
  ["答案[1]。", "答案。"],
  ["The mean of [5] is 5.", "The mean of [5] is 5."],
  ["array[0] and list[2].", "array[0] and list[2]."],
  ["x [0].", "x [0]."],
])("without any source only what stands where a citation would is taken out: %s", (given, shown) => {
  expect(filter(given, createSourceList())).toEqual({ text: shown, cited: [] });
});

test("an index after a word is not taken out for want of a source", () => {
  expect(filter("array[9] but not this [9].").text).toBe("array[9] but not this.");
});

test("what is shown does not depend on how the text was split", () => {
  const piece = fc.constantFrom(
    "[1]",
    "[2, 3]",
    "[7]",
    "【3】",
    "[",
    "]",
    "`",
    "```",
    "\n",
    "(",
    "x",
    "文",
    " ",
    "[1](u)",
    "[1]:",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.array(fc.nat(80), { maxLength: 8 }), (parts, cuts) => {
      const text = parts.join("");
      const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
      const pieces = [0, ...at].map((start, index) => text.slice(start, at[index] ?? text.length));
      expect(filter(text, threeSources(), pieces)).toEqual(filter(text));
    }),
  );
});

test("text without citations passes through unchanged and nothing is held back for long", () => {
  const citations = createCitationFilter(threeSources());
  const text = `[${"1 ".repeat(40)}.`;
  expect(citations.push(text)).toBe(text);
});

test("the list of references names each source once, safely, in the reader's language", () => {
  const cited = [{ n: 1, title: "A", url: "https://a.example" }];
  expect(references(cited, "zh")).toBe("\n\n参考文献\n\n- [1] A https://a.example");
  expect(references(cited, "en")).toContain("References");
  expect(references([], "zh")).toBe("");
});
