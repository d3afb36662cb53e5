import { expect, test } from "vitest";
import { loadConfig, unusedSettings } from "../../src/config.ts";

test("what is set and not obeyed yet is named as it was set; defaults are not", async () => {
  const nowhere = "/nonexistent";
  expect(unusedSettings(await loadConfig({}, { HOME: nowhere }, nowhere))).toEqual([]);
  const config = await loadConfig({}, { HOME: nowhere, EXA_API_KEY: "x", DUET_HTTP_TOKEN: "token" }, nowhere);
  expect(unusedSettings(config).sort()).toEqual(["DUET_HTTP_TOKEN", "EXA_API_KEY"]);
});
