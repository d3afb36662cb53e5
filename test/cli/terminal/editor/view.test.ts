import fc from "fast-check";
import { expect, test } from "vitest";
import { createBreakRows } from "../../../../src/cli/terminal/editor/text-rows.ts";
import { toPlainText } from "../../../../src/cli/terminal/text/line.ts";
import { countCells } from "../../../../src/cli/terminal/text/width.ts";
import { openEditor } from "./open-editor.ts";

test("wide characters are wrapped by their cells", () => {
  const { type, editor } = openEditor();
  type("北京天气怎么样");
  const { lines, cursor } = editor.view("> ", { columns: 9, rows: 24 });
  expect(lines.map(toPlainText)).toEqual(["> 北京天", "  气怎么", "  样"]);
  expect(cursor).toEqual({ row: 2, column: 4 });
});

test("a long text takes a third of the screen, and what is round the cursor is seen", () => {
  const { type, shows } = openEditor();
  type(Array.from({ length: 30 }, (_, index) => `line ${index}`).join("\n"));
  expect(shows(40, 12)).toEqual(["> line 26", "  line 27", "  line 28", "  line 29|"]);
  for (let up = 0; up < 5; up++) type("\u001b[A");
  expect(shows(40, 12)[0]).toBe("> line 24|");
});

test("a prompt that would leave too little room stands above the text", () => {
  const { editor, type } = openEditor();
  type("question");
  const { lines, cursor } = editor.view("Agent · deepseek → claude > ", { columns: 40, rows: 24 });
  expect(lines.map(toPlainText)).toEqual(["Agent · deepseek → claude >", "  question"]);
  expect(cursor).toEqual({ row: 1, column: 10 });
});

const key = fc.oneof(
  fc.constantFrom(
    "\u001b[A",
    "\u001b[B",
    "\u001b[C",
    "\u001b[D",
    "\u007f",
    "\n",
    "\t",
    "\u0001",
    "\u0005",
    "\u0017",
    "\u0019",
  ),
  fc.constantFrom("北", "👨‍👩‍👧", "e\u0301", "\u202e", "\u001b[200~\u001b]52;c\u0007\u001b[201~", "\u001f", "\u0012"),
  fc.string(),
);

test("a text that has changed is broken into the same rows as one that is new", () => {
  const piece = fc.constantFrom(
    "a",
    "北",
    "👍🏽",
    "\u0301",
    "🇨",
    "\n",
    "word word word",
    "x".repeat(250),
    "长".repeat(120),
    "\u001b",
  );
  const edit = fc.tuple(fc.nat(2_000), fc.nat(30), fc.array(piece, { maxLength: 4 }));
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 12 }), fc.integer({ min: 1, max: 30 }), (edits, width) => {
      const breakRows = createBreakRows();
      let text = "";
      for (const [place, removed, pieces] of edits) {
        const index = place % (text.length + 1);
        text = (text.slice(0, index) + pieces.join("") + text.slice(index + removed)).toWellFormed();
        expect(breakRows(text, width)).toEqual(createBreakRows()(text, width));
      }
    }),
    { numRuns: 100 },
  );
});

test("whatever is typed, no line is wider than the screen, and the cursor stands in it", () => {
  fc.assert(
    fc.property(
      fc.array(key, { maxLength: 30 }),
      fc.integer({ min: 4, max: 40 }),
      fc.integer({ min: 2, max: 30 }),
      (keys, columns, rows) => {
        const { type, editor } = openEditor(async () => undefined, ["an entry", "另一个"]);
        for (const bytes of keys) {
          type(bytes);
          const { lines, cursor } = editor.view("> ", { columns, rows });
          for (const line of lines) expect(countCells(toPlainText(line))).toBeLessThanOrEqual(columns);
          expect(lines[cursor?.row ?? -1]).toBeDefined();
          expect(cursor?.column).toBeLessThan(columns);
          expect(lines.length).toBeLessThanOrEqual(Math.max(1, Math.floor(rows / 3)) + 1);
        }
      },
    ),
    { numRuns: 60 },
  );
});
