import { expect, test } from "vitest";
import { createCurrentTime } from "../../../src/tools/builtin/current-time.ts";
import { testContext } from "../context.ts";

const tell = (timezone: string, locale: "zh" | "en" = "en", at = "2026-11-21T15:04:05.678Z") =>
  createCurrentTime(locale, () => Date.parse(at)).run({ timezone }, testContext({ locale }));

test.each([
  ["UTC", "2026-11-21T15:04:05+00:00"],
  ["Asia/Shanghai", "2026-11-21T23:04:05+08:00"],
  ["Asia/Kolkata", "2026-11-21T20:34:05+05:30"],
  ["America/St_Johns", "2026-11-21T11:34:05-03:30"],
  ["Pacific/Kiritimati", "2026-11-22T05:04:05+14:00"],
])("%s", async (zone, iso) => {
  const { text } = await tell(zone);
  expect(text).toContain(`ISO 8601: ${iso}`);
  expect(Date.parse(iso)).toBe(Date.parse("2026-11-21T15:04:05Z"));
});

test.each([
  ["UTC+8", "+08:00"],
  ["GMT-3:30", "-03:30"],
  ["+8", "+08:00"],
  ["Z", "UTC"],
  ["new york", "America/New_York"],
  ["America/New York", "America/New_York"],
  ["Shanghai", "Asia/Shanghai"],
  ["Beijing", "Asia/Shanghai"],
  ["北京", "Asia/Shanghai"],
])("%s is the zone %s", async (asked, zone) => {
  expect((await tell(asked)).text).toContain(`time zone ${zone} `);
});

test.each(["", " ", "UTC+99", "Atlantis", "/", "../UTC"])("%j is no zone", async (asked) => {
  expect(await tell(asked)).toMatchObject({ ok: false, error: { code: "invalid_arguments" } });
});

test("names the weekday and the zone in the reader's language", async () => {
  expect((await tell("Asia/Shanghai", "zh")).text).toBe(
    "2026-11-21 23:04:05 星期六，时区 Asia/Shanghai（UTC+08:00）\nISO 8601: 2026-11-21T23:04:05+08:00",
  );
  expect((await tell("Asia/Shanghai", "en")).text).toMatch(
    /^2026-11-21 23:04:05, Saturday, time zone Asia\/Shanghai \(UTC\+08:00\)/,
  );
});

test("uses the machine's zone when none is given", async () => {
  const result = await createCurrentTime("en", () => 0).run({}, testContext());
  expect(result.text).toContain(Intl.DateTimeFormat().resolvedOptions().timeZone);
});

test("refuses a zone that does not exist, showing it", async () => {
  const result = await tell("Mars/Olympus", "zh");
  expect(result).toMatchObject({ ok: false, error: { code: "invalid_arguments" } });
  expect(result.text).toContain(
    '- timezone: 必须是 IANA 时区，如 Asia/Shanghai, Europe/Berlin, UTC（当前值: "Mars/Olympus"）',
  );
});
