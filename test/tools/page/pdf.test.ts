import { expect, test } from "vitest";
import { makePdf } from "./make-pdf.ts";
import { pageOf, read } from "./saved.ts";

test("the text of a PDF is that of its pages, in order, in both languages", async () => {
  const pdf = makePdf(
    [
      ["Tide tables of the harbour", "High water at 06:40"],
      ["潮汐表 第二页", "高潮在早上六点四十分"],
    ],
    { title: "潮汐 Tides" },
  );
  const page = pageOf(await read(pdf, { kind: "pdf" }));
  expect(page.title).toBe("潮汐 Tides");
  expect(page.text).toBe("Tide tables of the harbour\nHigh water at 06:40\n\n潮汐表 第二页\n高潮在早上六点四十分");
  expect(page.pages).toEqual({ all: 2, read: 2 });
});

test("of a long PDF the first 200 pages are read", async () => {
  const pdf = makePdf(Array.from({ length: 203 }, (_, n) => [`page ${n + 1}`]));
  const page = pageOf(await read(pdf, { kind: "pdf" }));
  expect(page.pages?.all).toBe(203);
  expect(page.pages?.read).toBeLessThanOrEqual(200);
  expect(page.text).toContain("page 1\n");
  expect(page.text).not.toContain("page 201");
});

test.each([
  ["a password", makePdf([["secret"]], { encrypted: true }), "encrypted"],
  ["pictures only", makePdf([[], []]), "scanned"],
  ["only its first bytes", makePdf([["x"]]).subarray(0, 20), "broken-pdf"],
])("a PDF with %s is told as that", async (_, pdf, problem) => {
  expect(await read(pdf, { kind: "pdf" })).toEqual({ problem });
});
