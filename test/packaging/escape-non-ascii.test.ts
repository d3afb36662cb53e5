import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { escapeNonAscii } from "../../scripts/build/escape-non-ascii.ts";
import { program } from "../fakes/program.ts";

/** Code whose value must not change. */
const codes = [
  "/[。！？\\s]+$/",
  "/^(?:[-*+•·>]\\s*)*\\\\?[[【［]\\^?(\\d{1,3})/u",
  "/[📚🔗📖]/u",
  "/\\。|\\\\。/",
  "'年\\\\月\\日'",
  "`年$" + "{'月'}日`",
  "String.raw`(\\d{4})[-/.年](\\d{1,2})月`",
  "String.raw`a$" + "{'年'}\\\\日`",
  "String.raw`a\\`年`",
  "/(?<年>\\d)/.exec('7').groups.年",
];

test.each(codes)("code in ASCII means the same: %s", (code) => {
  const escaped = escapeNonAscii(code);
  expect(escaped).toMatch(/^[\x00-\x7f]*$/);
  const [before, after] = [code, escaped].map((each) => new Function(`return ${each};`)() as RegExp | string);
  if (!(before instanceof RegExp && after instanceof RegExp)) return expect(after).toBe(before);
  expect(after.flags).toBe(before.flags);
  const texts = ["句。", "•·【12", "📖", "📚x", "\\。", "。", "no", "年"];
  expect(texts.map((text) => after.exec(text))).toEqual(texts.map((text) => before.exec(text)));
});

test.each(["String.raw`\\年`", "String.raw`$" + "{f({ a: 1 }, '年')}`", "String.raw`a$" + "{`年`}`"])(
  "what cannot be escaped is refused: %s",
  (code) => {
    expect(() => escapeNonAscii(code)).toThrow(/a backslash before 年|a template or a brace within/);
  },
);

test("all that Node loads of the built program is ASCII", async () => {
  const folder = dirname(program);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".js") && !name.startsWith("page-"));
  expect(names.length).toBeGreaterThan(100);
  const texts = await Promise.all(
    names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const),
  );
  expect(texts.flatMap(([name, text]) => (/[^\x00-\x7f]/.test(text) ? [name] : []))).toEqual([]);
});
