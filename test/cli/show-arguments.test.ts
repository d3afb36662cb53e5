import { expect, test } from "vitest";
import { showArguments } from "../../src/cli/show-arguments.ts";

test("arguments of an ordinary length are shown whole, with nothing a terminal would obey", () => {
  const shown = showArguments({ text: "a\u001b[2Jb\nc", long: "x".repeat(5000) }, "en");
  expect(shown).toBe(`{\n  "text": "a\\u001b[2Jb\\nc",\n  "long": "${"x".repeat(5000)}"\n}`);
});

test.each(["zh", "en"] as const)("a long text hides nothing that stands behind it, in %s", (locale) => {
  const text = `${"a".repeat(20_000)}😀rm -rf /`;
  const shown = showArguments({ lines: [{ text }], "then do": "erase", path: "/home/me/.profile" }, locale);
  expect(shown.length).toBeLessThan(2000);
  expect(shown).toContain('"path": "/home/me/.profile"');
  expect(shown).toContain('"then do": "erase"');
  expect(shown).toContain('😀rm -rf /"');
  expect(shown).toContain(locale === "zh" ? "…（另有 19010 个字符未显示）…" : "… (19010 more characters not shown)…");
});

test("what is too long without a long text says how much is left out", () => {
  const shown = showArguments({ list: Array.from({ length: 5000 }, (_, index) => index) }, "en");
  expect(shown).toMatch(/^\{\n {2}"list": \[\n[\s\S]{9000,}… \(\d+ more characters not shown\)$/);
});
