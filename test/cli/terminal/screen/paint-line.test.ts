import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { paintLine } from "../../../../src/cli/terminal/screen/paint-line.ts";
import { chooseTheme, createTheme } from "../../../../src/cli/terminal/screen/theme.ts";
import { createLine, type Style } from "../../../../src/cli/terminal/text/line.ts";

/** Any, lone surrogates too. */
const character = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));

const [dark, none] = [createTheme("dark"), createTheme("none")];

test("a span is painted in its look, and the look ends with it", () => {
  const line = [{ text: "a " }, { text: "word", styles: ["strong", "bad"] as const }, { text: "." }];
  expect(paintLine(line, { theme: dark, hyperlinks: false })).toBe("a \u001b[1;31mword\u001b[0m.");
});

test("without colours a line keeps its shapes, and a heading and a link have one in place of their colour", () => {
  const look = { theme: none, hyperlinks: false };
  expect(paintLine(createLine("text", "inverse", "heading", "link"), look)).toBe("\u001b[7;1;4mtext\u001b[0m");
  expect(paintLine(createLine("text", "accent", "good", "code"), look)).toBe("text");
});

test("a link is one only where the terminal shows links and its address may be linked to", () => {
  const link = { text: "[1]", href: "https://a.example/x" };
  const painted = "\u001b]8;;https://a.example/x\u001b\\[1]\u001b]8;;\u001b\\";
  expect(paintLine([link], { theme: dark, hyperlinks: true })).toBe(painted);
  expect(paintLine([link], { theme: dark, hyperlinks: false })).toBe("[1]");
  expect(paintLine([{ ...link, href: "javascript:alert(1)" }], { theme: dark, hyperlinks: true })).toBe("[1]");
});

test("a newline is a space, a tab four, and every other control can be seen", () => {
  const line = createLine("a\nb\tc\r\nd\u001b[2J\u009b1m\u0007\u202e");
  const painted = "a b    c d\\u{1b}[2J\\u{9b}1m\\u{7}\\u{202e}";
  expect(paintLine(line, { theme: none, hyperlinks: false })).toBe(painted);
});

test("whatever a line holds, what is painted is printable text between our own sequences", () => {
  const styles = fc.constantFrom<Style[]>([], ["dim"], ["strong", "link"]);
  const hostile = fc.constantFrom("\u001b]0;x\u0007", "\u001b[0m", "\u001b\\", "\u009b2J", "\r\n", "\u202e", "\ud83d");
  const text = fc.oneof(fc.string({ unit: character }), hostile);
  const href = fc.oneof(
    fc.constant(undefined),
    text,
    text.map((end) => `https://a.example/${end}`),
  );
  fc.assert(
    fc.property(fc.array(fc.record({ text, styles, href }), { maxLength: 3 }), (line) => {
      const painted = paintLine(line, { theme: dark, hyperlinks: true });
      const rest = painted.replace(/\u001b\[[\d;]+m|\u001b\]8;;[\x21-\x7e]*\u001b\\/g, "");
      expect(rest).not.toMatch(/[\p{Cc}\p{Co}\p{Cs}\u2028\u2029]|(?!\u200d)\p{Cf}/u);
    }),
  );
});

describe("the theme", () => {
  const wishes = { environment: {}, wantsColours: true, configured: "auto" } as const;

  test.each([
    ["dark by itself", {}, "dark"],
    ["light on a background that is", { environment: { COLORFGBG: "0;15" } }, "light"],
    ["light on one of three parts", { environment: { COLORFGBG: "0;default;7" } }, "light"],
    ["dark on a background that is", { environment: { COLORFGBG: "15;0" } }, "dark"],
    ["dark on one that is not a number", { environment: { COLORFGBG: "default;default" } }, "dark"],
    ["as configured", { configured: "light", environment: { COLORFGBG: "15;0" } }, "light"],
    ["none with the flag", { wantsColours: false, configured: "light" }, "none"],
    ["none with NO_COLOR, whatever else", { environment: { NO_COLOR: "1", FORCE_COLOR: "1" } }, "none"],
    ["dark with an empty NO_COLOR", { environment: { NO_COLOR: "" } }, "dark"],
    ["none with FORCE_COLOR=0", { environment: { FORCE_COLOR: "0" } }, "none"],
    ["none on a dumb terminal", { environment: { TERM: "dumb" } }, "none"],
    ["dark on a dumb terminal that is told to", { environment: { TERM: "dumb", FORCE_COLOR: "1" } }, "dark"],
  ] as const)("is %s", (_, some, name) => {
    expect(chooseTheme({ ...wishes, ...some })).toBe(name);
  });
});
