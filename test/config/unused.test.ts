import { expect, test } from "vitest";
import { loadConfig, unusedLine, unusedSettings } from "../../src/config.ts";

test("what is set and not obeyed yet is named as it was set; defaults are not", async () => {
  const nowhere = "/nonexistent";
  expect(unusedSettings(await loadConfig({}, { HOME: nowhere }, nowhere))).toEqual([]);
  const config = await loadConfig({}, { HOME: nowhere, EXA_API_KEY: "x", DUET_HTTP_TOKEN: "token" }, nowhere);
  expect(unusedSettings(config).sort()).toEqual(["DUET_HTTP_TOKEN", "EXA_API_KEY"]);
});

test("which sources count can be said, and the line is in both languages", async () => {
  const nowhere = "/nonexistent";
  const embedding = { name: "code", settings: { tools: { ask: ["*"] } } };
  const config = await loadConfig({}, { HOME: nowhere, EXA_API_KEY: "x" }, nowhere, embedding);
  const names = unusedSettings(config, ({ from }) => from === "code");
  expect(names).toEqual(["tools.ask"]);
  expect(unusedLine(names)).toEqual({
    zh: "已设置但此版本尚不使用：tools.ask",
    en: "set, but not used by this version yet: tools.ask",
  });
  expect(unusedLine([])).toBeUndefined();
});
