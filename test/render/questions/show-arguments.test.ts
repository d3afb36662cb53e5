import { expect, test } from "vitest";
import type { JsonValue } from "../../../src/kit/json.ts";
import { showArguments } from "../../../src/render/questions/show-arguments.ts";

test("arguments of an ordinary length are shown whole, with nothing a terminal would obey", () => {
  const { text, isWhole } = showArguments({ text: "a\u001b[2Jb\nc", long: "x".repeat(5000) }, "en");
  expect(isWhole).toBe(true);
  expect(text).toBe(`{\n  "text": "a\\u001b[2Jb\\nc",\n  "long": "${"x".repeat(5000)}"\n}`);
});

test.each(["zh", "en"] as const)("a long text hides nothing that stands behind it, in %s", (locale) => {
  const text = `${"a".repeat(20_000)}😀rm -rf /`;
  const args = { lines: [{ text }], "then do": "erase", path: "/home/me/.profile" };
  const { text: shown, isWhole } = showArguments(args, locale);
  expect(isWhole).toBe(false);
  expect(shown.length).toBeLessThan(2000);
  expect(shown).toContain('"path": "/home/me/.profile"');
  expect(shown).toContain('"then do": "erase"');
  expect(shown).toContain('😀rm -rf /"');
  expect(shown).toContain(locale === "zh" ? "…（另有 19010 个字符未显示）…" : "… (19010 more characters not shown)…");
});

test("what is too long without a long text says how much is left out", () => {
  const { text, isWhole } = showArguments({ list: Array.from({ length: 5000 }, (_, index) => index) }, "en");
  expect(isWhole).toBe(false);
  expect(text).toMatch(/^\{\n {2}"list": \[\n[\s\S]{9000,}… \(\d+ more characters not shown\)$/);
});

test.each([
  ["letters", "m\u200dail", String.raw`m\u200dail`],
  ["digits", "1\ufe0f2", String.raw`1\ufe0f2`],
  ["Chinese", "文\ufe0e件", String.raw`文\ufe0e件`],
  ["emoji that no joiner joins", "😀\u200d😀\ufe0f", String.raw`😀\u200d😀\ufe0f`],
  ["what follows an emoji", "❤\ufe0f\ufe0f\u200d", String.raw`❤️\ufe0f\u200d`],
])("joiners and selectors can be seen among %s", (_, given, shown) => {
  expect(showArguments({ [given]: given }, "en").text).toBe(`{\n  "${shown}": "${shown}"\n}`);
});

test("arguments that grow too long as their joiners are shown are not whole, and no flood of emoji takes long", () => {
  const grown = showArguments({ list: Array.from({ length: 300 }, () => "\u200d".repeat(20)) }, "en");
  expect(grown.isWhole).toBe(false);
  expect(grown.text.length).toBeLessThan(10_100);
  const flood = showArguments({ text: `${"😀".repeat(1_000_000)}\ufe0f` }, "en");
  expect(flood.text).toContain(String.raw`😀\ufe0f"`);
});

test("emoji stay as they are", () => {
  const text = "👨\u200d👩\u200d👧 ❤\ufe0f ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 👍🏽 ☎\ufe0e 🇨🇳 🏳\ufe0f\u200d🌈";
  expect(showArguments({ text }, "en").text).toBe(`{\n  "text": "${text}"\n}`);
});

test.each([
  ["zh", "a…（5000 个空白字符）…b"],
  ["en", "a… (5000 blanks) …b"],
] as const)("many blanks in a row are told by their number, in %s", (locale, shown) => {
  for (const blanks of [" ".repeat(5000), "\u00a0\u3000\t \u2003".repeat(1000), "\t".repeat(5000)]) {
    const { text, isWhole } = showArguments({ [`a${blanks}b`]: `a${blanks}b` }, locale);
    expect(text).toBe(`{\n  "${shown}": "${shown}"\n}`);
    expect(isWhole).toBe(true);
  }
});

test("texts that differ in their blanks alone stay two", () => {
  const args = { [" ".repeat(20)]: 1, ["\u00a0".repeat(20)]: 2 };
  expect(showArguments(args, "en").text).toBe('{\n  "… (20 blanks) …": 1,\n  "… (20 blanks) …": 2\n}');
});

test("fewer blanks, the indentation and a backslash before a t stay", () => {
  const deep = Array.from({ length: 30 }).reduce<JsonValue>((inner) => [inner], `${" ".repeat(19)}${"\\t".repeat(30)}`);
  expect(showArguments({ deep }, "en").text).toBe(JSON.stringify({ deep }, undefined, 2));
});
