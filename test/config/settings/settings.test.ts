import { expect, test } from "vitest";
import * as z from "zod";
import { chatOptions, type Option, serveOptions, sharedOptions } from "../../../bin/options.ts";
import { toFlags } from "../../../bin/read-options.ts";
import { configurationSchema } from "../../../src/config/schema/file-schema.ts";
import type { SettingKind } from "../../../src/config/settings/setting.ts";
import { settingFlags, settings } from "../../../src/config/settings/settings.ts";
import { findSchema } from "../../../src/core/schemas/describe-schema.ts";
import { isRecord } from "../../../src/kit/json.ts";

const schema = z.toJSONSchema(configurationSchema, { io: "input" });

const typesOfKind: Record<SettingKind, readonly unknown[]> = {
  text: ["string"],
  number: ["integer", "number"],
  switch: ["boolean"],
  model: ["object"],
  list: ["array"],
};

test("what a variable or a flag sets is read as the schema of the setting wants it", () => {
  const given = settings.filter(({ environment, flag }) => environment !== undefined || flag !== undefined);
  expect(given.length).toBeGreaterThan(30);
  const wrong = given.filter(({ path, kind = "text" }) => {
    const node = findSchema(schema, path);
    return !isRecord(node) || !typesOfKind[kind].includes(node.type);
  });
  expect(wrong.map(({ path }) => path.join("."))).toEqual([]);
});

test("every setting that a variable or a flag sets says in both languages what it is", () => {
  const silent = settings.filter(
    ({ environment, flag, help }) => (environment || flag) && !(help?.zh.trim() && help.en.trim()),
  );
  expect(silent).toEqual([]);
});

test("no two settings have the same variable or the same flag", () => {
  const names = [
    ...settings.flatMap(({ environment }) => environment ?? []),
    ...settingFlags.map(({ name }) => `--${name}`),
  ];
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test.each(settingFlags)("--$name is an option of the command line and arrives as $field", ({ name, field, kind }) => {
  const options: Readonly<Record<string, Option>> = { ...sharedOptions, ...chatOptions, ...serveOptions };
  const option = options[name];
  expect(option?.type).toBe(kind === "switch" ? "boolean" : "string");
  expect(option?.describe.zh).toMatch(/\S/);
  expect(option?.describe.en).toMatch(/\S/);
  const value = kind === "switch" ? true : "7";
  expect(toFlags({ [name]: value })[field]).toEqual(kind === "number" ? 7 : kind === "list" ? ["7"] : value);
});
