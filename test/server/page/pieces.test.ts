import { expect, test } from "vitest";
import { paragraphsOf, piecesOf } from "../../../src/server/page/pieces.ts";
import { safeUrl } from "../../../src/server/page/safe-url.ts";

test("an answer falls into paragraphs, and code stays together", () => {
  const answer = "One.\nStill one.\n\nTwo.\n```js\nlet a;\n\nlet b;\n```\nThree.";
  expect(paragraphsOf(answer)).toEqual(["One.\nStill one.", "Two.\n", "```js\nlet a;\n\nlet b;\n```", "\nThree."]);
  expect(paragraphsOf("```\nnot ended\n\nyet")).toEqual(["```\nnot ended\n\nyet"]);
});

test("bold, code, headings and numbers of sources are told apart; all else is text", () => {
  expect(piecesOf("# Title\n**a** `b` <img> [2]")).toEqual([
    { kind: "strong", text: "Title" },
    { kind: "text", text: "\n" },
    { kind: "strong", text: "a" },
    { kind: "text", text: " " },
    { kind: "code", text: "b" },
    { kind: "text", text: " <img> " },
    { kind: "cite", n: 2 },
  ]);
  expect(piecesOf("```js\nlet a = [1];\n```")).toEqual([{ kind: "code", text: "let a = [1];" }]);
});

test("a page leads to http and https alone", () => {
  expect(safeUrl("https://example.com/a b")).toBe("https://example.com/a%20b");
  for (const url of ["javascript:alert(1)", " java\nscript:alert(1)", "data:text/html,x", "file:///etc/passwd", "x"])
    expect(safeUrl(url)).toBeUndefined();
});
