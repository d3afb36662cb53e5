import { expect, test } from "vitest";
import { decodePage, isBinary } from "../../../src/tools/page/decode-page.ts";

// "中文" and "日本" in the charsets of their countries.
const gbk = [0xd6, 0xd0, 0xce, 0xc4];
const big5 = [0xa4, 0xa4, 0xa4, 0xe5];
const shiftJis = [0x93, 0xfa, 0x96, 0x7b];

function bytes(...parts: (string | number[])[]): Uint8Array {
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));
}

test.each([
  ["UTF-8 that nobody names", bytes("<p>中文"), undefined, "<p>中文"],
  ["UTF-8 with a mark", bytes([0xef, 0xbb, 0xbf], "中文"), undefined, "中文"],
  ["UTF-8 that the server calls Latin-1", bytes("<p>中文"), "iso-8859-1", "<p>中文"],
  ["UTF-8 that the page calls GBK", bytes("<meta charset=gbk>中文"), undefined, "<meta charset=gbk>中文"],
  ["GBK that the server names", bytes(gbk), "GBK", "中文"],
  ["GBK that the page names", bytes('<meta charset="gb2312">', gbk), undefined, '<meta charset="gb2312">中文'],
  ["GBK that the server calls UTF-8", bytes("<meta charset=gbk>", gbk), "utf-8", "<meta charset=gbk>中文"],
  ["GBK that nobody names", bytes("<html lang=zh>", gbk, gbk), undefined, "<html lang=zh>中文中文"],
  ["Big5 that the page names", bytes("<meta charset=big5>", big5), undefined, "<meta charset=big5>中文"],
  ["Big5 of a page from Taiwan", bytes('<html lang="zh-TW">', big5), undefined, '<html lang="zh-TW">中文'],
  ["Shift_JIS that the server names", bytes(shiftJis), "shift_jis", "日本"],
  ["Shift_JIS of a Japanese page", bytes("<html lang=ja>", shiftJis), undefined, "<html lang=ja>日本"],
  [
    "XML that names its charset",
    bytes('<?xml version="1.0" encoding="GBK"?>', gbk),
    undefined,
    '<?xml version="1.0" encoding="GBK"?>中文',
  ],
  ["UTF-16 with a mark", bytes([0xff, 0xfe, 0x2d, 0x4e, 0x87, 0x65]), "utf-8", "中文"],
  ["UTF-16 the other way round", bytes([0xfe, 0xff, 0x4e, 0x2d, 0x65, 0x87]), undefined, "中文"],
  ["UTF-16 that the server names", bytes([0x41, 0, 0x2d, 0x4e]), "utf-16le", "A中"],
  ["an unknown charset", bytes("<p>中文"), "x-made-up", "<p>中文"],
])("%s is read", (_, page, charset, text) => {
  expect(decodePage(page, charset)).toBe(text);
});

// "Москва столица России город" in the two charsets of Russian pages.
const cyrillic = {
  "windows-1251": "cceef1eae2e020f1f2eeebe8f6e020d0eef1f1e8e820e3eef0eee4",
  "koi8-r": "edcfd3cbd7c120d3d4cfcccec3c120f2cfd3d3c9c920c7cfd2cfc4",
};

test.each(Object.entries(cyrillic))("%s that nobody names is read", (charset, hex) => {
  const page = Buffer.from(hex.repeat(3), "hex");
  expect(decodePage(page, undefined)).toBe(new TextDecoder(charset).decode(page));
});

test.each(["utf16le", "swapped"])("UTF-16 without a mark is read, whatever the server names: %s", (order) => {
  const page = Buffer.from("<p>Plain 中文 text", "utf16le");
  expect(decodePage(order === "swapped" ? page.swap16() : page, "utf-8")).toBe("<p>Plain 中文 text");
});

test("one broken byte in a UTF-8 page does not change how the rest is read", () => {
  expect(decodePage(bytes("中文".repeat(100), [0xd6], "中文"), "utf-8")).toBe(`${"中文".repeat(100)}\ufffd中文`);
});

test.each([
  ["text", bytes("plain\ttext\n"), false],
  ["UTF-16 text", bytes([0xff, 0xfe, 0x41, 0, 0x42, 0]), false],
  ["UTF-16 text without a mark", Buffer.from("plain text", "utf16le"), false],
  ["a PNG that says nothing more", bytes([0x89], "PNG\r\n"), true],
  ["a GIF", bytes("GIF89a"), true],
  ["a JPEG", bytes([0xff, 0xd8, 0xff, 0xe0]), true],
  ["a ZIP", bytes("PK", [3, 4], "x".repeat(500)), true],
  ["an image", bytes([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13, 1, 2, 3]), true],
  ["a PNG cut short in its signature", bytes([0x89], "PNG"), true],
  ["a JPEG of two bytes", bytes([0xff, 0xd8]), true],
  ["a few bytes with zeros as UTF-16 has them", bytes([0, 1, 2, 3, 0, 5]), true],
  ["one zero", bytes([0]), true],
  ["a text with a zero", bytes("a", [0], "b"), true],
  ["zeros behind a byte order mark", bytes([0xff, 0xfe, 0, 0, 1, 0]), true],
  ["a program of four bytes", bytes([0x7f], "ELF"), true],
  ["a short text in UTF-16 without a mark", Buffer.from("hi", "utf16le"), false],
  ["a short text in Latin-1", bytes("caf", [0xe9], "\n"), false],
  ["the letters with which a BMP begins", bytes("BM"), false],
  ["nothing", bytes(), false],
])("%s: whether it is binary", (_, data, expected) => {
  expect(isBinary(data)).toBe(expected);
});
