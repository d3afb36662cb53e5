import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { countCells, splitGraphemes, toDisplayedText } from "../../../../src/cli/terminal/text/width.ts";
import { startCpuClock } from "../../../fakes/cpu-time.ts";

/** Any, lone surrogates too. */
const character = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));

describe("the cells of a text", () => {
  test.each([
    ["plain text", 10],
    ["中文字符", 8],
    ["，。「」（）", 12],
    ["ｆｕｌｌ", 8],
    ["한국어", 6],
    ["ﾊﾛｰ", 3],
    ["e\u0301", 1],
    ["👩‍👩‍👧", 2],
    ["👍🏽", 2],
    ["🇨🇳", 2],
    ["❤️", 2],
    ["❤", 1],
    ["1️⃣", 2],
    ["☕︎", 1],
    ["─│╭…—“”·§", 9],
    ["a\tb", 6],
    ["a\nb", 3],
    ["\u001b[31m", 10],
    ["\u202e", 8],
    ["\u2800\u3164\u2801", 17],
    ["", 0],
  ])("%j: %i", (text, cells) => {
    expect(countCells(text)).toBe(cells);
  });

  test("are those of string-width for every picture, and for one in eleven of all other characters", () => {
    const differing: string[] = [];
    for (let code = 0x20; code < 0x32000; code += isPicture(code) ? 1 : 11) {
      const character = String.fromCodePoint(code);
      if (/\p{Cn}|\p{Cs}|\p{Co}/u.test(character)) continue;
      if (countCells(character) !== stringWidth(toDisplayedText(character))) differing.push(code.toString(16));
    }
    expect(differing).toEqual([]);
  });

  test("are those of its characters together", () => {
    const unit = fc.oneof(
      fc.string({ unit: character }),
      fc.constantFrom("中", "。", "👩‍👩‍👧", "é", "\t", "\u001b", "🇨"),
    );
    fc.assert(
      fc.property(fc.array(unit), (parts) => {
        const text = parts.join("");
        const characters = splitGraphemes(text);
        expect(characters.join("")).toBe(text);
        expect(characters.reduce((sum, character) => sum + countCells(character), 0)).toBe(countCells(text));
      }),
    );
  });
});

test("what joins is one character", () => {
  const characters = ["a", "e\u0301", "中", "👩‍👩‍👧", "🇨🇳", "👍🏽", "❤️", "ก็"];
  expect(splitGraphemes(characters.join(""))).toEqual(characters);
});

test("characters are those of Unicode, also where some are told without its tables", () => {
  const parts = [
    "a",
    " ",
    "中",
    "。",
    "e\u0301",
    "👩‍👩‍👧",
    "👍🏽",
    "🇨",
    "❤️",
    "1️⃣",
    "ᄀ",
    "각",
    "\u11a8",
    "\u200d",
    "\ufe0f",
    "🌤️",
    "©",
    "ก็",
    "क्ष",
    "→",
  ];
  const segmenter = new Intl.Segmenter();
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts)), (some) => {
      const text = some.join("");
      expect(splitGraphemes(text)).toEqual(Array.from(segmenter.segment(text), ({ segment }) => segment));
    }),
    { numRuns: 300 },
  );
});

test.each([
  ["marks", `a${"\u0301".repeat(300_000)}`],
  ["joined pictures", `👩${"\u200d👩".repeat(100_000)}`],
  ["joiners", "\u200d".repeat(300_000)],
  ["jamo", "\u1100".repeat(300_000)],
])("what joins on without an end is several characters, in linear time: %s", (_, text) => {
  const cpuTime = startCpuClock();
  const characters = splitGraphemes(text);
  expect(cpuTime()).toBeLessThan(5_000);
  expect(characters.join("") === text).toBe(true);
  expect(Math.max(...characters.map((character) => Array.from(character).length))).toBe(32);
  expect(countCells(text)).toBeGreaterThan(9_000);
});

test("the characters of what joins on are the same behind each border, and so are their cells", () => {
  const part = fc.constantFrom(
    "a",
    "\u0301",
    "\u200d",
    "👩",
    "👩\u200d",
    "🏽",
    "\ufe0f",
    "🇨",
    "\u1100",
    "\u1161",
    "क्",
    "中",
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(part, fc.nat(80)), { maxLength: 8 }), (runs) => {
      const text = runs.map(([unit, times]) => unit.repeat(times)).join("");
      const characters = splitGraphemes(text);
      const half = Math.floor(characters.length / 2);
      expect(splitGraphemes(characters.slice(half).join(""))).toEqual(characters.slice(half));
      expect(characters.reduce((sum, character) => sum + countCells(character), 0)).toBe(countCells(text));
    }),
  );
});

function isPicture(code: number): boolean {
  return (code >= 0x2600 && code < 0x2800) || (code >= 0x1f300 && code < 0x1fb00);
}
