import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";
import { describeUnusedSettings, findUnusedSettings } from "../../src/config/unused.ts";

test("what is set and obeyed is not told, and what is told is told in both languages", async () => {
  const nowhere = "/nonexistent";
  const config = await loadConfig({}, { HOME: nowhere, EXA_API_KEY: "x", DUET_HTTP_TOKEN: "token" }, nowhere);
  expect(findUnusedSettings(config)).toEqual([]);
  expect(describeUnusedSettings([])).toBeUndefined();
  expect(describeUnusedSettings(["SMTP_HOST"])).toEqual({
    zh: "已设置但未使用：SMTP_HOST",
    en: "set, but not used: SMTP_HOST",
  });
});

test("a mail server that only the environment names, without a sender, may be meant for others", async () => {
  const nowhere = "/nonexistent";
  const config = await loadConfig({}, { HOME: nowhere, SMTP_HOST: "mail.local" }, nowhere);
  expect(config.email).toBeUndefined();
  expect(findUnusedSettings(config)).toEqual(["SMTP_HOST (SMTP_FROM?)"]);
  const whole = await loadConfig({}, { HOME: nowhere, SMTP_HOST: "mail.local", SMTP_FROM: "a@example.com" }, nowhere);
  expect(whole.email).toMatchObject({ host: "mail.local", from: "a@example.com" });
  expect(findUnusedSettings(whole)).toEqual([]);
});
