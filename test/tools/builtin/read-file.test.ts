import { execFileSync } from "node:child_process";
import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/kit/json.ts";
import { createReadFile } from "../../../src/tools/builtin/read-file.ts";
import { testContext } from "../context.ts";
import { temporaryFiles } from "./files.ts";

const read = (root: string, args: JsonObject, locale: "zh" | "en" = "en") =>
  createReadFile({ roots: [root] }, locale).run(args, testContext({ locale }));

test("reads a text file, in both languages", async () => {
  await using files = await temporaryFiles({ "docs/a.md": "# 标题\r\n\r\nText.\r\n" });
  expect((await read(files.path, { path: "docs/a.md" })).text).toBe("docs/a.md, lines 1-3 of 3\n\n# 标题\n\nText.");
  expect((await read(files.path, { path: "docs/a.md" }, "zh")).text).toBe(
    "docs/a.md 第 1-3 行（共 3 行）\n\n# 标题\n\nText.",
  );
});

test("reads the lines asked for and says where to go on", async () => {
  await using files = await temporaryFiles({
    "a.txt": Array.from({ length: 9 }, (_, n) => `line ${n + 1}`).join("\n"),
  });
  expect((await read(files.path, { path: "a.txt", start_line: 3, lines: 2 })).text).toBe(
    "a.txt, lines 3-4 of 9 (62 B)\nMore lines follow: use start_line 5. file_search finds text in the whole file.\n\nline 3\nline 4",
  );
  expect((await read(files.path, { path: "a.txt", start_line: 8, lines: 2 })).text).toBe(
    "a.txt, lines 8-9 of 9\n\nline 8\nline 9",
  );
  expect((await read(files.path, { path: "a.txt", start_line: 10 })).text).toBe("a.txt has 9 lines.");
});

test("a long file comes in pieces that together are the file", async () => {
  const whole = Array.from({ length: 3000 }, (_, n) => `${n} ${"文".repeat(n % 40)}`);
  await using files = await temporaryFiles({ "a.txt": `${whole.join("\n")}\n` });
  const lines: string[] = [];
  for (let next: number | undefined = 1; next !== undefined; ) {
    const { text } = await read(files.path, { path: "a.txt", start_line: next });
    expect(text.length).toBeLessThan(20_400);
    const [head = "", body = ""] = text.split("\n\n");
    lines.push(...body.split("\n"));
    const more = /start_line (\d+)/.exec(head)?.[1];
    next = more === undefined ? undefined : Number(more);
  }
  expect(lines).toEqual(whole);
});

test("of a file longer than a piece the beginning is given first, with how to read on and where the end begins", async () => {
  const body = Array.from({ length: 6000 }, (_, n) => `line ${n + 1} ${"x".repeat(70)}`).join("\n");
  await using files = await temporaryFiles({ "long.txt": body, "fits.txt": body.slice(0, 19_000) });
  const { text } = await read(files.path, { path: "long.txt" });
  expect(text.length).toBeLessThan(6200);
  expect(text).toMatch(
    /^long\.txt, lines 1-7\d of 6,000 \(485 kB\)\nMore lines follow: use start_line 7\d; the last 60 begin at start_line 5941\. file_search/,
  );
  expect((await read(files.path, { path: "long.txt" }, "zh")).text).toMatch(/，最后 60 行从 start_line 5941 开始；/);
  const end = await read(files.path, { path: "long.txt", start_line: 5941 });
  expect(end.text).toMatch(/^long\.txt, lines 5941-6000 of 6,000\n\n/);
  expect((await read(files.path, { path: "fits.txt" })).text.length).toBeGreaterThan(19_000);
  expect((await read(files.path, { path: "long.txt", lines: 200 })).text).toContain("lines 1-200 of 6,000");
});

test("a line longer than a piece is cut, and that is said with its place and how to read on", async () => {
  await using files = await temporaryFiles({ "a.txt": `${"x".repeat(50_000)}\nend\n` });
  const { text } = await read(files.path, { path: "a.txt" });
  expect(text).toMatch(
    /^a\.txt, lines 1-1 of 2 \(50 kB\)\nLine 1 is too long and was cut: it goes on with start_line 1 and from 20000\. .*\nMore lines follow: use start_line 2\. .*\n\nx+$/,
  );
  expect(text.length).toBeLessThan(20_400);
});

test("a line that would be cut within a character is cut before it, and holds nothing of what follows", async () => {
  await using files = await temporaryFiles({ "a.txt": `a${"😀".repeat(10_000)}${"b".repeat(100_000)}\nend` });
  const { text } = await read(files.path, { path: "a.txt", lines: 1 });
  expect(text).toMatch(
    /^a\.txt, lines 1-1 of 2 \(140 kB\)\nLine 1 is too long and was cut: it goes on with start_line 1 and from 19999\./,
  );
  expect(text.endsWith("😀")).toBe(true);
  expect(text).not.toContain("bb");
});

