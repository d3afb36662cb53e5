import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLine, type Line, toPlainText } from "../../../../src/cli/terminal/text/line.ts";
import { countLineCells, toDisplayedText } from "../../../../src/cli/terminal/text/width.ts";
import { cutLine, fitCells, padTo, wrapLine } from "../../../../src/cli/terminal/text/wrap.ts";

function wrapped(text: string, columns: number): string[] {
  return wrapLine(createLine(text), columns).map(toPlainText);
}

describe("a line is wrapped", () => {
  test("at words, the spaces between two rows left out", () => {
    expect(wrapped("the quick  brown fox", 10)).toEqual(["the quick", "brown fox"]);
  });

  test("between East Asian characters, Latin words kept whole", () => {
    expect(wrapped("使用TypeScript写的程序", 10)).toEqual(["使用", "TypeScript", "写的程序"]);
  });

  test("with no closing mark at the start of a row and no opening one at its end", () => {
    expect(wrapped("今天天气很好。明天", 12)).toEqual(["今天天气很", "好。明天"]);
    expect(wrapped("他说：「你好」", 8)).toEqual(["他说：", "「你好」"]);
    expect(wrapped("价格（约一百元）", 6)).toEqual(["价格", "（约一", "百元）"]);
  });

  test("inside a word that is wider than a row, never inside a character", () => {
    expect(wrapped("https://a.example/x", 8)).toEqual(["https://", "a.exampl", "e/x"]);
    expect(wrapped("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 5)).toEqual(["👩‍👩‍👧👩‍👩‍👧", "👩‍👩‍👧"]);
  });

  test("with its indent in front, and spaces as wide before the further rows", () => {
    const rows = wrapLine(createLine("one two three"), 9, { indent: createLine("• ", "accent") });
    expect(rows.map(toPlainText)).toEqual(["• one two", "  three"]);
  });

  test("with what hangs before the further rows", () => {
    const bar = createLine("│ ", "dim");
    const rows = wrapLine(createLine("one two three"), 9, { indent: bar, hanging: bar });
    expect(rows.map(toPlainText)).toEqual(["│ one two", "│ three"]);
  });

  test("with its looks and links kept, also through the middle of a word", () => {
    const line: Line = [{ text: "plain bo" }, { text: "ld", styles: ["strong"], href: "https://a.example/" }];
    expect(wrapLine(line, 6)).toEqual([
      [{ text: "plain" }],
      [{ text: "bo" }, { text: "ld", styles: ["strong"], href: "https://a.example/" }],
    ]);
  });

  test("its own spaces at the start kept, tabs as four", () => {
    expect(wrapped("\tif (x) return", 12)).toEqual(["    if (x)", "return"]);
  });
});

const line = fc.array(
  fc.record({
    text: fc
      .array(
        fc.constantFrom("word", " ", "  ", "中文", "。", "（", "👩‍👩‍👧", "\t", "\u001b[2J", "e\u0301", "longer-word"),
      )
      .map((parts) => parts.join("")),
    styles: fc.constantFrom([], ["strong" as const]),
  }),
);

test("no row is too wide, and none of the text but spaces is lost", () => {
  fc.assert(
    fc.property(
      line,
      fc.integer({ min: 2, max: 30 }),
      fc.constantFrom("", "- ", "        "),
      (line, columns, indent) => {
        const rows = wrapLine(line, columns, { indent: createLine(indent), hanging: [] });
        const text = rows.map(toPlainText).join("");
        expect(rows.every((row) => countLineCells(row) <= columns)).toBe(true);
        expect(text.replace(/^- /, "").replaceAll(" ", "")).toBe(
          toDisplayedText(toPlainText(line)).replaceAll(" ", ""),
        );
      },
    ),
  );
});

test("a line is cut to its columns, and ends with … where something is left out", () => {
  expect(toPlainText(cutLine(createLine("一二三四五"), 6))).toBe("一二…");
  expect(toPlainText(cutLine(createLine("一二三"), 6))).toBe("一二三");
  expect(cutLine(createLine("text", "good"), 1)).toEqual(createLine("…", "good"));
  expect(cutLine(createLine("text"), 0)).toEqual([]);
});

test("a cell of a table is exactly as wide as asked for", () => {
  expect(toPlainText(padTo(createLine("中"), 5, "right"))).toBe("   中");
  expect(toPlainText(padTo(createLine("中"), 5, "center"))).toBe(" 中  ");
  fc.assert(
    fc.property(line, fc.nat(20), (line, cells) => {
      expect(countLineCells(fitCells(line, cells))).toBe(cells);
    }),
  );
});
