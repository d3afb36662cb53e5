import { expect, test } from "vitest";
import { toSafeUrl } from "../../../src/server/web/safe-url.ts";

test("a page leads to http and https alone", () => {
  expect(toSafeUrl("https://example.com/a b")).toBe("https://example.com/a%20b");
  for (const url of ["javascript:alert(1)", " java\nscript:alert(1)", "data:text/html,x", "file:///etc/passwd", "x"])
    expect(toSafeUrl(url)).toBeUndefined();
});
