import { expect, test } from "vitest";
import * as z from "zod";
import { chatOptions, sharedOptions } from "../../bin/options.ts";
import { findSchema } from "../../src/config/schema/describe-schema.ts";
import { settingsSchema } from "../../src/config/schema/file-schema.ts";
import { settingRows } from "../../src/config/setting-rows.ts";

const schema = z.toJSONSchema(settingsSchema, { io: "input" });

test.each(settingRows.map(({ path }) => [path.join("."), path]))("%s of the table is in the schema", (_, path) => {
  expect(findSchema(schema, path)).toBeTypeOf("object");
});

test.each(settingRows.flatMap(({ flag }) => flag ?? []))(
  "--$name of the table is read on the command line",
  ({ name }) => {
    expect(Object.keys({ ...sharedOptions, ...chatOptions })).toContain(name);
  },
);
