import { afterAll, expect } from "vitest";
import type { JsonObject } from "../../../../src/kit/json.ts";
import { createTableQuery } from "../../../../src/tools/builtin/table-query/table-query.ts";
import { withValidation } from "../../../../src/tools/schema/with-validation.ts";
import { createHeavyWork } from "../../../../src/tools/workers/heavy-work.ts";
import { testContext } from "../../context.ts";

export const work = createHeavyWork();
afterAll(() => work.close());

export const query = (args: JsonObject, root = ".", locale: "zh" | "en" = "en") =>
  withValidation(createTableQuery({ roots: [root] }, locale, work)).run(args, testContext({ locale }));

/** Returns the text of an answer, which must be one. */
export async function answer(args: JsonObject, root?: string): Promise<string> {
  const { ok, text } = await query(args, root);
  expect(ok, text).toBe(true);
  return text;
}

/** Returns the lines of the table below its head. */
export async function lines(args: JsonObject): Promise<string[]> {
  const text = await answer(args);
  return text
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(2);
}
