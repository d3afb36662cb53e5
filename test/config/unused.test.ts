import { expect, test } from "vitest";
import { loadConfig, unusedLine, unusedSettings } from "../../src/config.ts";

test("what is set and not obeyed yet is named as it was set, in both languages; defaults are not", async () => {
  const nowhere = "/nonexistent";
  expect(unusedSettings(await loadConfig({}, { HOME: nowhere }, nowhere))).toEqual([]);
  const config = await loadConfig({}, { HOME: nowhere, EXA_API_KEY: "x", DUET_HTTP_TOKEN: "token" }, nowhere);
  const names = unusedSettings(config);
  expect(names).toEqual(["DUET_HTTP_TOKEN"]);
  expect(unusedLine(names)).toEqual({
    zh: "已设置但此版本尚不使用：DUET_HTTP_TOKEN",
    en: "set, but not used by this version yet: DUET_HTTP_TOKEN",
  });
  expect(unusedLine([])).toBeUndefined();
});
