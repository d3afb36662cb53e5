import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import type { Locale } from "../../../src/kit/locale.ts";
import { longestDocument } from "../../../src/tools/documents/document.ts";
import { readDocument } from "../../../src/tools/documents/read-document.ts";
import { createHeavyWork } from "../../../src/tools/workers/heavy-work.ts";
import { makePdf } from "../page/make-pdf.ts";

const work = createHeavyWork();
afterAll(() => work.close());

const read = (bytes: Uint8Array, locale: Locale = "en") =>
  readDocument(bytes, { work, locale, signal: AbortSignal.timeout(60_000) });

const fixture = (name: string): Buffer => readFileSync(new URL(`../../fixtures/documents/${name}`, import.meta.url));

const report = fixture("report.docx");

/** Returns the file with another size in the directory entry of each part. */
function withStatedSize(bytes: Uint8Array, size: number): Buffer {
  const changed = Buffer.from(bytes);
  for (
    let at = changed.indexOf("PK\x01\x02", 0, "latin1");
    at >= 0;
    at = changed.indexOf("PK\x01\x02", at + 4, "latin1")
  )
    changed.writeUInt32LE(size, at + 24);
  return changed;
}

describe("a document is read as text", () => {
  test("a Word file with its headings, lists and tables", async () => {
    const { kind, text } = await read(report);
    expect(kind).toBe("word");
    expect(text).toBe(`# Quarterly report 季度报告

# Sales

Sales rose by **12 %** against the year before.

- first point
- second point

1. one
2. two

| Region | Q1 | Q2 |
| --- | --- | --- |
| North | 10 | 12 |
| South | 7\\|8 | 9 |

| merged |  |
| --- | --- |
| a | b c |

Final words.`);
  });

  test("an Excel file sheet by sheet as CSV, with dates as people write them", async () => {
    const { kind, text } = await read(fixture("table.xlsx"));
    expect(kind).toBe("excel");
    expect(text).toBe(`## Sales

Region,Amount,When,Rate,Paid,Note
North,1200.5,2026-03-01,0.125,true,"a, ""b""
second"
South,,2026-03-02 14:30:00,0.5,false,x|y

## Second 表

alone`);
  });

  test("a PDF", async () => {
    expect(await read(makePdf([["First page."], ["Second page."]]))).toMatchObject({
      kind: "pdf",
      text: expect.stringMatching(/First page\.\s+Second page\./),
    });
  });

  test("a text in the charset that its bytes show", async () => {
    const gbk = Buffer.from("b3c7cad02cc8cbcafd0ab1b1bea92c323130300a", "hex");
    expect(await read(gbk)).toEqual({ kind: "text", text: "城市,人数\n北京,2100" });
  });

  test("up to 200,000 characters, and says so of a longer one", async () => {
    const { text } = await read(Buffer.from(`${"word ".repeat(50_000)}end`), "zh");
    expect(text.slice(0, 40)).toContain("（250003 个字符中的前 200000 个）".slice(1, -1));
    expect(text.length).toBeLessThan(200_100);
  });
});

describe("a file that is no document, or not to be read, is refused in one line with what is allowed", () => {
  const encrypted = Buffer.concat([
    Buffer.from("d0cf11e0a1b11ae1", "hex"),
    Buffer.alloc(600),
    Buffer.from("EncryptedPackage", "utf16le"),
  ]);
  test.each<[string, Uint8Array, RegExp, RegExp]>([
    ["too large", Buffer.alloc(longestDocument + 1), /at most 20 MB/, /最多 20 MB/],
    ["that states to unpack to more", withStatedSize(report, 100_000_000), /at most 200 MB in 10000 parts/, /200 MB/],
    ["whose parts are larger than it states", withStatedSize(report, 10), /damaged/, /已损坏/],
    ["cut off", report.subarray(0, 20_000), /damaged/, /已损坏/],
    ["that only begins like a PDF", Buffer.from("%PDF-1.7 nothing"), /damaged/, /已损坏/],
    ["that is a locked PDF", makePdf([["x"]], { encrypted: true }), /protected by a password/, /密码/],
    ["that is a PDF of pictures", makePdf([[]]), /may be a scan/, /没有文字（可能是扫描/],
    ["with a password", encrypted, /protected by a password/, /密码/],
    [
      "of Word 97",
      Buffer.from("d0cf11e0a1b11ae10000", "hex"),
      /old Office format \(allowed: \.docx, \.xlsx/,
      /旧的 Office/,
    ],
    ["of a program", Buffer.from("7f454c46020101000000000000000000", "hex"), /allowed: images, PDF/, /允许：图片、PDF/],
    ["of six bytes with zeros", Buffer.from("000102030005", "hex"), /no type that can be read/, /类型无法识别/],
    ["that is a PNG cut short", Buffer.from("89504e470d", "hex"), /no type that can be read/, /类型无法识别/],
    ["without anything", new Uint8Array(), /no text/, /没有文字/],
  ])("one %s", async (_, bytes, en, zh) => {
    await expect(read(bytes)).rejects.toThrow(en);
    const refusal = await read(bytes, "zh").catch((thrown) => thrown);
    expect(refusal.text.zh).toMatch(zh);
    expect(`${refusal.text.zh}${refusal.text.en}`).not.toContain("\n");
  });
});
