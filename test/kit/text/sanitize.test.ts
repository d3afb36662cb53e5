import fc from "fast-check";
import { expect, test } from "vitest";
import { createSanitizer, sanitize, sanitizeLine, toSafeJson } from "../../../src/kit/text/sanitize.ts";

test.each([
  ["colours and cursor moves", "a\u001b[31mred", "a\\u{1b}[31mred"],
  ["an unterminated OSC 52", "\u001b]52;c;QQ", "\\u{1b}]52;c;QQ"],
  ["8-bit controls", "\u009d52;c", "\\u{9d}52;c"],
  ["carriage return and backspace", "safe\rEVIL\b", "safe\\u{d}EVIL\\u{8}"],
  ["bidi and tag characters", "a\u202eb\u{e0041}", "a\\u{202e}b\\u{e0041}"],
  ["variation selectors, which carry data", "😀\ufe00\u{e0100}\u{e01ef}", "😀\\u{fe00}\\u{e0100}\\u{e01ef}"],
  ["fillers", "\u3164\u115f\u1160\uffa0", "\\u{3164}\\u{115f}\\u{1160}\\u{ffa0}"],
  ["other ignorable marks", "\u034f\u17b4\u17b5\u180b\u180f", "\\u{34f}\\u{17b4}\\u{17b5}\\u{180b}\\u{180f}"],
  ["the braille blank, but no other braille", "\u2800\u2801", "\\u{2800}\u2801"],
  ["newline and tab stay", "a\n\tb", "a\n\tb"],
  ["Chinese and emoji stay", "北京 👩‍👩‍👧 ❤️ ☎\ufe0e é", "北京 👩‍👩‍👧 ❤️ ☎\ufe0e é"],
])("%s", (_, given, shown) => {
  expect(sanitize(given)).toBe(shown);
});

test("the result never holds a control character, is stable, and does not depend on the split", () => {
  const nasty = fc.string({
    unit: fc.constantFrom(
      "\ud83d",
      "\ude00",
      "\u001b",
      "[",
      "m",
      "\u009b",
      "\r",
      "\u0000",
      "a",
      "文",
      "\u202e",
      "\n",
      "\udb40",
      "\udd00",
    ),
  });
  fc.assert(
    fc.property(nasty, nasty, (a, b) => {
      const shown = sanitize(a + b);
      expect(shown).not.toMatch(/(?![\n\t])[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
      expect(sanitize(shown)).toBe(shown);
      const stream = createSanitizer();
      expect(stream.push(a) + stream.push(b) + stream.end()).toBe(shown);
    }),
  );
});

test("one line is one line", () => {
  expect(sanitizeLine("a\r\nb\u2028c\td")).toBe("a b c d");
});

test("a Windows line end is a line end", () => {
  expect(sanitize("a\r\nb\rc")).toBe("a\nb\\u{d}c");
});

test("JSON keeps its meaning and holds no control character in the raw", () => {
  const value = { text: "a\u009b31m\u202e\u{e0041}\u{e0100}\u3164\u2800\n" };
  const shown = toSafeJson(value);
  expect(shown).not.toMatch(/[^\x20-\x7e]/);
  expect(JSON.parse(shown)).toEqual(value);
});