test("a line longer than a piece comes in pieces that together are the line", async () => {
  const line = `${"a".repeat(65_000)}😀文${"b".repeat(70_000)}`;
  await using files = await temporaryFiles({ "a.json": `head\n${line}\nend`, "one.json": line });
  for (const [path, start_line] of [["a.json", 2] as const, ["one.json", 1] as const]) {
    let whole = "";
    for (let next: number | undefined = 0; next !== undefined; ) {
      const { text } = await read(files.path, { path, start_line, from: next });
      expect(text.length).toBeLessThan(20_400);
      const [head = "", body = ""] = text.split("\n\n");
      whole += body;
      const more = / and from (\d+)\./.exec(head)?.[1];
      next = more === undefined ? undefined : Number(more);
    }
    expect(whole).toBe(line);
  }
  expect((await read(files.path, { path: "one.json" })).text).toMatch(/^one\.json, lines 1-1 of 1 \(135 kB\)\n/);
  const end = await read(files.path, { path: "a.json", start_line: 2, from: 135_000 }, "zh");
  expect(end.text).toMatch(
    /^a\.json 第 2-2 行（共 3 行，135 kB）\n从这一行的第 135000 个字符开始\n后面还有：.*\n\nb{3}$/,
  );
  for (const path of ["a.json", "one.json"])
    expect((await read(files.path, { path, start_line: 1, from: 200_000 })).text).toBe(
      `${path} has no character 200000 in line 1.`,
    );
});

test("a line of characters that are shown as longer escapes comes in pieces of the same size, and is whole", async () => {
  const line = "\ue0b0".repeat(20_000);
  await using files = await temporaryFiles({ "a.txt": `${line}\nend` });
  let whole = "";
  let pieces = 0;
  for (let next: number | undefined = 0; next !== undefined; pieces++) {
    const { text } = await read(files.path, { path: "a.txt", start_line: 1, lines: 1, from: next });
    expect(text.length).toBeLessThan(20_400);
    const [head = "", body = ""] = text.split("\n\n");
    whole += body;
    const more = / and from (\d+)\./.exec(head)?.[1];
    next = more === undefined ? undefined : Number(more);
  }
  expect([whole === "\\u{e0b0}".repeat(20_000), pieces]).toEqual([true, 8]);
});

test("a line that the file does not have is not spoken of as if it had no such character", async () => {
  await using files = await temporaryFiles({ "a.txt": "one\ntwo\n" });
  expect((await read(files.path, { path: "a.txt", start_line: 3, from: 5 })).text).toBe("a.txt has 2 lines.");
  expect((await read(files.path, { path: "a.txt", start_line: 2, from: 5 })).text).toBe(
    "a.txt has no character 5 in line 2.",
  );
});

test("what begins as plain ASCII is read in the charset that shows later", async () => {
  const chinese = Buffer.from([0xc4, 0xe3, 0xba, 0xc3]);
  await using files = await temporaryFiles({
    "a.txt": Buffer.concat([Buffer.from("plain\n".repeat(20_000)), chinese, Buffer.from("\n".repeat(10)), chinese]),
  });
  const { text } = await read(files.path, { path: "a.txt", start_line: 20_001 });
  expect(text).toMatch(/\n\n你好\n+你好$/);
});

test("reads UTF-16 and GB18030, and shows control characters as what they are", async () => {
  const utf16 = Buffer.from("\ufeff你好\n", "utf16le");
  await using files = await temporaryFiles({
    "u.txt": utf16,
    "b.txt": Buffer.from(utf16).swap16(),
    "g.txt": Buffer.from("c4e3bac30a", "hex"),
    "c.txt": "a\u001b[2Jb",
    "empty.txt": "",
  });
  for (const path of ["u.txt", "b.txt", "g.txt"]) expect((await read(files.path, { path })).text).toMatch(/\n\n你好$/);
  expect((await read(files.path, { path: "c.txt" })).text).toMatch(/\n\na\\u\{1b\}\[2Jb$/);
  expect((await read(files.path, { path: "empty.txt" })).text).toBe("empty.txt has 0 lines.");
});

test("what is not text, not there or not a file is refused", async () => {
  await using files = await temporaryFiles({ "a.bin": Buffer.from([1, 0, 2]), "d/x.txt": "x", ".env": "SECRET" });
  execFileSync("mkfifo", [join(files.path, "pipe")]);
  expect((await read(files.path, { path: "a.bin" })).text).toBe("a.bin is not a text file.");
  expect(await read(files.path, { path: "d" })).toMatchObject({
    ok: false,
    text: expect.stringContaining("is a folder"),
  });
  for (const path of ["pipe", ".env", "../x"]) {
    const result = await read(files.path, { path });
    expect(result).toMatchObject({ ok: false, error: { code: "tool" } });
    expect(result.text).toMatch(/was not found: a path must exist within the allowed directories/);
  }
});

test("a file that is not read to its end is partial, and says so", async () => {
  await using files = await temporaryFiles();
  await writeFile(join(files.path, "a.txt"), "one\ntwo\n".repeat(20_000));
  await truncate(join(files.path, "a.txt"), 50_000_000_000);
  const tool = createReadFile({ roots: [files.path] }, "en", { totalBytes: 1_000_000 });
  const { text } = await tool.run({ path: "a.txt", start_line: 50_000 }, testContext());
  expect(text).toMatch(/Partial: a limit on size or time was reached/);
});
