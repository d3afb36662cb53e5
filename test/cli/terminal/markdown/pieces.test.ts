import fc from "fast-check";
import { expect, test } from "vitest";
import { createMarkdownStream } from "../../../../src/cli/terminal/markdown/markdown-stream.ts";
import { toPlainText } from "../../../../src/cli/terminal/text/line.ts";
import { countCells } from "../../../../src/cli/terminal/text/width.ts";
import { linesOf, shownText } from "./stream-of.ts";

const marks = [
  "\n",
  "\n\n",
  "\r\n",
  " ",
  "    ",
  "\t",
  "- ",
  "* ",
  "1. ",
  "> ",
  "# ",
  "===",
  "---",
  "```",
  "```js\n",
  "~~~",
  "`",
  "**",
  "*",
  "_",
  "~~",
  "[",
  "](",
  ")",
  "![",
  "]: ",
  "|",
  "\n|-|-|\n",
  "\\",
  "&lt;",
  "<!--",
  "-->",
  "<b>",
  "https://a.example/",
  "中文，",
  "。",
  "🍎",
  "👩‍👩‍👧",
  "\u001b[2J",
  "\ud83c",
  "[1]",
  "[x] ",
];
const word = fc.string({ unit: fc.constantFrom(..."abcdefgh"), minLength: 1, maxLength: 6 });
const text = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...marks) }, word), { maxLength: 60 });
/** Among them lines and paragraphs too long to be read at once. */
const long = fc
  .tuple(text, text, fc.integer({ min: 1, max: 60 }))
  .map(([head, body, times]) => [...head, ...Array.from({ length: times }, () => body).flat()]);
const citations = [{ n: 1, title: "One", url: "https://one.example/" }];

/** The text in pieces, cut wherever these say. */
function cutAt(whole: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b);
  return [...places, whole.length].map((end, index) => whole.slice(places[index - 1] ?? 0, end));
}

test("the lines are the same however the text was split", async () => {
  const cuts = fc.array(fc.nat(), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(long, cuts, fc.constantFrom(12, 40, 100), async (parts, places, columns) => {
      const whole = parts.join("");
      const options = { columns: () => columns };
      const once = await linesOf(whole, options, citations);
      expect(await linesOf(cutAt(whole, places), options, citations)).toEqual(once);
      for (const line of once) expect(countCells(toPlainText(line))).toBeLessThanOrEqual(columns);
    }),
    { numRuns: 120 },
  );
});

test("also one character at a time", async () => {
  await fc.assert(
    fc.asyncProperty(text, async (parts) => {
      const whole = parts.join("");
      expect(await linesOf(whole.split(""))).toEqual(await linesOf(whole));
    }),
    { numRuns: 100 },
  );
});

test("no word is lost, whatever stands around it", async () => {
  await fc.assert(
    fc.asyncProperty(text, async (parts) => {
      let count = 0;
      // Each word is one of its kind, so that none can stand for another.
      const named = parts.map((part) => (/^[a-h]+$/.test(part) ? `w${part}${count++}w ` : part));
      const shown = await shownText(named, { columns: () => 2000, hyperlinks: false });
      for (const name of named.filter((part) => /^w[a-h]+\d+w /.test(part))) expect(shown).toContain(name.trim());
    }),
    { numRuns: 300 },
  );
});

test("what is higher than the screen is finished, once, and nothing is lost or told twice", async () => {
  const words = Array.from({ length: 900 }, (_, index) => `word${index}`);
  const table = `\n\n|a|b|\n|-|-|\n${words
    .slice(0, 50)
    .map((name) => `|x${name}|y|\n`)
    .join("")}\n`;
  const stream = createMarkdownStream({ columns: () => 40, hyperlinks: true });
  const shown: string[] = [];
  for (const piece of [...words.map((name) => `${name} `), ...(table.match(/.{1,9}|\n/gs) ?? [])]) {
    stream.push(piece);
    shown.push(...stream.take().map(toPlainText));
    expect(stream.pending(5).length).toBeLessThanOrEqual(5);
    shown.push(...stream.take().map(toPlainText));
    expect(stream.pending(1000).length).toBeLessThanOrEqual(14);
  }
  shown.push(...(await stream.end()).map(toPlainText));
  expect(shown.join(" ").match(/(?<!x)word\d+/g)).toEqual(words);
  expect(shown.join(" ").match(/(?<=x)word\d+/g)).toEqual(words.slice(0, 50));
});

test("while a text is written, its marks are not shown, and what they mark has its look at once", () => {
  const whole =
    "# A **b**\n\nSome **bold**, *leaning* and `code()`\nwith [a link](https://a.example/x) [sic]\n- [x] __done__\n";
  const stream = createMarkdownStream({ columns: () => 60, hyperlinks: true });
  const seen = new Set<string>();
  for (const character of whole) {
    stream.push(character);
    for (const line of [...stream.take(), ...stream.pending(20)]) {
      expect(toPlainText(line)).not.toMatch(/[*_`#]|\]\(|https/);
      for (const { text, styles = [] } of line) seen.add(`${styles.join("+")} ${text}`);
    }
  }
  for (const part of ["strong bol", "emphasis lea", "code cod", "link a link", "strong do"])
    expect(seen).toContain(part);
  expect(stream.pending(20).map(toPlainText)).toEqual(["- [x] done"]);
});

test.each([
  ["one paragraph", "word **bold** `code` 中文，段落 "],
  ["one word", "abc"],
  ["one list", "- item **x**\n"],
  ["one item", "- item **x**\n  ".slice(2)],
  ["one quote", "> text\n"],
  ["one table", "|a|b|\n|-|-|\n"],
  ["brackets", "["],
  ["stars", "*"],
  ["angles", "<"],
  ["quote marks", ">"],
  ["backticks", "a` `` ``` "],
  ["open emphasis", "*a **b "],
  ["open images", "![a]("],
  ["dashes", "- "],
  ["emoji", "🍎"],
])("of a hostile text, %s, little is ever looked at again", (_, unit) => {
  const stream = createMarkdownStream({ columns: () => 80, hyperlinks: true });
  const whole = unit.repeat(Math.ceil(30_000 / unit.length));
  for (let at = 0; at < whole.length; at += 3000) {
    stream.push(whole.slice(at, at + 3000));
    stream.take();
    expect(stream.pending(1_000_000).length).toBeLessThan(200);
  }
});
