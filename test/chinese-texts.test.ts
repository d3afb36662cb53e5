import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Punctuation of Latin text directly between two Chinese characters, or a colon and a space behind one. */
const narrow = /\p{Script=Han}(?:[,;:?!]\p{Script=Han}|: )/u;

/** The requirements prescribe the first four word for word; the last two are formats that are typed like that. */
const allowed = [
  "常规对话,可手动启用联网搜索",
  "智能助手,自动决策是否需要联网搜索",
  "搜索查询关键词,应该具体、清晰、针对性强",
  "当前值: ",
  "主机:端口",
  "经度,纬度",
];

const files = [
  ...globSync("src/**/*.{ts,html,md}"),
  ...globSync("bin/**/*.ts"),
  ...globSync("docs/**/*.zh.*"),
  "README.zh.md",
].map((file) => ({ file, lines: textsOf(file, readFileSync(file, "utf8")) }));

test("no text in Chinese has half-width punctuation between two Chinese characters, nor a half-width colon and a space", () => {
  const found = files.flatMap(({ file, lines }) =>
    lines.filter((line) => narrow.test(withoutAllowed(line))).map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

test("every exception to full-width punctuation still stands in a text", () => {
  expect(allowed.filter((text) => !files.some(({ lines }) => lines.some((line) => line.includes(text))))).toEqual([]);
});

/** The lines of a file; of a program the strings, of which the patterns that read offline questions are no texts. */
function textsOf(file: string, source: string): string[] {
  if (!file.endsWith(".ts")) return source.split("\n");
  const strings = file.includes("providers/offline/")
    ? /zh: ("(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)/g
    : /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
  return source.match(strings) ?? [];
}

function withoutAllowed(line: string): string {
  return allowed.reduce((rest, text) => rest.replaceAll(text, ""), line);
}
