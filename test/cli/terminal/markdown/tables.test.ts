import { expect, test } from "vitest";
import { createMarkdownStream } from "../../../../src/cli/terminal/markdown/markdown-stream.ts";
import { toPlainText } from "../../../../src/cli/terminal/text/line.ts";
import { countCells } from "../../../../src/cli/terminal/text/width.ts";
import { linesOf, shownText } from "./stream-of.ts";

const fruit = "| 名称 | Price | x |\n|:--|--:|:-:|\n| 苹果🍎 | 12 | a \\| b |\n| **fig** | 3.5 | |\n";

test("columns line up whatever the characters", async () => {
  expect(await shownText(`before\n${fruit}after`)).toBe(
    `before

┌────────┬───────┬───────┐
│ 名称   │ Price │   x   │
├────────┼───────┼───────┤
│ 苹果🍎 │    12 │ a | b │
│ fig    │   3.5 │       │
└────────┴───────┴───────┘

after`,
  );
});

test("cells that are too wide are wrapped, and rows are told apart", async () => {
  const table = "a | b\n--|--\none two three four five | 你好你好你好你好\nx | line<br>line | too many";
  expect(await shownText(table, { columns: () => 30 })).toBe(
    `┌──────────────┬─────────────┐
│ a            │ b           │
├──────────────┼─────────────┤
│ one two      │ 你好你好你  │
│ three four   │ 好你好      │
│ five         │             │
├──────────────┼─────────────┤
│ x            │ line        │
│              │ line | too  │
│              │ many        │
└──────────────┴─────────────┘`,
  );
});

test("where the columns would be too narrow, each row is a record", async () => {
  const table =
    "| name | first | second | third | fourth | fifth |\n|-|-|-|-|-|-|\n| one | long value here | long value here | long value here | long value here | x |\n| two | | | | | |";
  expect(await shownText(table, { columns: () => 40 })).toBe(
    "name: one\nfirst: long value here\nsecond: long value here\nthird: long value here\nfourth: long value here\nfifth: x\n\nname: two\nfirst:\nsecond:\nthird:\nfourth:\nfifth:",
  );
});

test.each([40, 60, 200])("no line of a table is wider than %d columns", async (columns) => {
  const cells = (count: number) => `|${"很长的内容 long words and 🍎🍎 emoji ".repeat(2)}|${" x |".repeat(count)}\n`;
  const table = [cells(4), "|-".repeat(5), "|\n", cells(4).repeat(3)].join("");
  for (const line of await linesOf(`> - ${table.replaceAll("\n", "\n>   ")}`, { columns: () => columns }))
    expect(countCells(toPlainText(line))).toBeLessThanOrEqual(columns);
});

test("a table of thousands of rows is finished as it comes, its widths settled by the first ones", async () => {
  const stream = createMarkdownStream({ columns: () => 40, hyperlinks: true });
  stream.push("| n | text |\n|---|---|\n");
  let taken = 0;
  for (let row = 1; row <= 5000; row++) {
    stream.push(`| ${row} | row ${row === 4000 ? "with a much longer text than the others had" : row} |\n`);
    taken += stream.take().length;
    if (row % 500 === 0) expect(stream.pending(1000).length).toBeLessThan(70);
  }
  expect(taken).toBeGreaterThan(4900);
  const rest = await stream.end();
  expect(toPlainText(rest.at(-1) ?? [])).toMatch(/^└─+┴─+┘$/);
});

test("a line without cells ends the table", async () => {
  expect(await shownText("a|b\n-|-\nc|d\ntext\n\ne|f\n\ng")).toContain("│ c │ d │\n└───┴───┘\n\ntext\n\ne|f\n\ng");
});
