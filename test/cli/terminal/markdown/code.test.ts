import { expect, test } from "vitest";
import { createMarkdownStream } from "../../../../src/cli/terminal/markdown/markdown-stream.ts";
import { toPlainText } from "../../../../src/cli/terminal/text/line.ts";
import { findLanguage } from "../../../../src/render/code/languages.ts";
import { shownText, styledText } from "./stream-of.ts";

test("code has its colours, also where they span lines", async () => {
  expect(await styledText("```ts title=x\nconst a = 1; /* one\ntwo */ `b`\n```")).toBe(
    "{dim   }{dim ts title=x}\n  {keyword const} {name a} = {number 1}; {comment /* one}\n  {comment two */} {string `b`}".replace(
      "{dim   }",
      "  ",
    ),
  );
});

test("each block begins anew, with its own language or none", async () => {
  const text = "```js\n/* open\n```\n\n```js\nvar a\n```\n\n```klingon\nvar a\n```\n\n```\nvar a\n```";
  expect(await styledText(text)).toBe(
    "  {dim js}\n  {comment /* open}\n\n  {dim js}\n  {keyword var} {name a}\n\n  {dim klingon}\n  var a\n\n  var a",
  );
});

test("lines wait for their colours, and are shown without them meanwhile", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stream = createMarkdownStream({ columns: () => 60, hyperlinks: true, changed: resolve });
  stream.push("text\n\n```python\ndef f():\n  retu");
  expect(stream.take().map(toPlainText)).toEqual(["text"]);
  expect(stream.pending(20)).toEqual([
    [],
    [{ text: "  " }, { text: "python", styles: ["dim"] }],
    [{ text: "  " }, { text: "def f():" }],
    [{ text: "  " }, { text: "  retu" }],
  ]);
  await promise;
  expect(stream.take().at(-1)).toContainEqual({ text: "def", styles: ["keyword"] });
  expect(stream.pending(20).map(toPlainText)).toEqual(["    retu"]);
});

test("long lines are wrapped under their own indent, not cut", async () => {
  const code = "```\n    one two three four five six seven\n```";
  expect(await shownText(code, { columns: () => 24 })).toBe("      one two three four\n      five six seven");
});

test("lines too long to be coloured keep all they hold", async () => {
  const line = "abcdefg ".repeat(1250);
  const shown = await shownText(`\`\`\`js\n${line}\nvar x\n\`\`\``, { columns: () => 80 });
  expect(shown.replace(/\s/g, "")).toBe(`js${line.replace(/\s/g, "")}varx`);
  expect(await styledText(`\`\`\`js\n${line}\nvar x\n\`\`\``)).toContain("{keyword var}");
});

const samples: readonly [string, string, string][] = [
  ["javascript", "let a = 1", "{keyword let}"],
  ["typescript", "type A = string", "{keyword type}"],
  ["tsx", "let a = 1", "{keyword let}"],
  ["json", '{"a": true}', "{number true}"],
  ["python", "def f(): pass", "{keyword def}"],
  ["bash", "if true; then echo hi; fi", "{keyword if}"],
  ["go", "func f() {}", "{keyword func}"],
  ["rust", "fn f() {}", "{keyword fn}"],
  ["c", "return 1;", "{keyword return}"],
  ["c++", "return 1;", "{keyword return}"],
  ["java", "return 1;", "{keyword return}"],
  ["c#", "return 1;", "{keyword return}"],
  ["kotlin", "return 1", "{keyword return}"],
  ["scala", "return 1", "{keyword return}"],
  ["css", "a { color: red }", "color"],
  ["html", "<p>x</p>", "{type p}"],
  ["xml", "<p>x</p>", "{type p}"],
  ["sql", "SELECT a FROM b", "{keyword SELECT}"],
  ["yaml", "a: true # c", "{comment # c}"],
  ["toml", 'a = "b"', '{string "b"}'],
  ["diff", "+ a", "{good + a}"],
  ["ruby", "def f", "{keyword def}"],
  ["lua", "local a", "{keyword local}"],
  ["swift", "func f() {}", "{keyword func}"],
  ["r", "if (TRUE) 1", "{keyword if}"],
  ["powershell", "if ($a) { }", "{keyword if}"],
  ["dockerfile", "FROM node", "{keyword FROM}"],
  ["ini", "# c", "{comment # c}"],
];

test.each(samples)("%s has its colours", async (name, code, expected) => {
  expect(await styledText(`\`\`\`${name}\n${code}\n\`\`\``)).toContain(expected);
});

test("a language is found by what models write behind the fence", () => {
  for (const info of ["JS", "ts title=x", "{.python}", "{r}", "c++", "shell-session"])
    expect(findLanguage(info)).toBeDefined();
  for (const info of ["", "mermaid", "text", "constructor"]) expect(findLanguage(info)).toBeUndefined();
});
