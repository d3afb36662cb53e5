import { expect, test } from "vitest";
import { decodeBase64, readDataUrl } from "../../src/kit/base64.ts";

test("base64 is read with and without padding, with line breaks, and in its form for URLs", () => {
  const bytes = Buffer.from([0xfb, 0xff, 0xfe, 1]);
  for (const written of ["+//+AQ==", "+//+AQ", "+//+\n  AQ==\n", "-__-AQ"])
    expect(decodeBase64(written)).toEqual(bytes);
});

test.each(["", " ", "A", "AAAAA", "QUJD!", "QU=JD", "/tmp/picture.png"])("%j is no base64", (written) => {
  expect(decodeBase64(written)).toBeUndefined();
});

test("a data: address in base64 has a type, which may be missing, and parameters, which are left out", () => {
  const bytes = Buffer.from("ABC");
  expect(readDataUrl("data:image/PNG;base64,QUJD")).toEqual({ mediaType: "image/png", bytes });
  expect(readDataUrl("DATA:text/csv;charset=utf-8;BASE64,QUJD")).toEqual({ mediaType: "text/csv", bytes });
  expect(readDataUrl("data:;base64,QUJD")).toEqual({ mediaType: undefined, bytes });
  for (const other of ["data:text/plain,ABC", "data:image/png;base64,", "data:image/png;base64,?", "QUJD"])
    expect(readDataUrl(other)).toBeUndefined();
});
