import type { Token } from "marked";
import { expect, test } from "vitest";
import { closeInline, closeOpen } from "../../../src/render/markdown/close-open.ts";
import { createLexer } from "../../../src/render/markdown/lexer.ts";

test.each([
  ["bold", "a **bo", "a **bo**"],
  ["bold with half of its end", "a **bo*", "a **bo**"],
  ["bold around code", "**a `b", "**a `b`**"],
  ["code with two marks, whose content ends in one", "``a`", "``a ``"],
  ["a link without its address", "see [the do", "see the do"],
  ["a link with half of its address", "see [docs](https://a.ex", "see docs"],
  ["an image", "see ![a cat](https://a.ex", "see "],
  ["a citation", "so it is [1", "so it is "],
  ["a task", "[x", ""],
  ["marks that hold nothing yet", "a **", "a "],
  ["bold that has only a quotation mark yet", "这是**“", "这是"],
  ["text without marks", "2 * 3 and a_b", "2 * 3 and a_b"],
])("closes %s that is still being written", (_, text, expected) => {
  expect(closeInline(text)).toBe(expected);
});

test.each([
  ["the mark of an item", "- one\n- ", "- one"],
  ["the marks of a heading", "one\n\n##", "one\n"],
  ["the head of a table", "one\n\n| a | b |\n|--", "one\n"],
  ["a mark of the block before, which closes nothing in this one", "**a\n\nb *c", "**a\n\nb *c*"],
])("holds back or leaves out %s", (_, text, expected) => {
  expect(closeOpen(text)).toBe(expected);
});

test("whatever is shown of a half-written text stays when more of it comes", () => {
  const text =
    "Some **bold `code` and *both***, [a **link**](https://a.example/x_y), ~~gone~~ snake_case_name, [1][2] end.";
  const whole = readText(text);
  for (let length = 1; length <= text.length; length++)
    expect(whole.startsWith(readText(closeInline(text.slice(0, length))).trimEnd()), text.slice(0, length)).toBe(true);
});

test("thousands of open marks are shown as they are written", () => {
  for (const mark of ["[", "*a ", "![", "`a`` ", "_a", "]("]) {
    const text = mark.repeat(5000);
    expect(closeOpen(text).length).toBeLessThanOrEqual(text.length + 10);
  }
});

/** Returns the text without its marks. */
function readText(source: string): string {
  const toText = (token: Token): string => {
    const { tokens } = token as { tokens?: Token[] };
    return tokens === undefined ? ((token as { text?: string }).text ?? token.raw) : tokens.map(toText).join("");
  };
  return createLexer().inlineTokens(source).map(toText).join("");
}
