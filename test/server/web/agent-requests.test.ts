import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { pageApiFile, writePageApi } from "../../../scripts/page-api.ts";

test("the types of the page's requests are those of the OpenAPI document; `npm run docs` writes them", async () => {
  expect(await readFile(pageApiFile, "utf8")).toBe(writePageApi());
});
