import { expect, test } from "vitest";
import { shownText, styledText } from "./stream-of.ts";

test.each([
  ["a heading without an empty line around it", "one\n## Two ##\nthree", "one\n\nTwo\n\nthree"],
  ["a heading with a line under it", "Title\n=====\ntext", "Title\n\ntext"],
  ["the line ends of a paragraph", "one  \ntwo\\\nthree\nfour", "one\ntwo\nthree\nfour"],
  ["CRLF", "a\r\n\r\n- b\r\n- c\r\n", "a\n\n- b\n- c"],
  ["many empty lines as one", "\n\na\n\n\n\nb\n\n", "a\n\nb"],
  ["a list right under a paragraph", "These:\n- a\n- b", "These:\n- a\n- b"],
  ["a nested list", "- a\n  - b\n    - c\n- d", "- a\n  - b\n    - c\n- d"],
  ["a loose list", "- a\n\n  more\n\n- b", "- a\n\n  more\n\n- b"],
  ["numbers that all are 1", "1. a\n1. b\n1. c", "1. a\n2. b\n3. c"],
  ["numbers that go on after a break", "1. a\n\ntext\n\n2. b\n3) c", "1. a\n\ntext\n\n2. b\n3) c"],
  ["a number that is none", "in the year\n1984. Orwell 1\\. x", "in the year\n1984. Orwell 1. x"],
  ["an empty item", "-\n- b", "-\n- b"],
  ["tasks", "- [ ] open\n- [x] done", "- [ ] open\n- [x] done"],
  ["a quote that goes on without its mark", "> a\nb\n>\n> c\n\nd", "│ a\n│ b\n│\n│ c\n\nd"],
  ["a list in a quote in a list", "- a\n  > - b\n  >   c", "- a\n  │ - b\n  │   c"],
  ["code in a list", "1. do\n\n   ```\n   x\n\n     y\n   ```\n2. then", "1. do\n\n     x\n\n       y\n2. then"],
  ["a fence in a longer fence", "````md\n```js\nx\n```\n````\nz", "  md\n  ```js\n  x\n  ```\n\nz"],
  ["a fence of tildes, never closed", "~~~\na\n```\nb", "  a\n  ```\n  b"],
  ["an empty fence", "a\n```js\n```\nb", "a\n\n  js\n\nb"],
  ["code by its indent", "a\n\n    x\n\n      y\n\nb", "a\n\n  x\n\n    y\n\nb"],
  ["tabs in code", "```\n\ta\tb\n```", "      a   b"],
  ["HTML as text", "a<br>b <b>c</b>\n\n<!-- x\n\n# y -->\nz", "a\nb <b>c</b>\n\n<!-- x\n\n# y -->\nz"],
  ["entities", "&lt;b&gt; &amp;lt; &#20013;&#x6587; &unknown; a&b", "<b> &lt; 中文 &unknown; a&b"],
  ["marks that mark nothing", "a * b ** c _ ` ~ [ ] ( ) ![ **d", "a * b ** c _ ` ~ [ ] ( ) ![ **d"],
  ["a footnote", "text[^1]\n\n[^1]: the note", "text[^1]\n\n[^1]: the note"],
  ["a definition and what uses it", "[d]: https://a.example\n\n[text][d]", "[d]: https://a.example\n\ntext"],
  ["an image", "![a cat](https://a.example/c.png)", "[image: a cat] https://a.example/c.png"],
  ["a rule", "a\n\n***\n\nb", `a\n\n${"─".repeat(60)}\n\nb`],
])("shows %s", async (_, source, expected) => {
  expect(await shownText(source)).toBe(expected);
});

test("text, bold, struck and code come in their looks", async () => {
  expect(await styledText("# T *e*\n**b *be*** ~~s~~ `c *d*`")).toBe(
    "{heading T }{heading+emphasis e}\n\n{strong b }{strong+emphasis be} {strike s} {code c *d*}",
  );
});

test("Chinese is bold without spaces around it", async () => {
  expect(await styledText("这是**“粗体”**文字，**不是** 2**3**4 ** x **")).toBe(
    "这是{strong “粗体”}文字，{strong 不是} 2{strong 3}4 ** x **",
  );
});

test("what does not fit is wrapped under where its text begins", async () => {
  const text = "> 1. one two three four\n>    - 你好，世界。你好，世界。";
  expect(await shownText(text, { columns: () => 16 })).toBe(
    "│ 1. one two\n│    three four\n│    - 你好，世\n│      界。你\n│      好，世\n│      界。",
  );
});

test("deep nesting leaves half of the screen to the text", async () => {
  const deep = `${"> ".repeat(400)}one two three four`;
  const lines = (await shownText(deep, { columns: () => 20 })).split("\n");
  expect(lines.every((line) => line.startsWith("│ │ │ │ │ "))).toBe(true);
  expect(lines.join(" ")).toMatch(/one.*two.*three.*four/);
});

test("control characters stay in the spans, for the painter to show", async () => {
  expect(await shownText("a\u001b[2Jb\u0007 `c\u009b`")).toBe(
    "a\u001b[2Jb\u0007 c\u009b".replace(/[\u001b\u0007\u009b]/g, (c) => `\\u{${c.charCodeAt(0).toString(16)}}`),
  );
});
