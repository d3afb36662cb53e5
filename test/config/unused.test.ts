import { expect, test } from "vitest";
import { loadConfig, unusedLine, unusedSettings } from "../../src/config.ts";

test("what is set and not obeyed yet is named as it was set, in both languages; defaults are not", async () => {
  const nowhere = "/nonexistent";
  expect(unusedSettings(await loadConfig({}, { HOME: nowhere }, nowhere))).toEqual([]);
  const config = await loadConfig({}, { HOME: nowhere, EXA_API_KEY: "x", DUET_HTTP_TOKEN: "token" }, nowhere);
  const names = unusedSettings(config);
  expect(names).toEqual(["DUET_HTTP_TOKEN"]);
  expect(unusedLine(names)).toEqual({
    zh: "已设置但未使用：DUET_HTTP_TOKEN",
    en: "set, but not used: DUET_HTTP_TOKEN",
  });
  expect(unusedLine([])).toBeUndefined();
});

test("a mail server that only the environment names, without a sender, may be meant for others", async () => {
  const nowhere = "/nonexistent";
  const config = await loadConfig({}, { HOME: nowhere, SMTP_HOST: "mail.local" }, nowhere);
  expect(config.email).toBeUndefined();
  expect(unusedSettings(config)).toEqual(["SMTP_HOST (SMTP_FROM?)"]);
  const whole = await loadConfig({}, { HOME: nowhere, SMTP_HOST: "mail.local", SMTP_FROM: "a@example.com" }, nowhere);
  expect(whole.email).toMatchObject({ host: "mail.local", from: "a@example.com" });
  expect(unusedSettings(whole)).toEqual([]);
});
