import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findTimeZone } from "../../src/kit/time-zone.ts";
import { temporaryFolder } from "../fakes/program.ts";

const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();

test.each([
  ["/usr/share/zoneinfo/Asia/Shanghai", "Asia/Shanghai"],
  ["../usr/share/zoneinfo/America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"],
  ["/var/db/timezone/zoneinfo/Europe/Berlin", "Europe/Berlin"],
  ["/usr/share/zoneinfo/Etc/GMT+5", "Etc/GMT+5"],
  ["/usr/share/zoneinfo/Etc/UTC", "UTC"],
  ["/usr/share/zoneinfo/posix/Asia/Tokyo", timeZone],
  ["/etc/zones/mine", timeZone],
])("a link of the system to %s names the time zone %s", async (target, zone) => {
  const link = join(await temporaryFolder(), "localtime");
  await symlink(target, link);
  expect(findTimeZone(undefined, link)).toBe(zone);
});

test("a variable decides before the link, and without either the runtime is asked", async () => {
  const link = join(await temporaryFolder(), "localtime");
  expect(findTimeZone(undefined, link)).toBe(timeZone);
  await symlink("/usr/share/zoneinfo/Pacific/Kiritimati", link);
  expect(findTimeZone("UTC", link)).toBe(timeZone);
});

test("this system is in the zone that the runtime says", () => {
  expect(findTimeZone(process.env.TZ)).toBe(timeZone);
});
