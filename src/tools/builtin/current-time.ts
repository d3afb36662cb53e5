import { toInvalidArgumentsResult, toValueProblem } from "../../core/tools/argument-feedback.ts";
import type { Tool } from "../../core/tools/tool.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { createBuiltinTool, createSuccess } from "../create-tool.ts";

/** `now` is milliseconds since 1970. */
export function createCurrentTime(locale: Locale, now: () => number): Tool {
  return createBuiltinTool({
    name: "current_time",
    description: say(locale, { zh: "查询当前日期、时间和星期", en: "Returns the current date, time and weekday." }),
    inputSchema: {
      type: "object",
      properties: {
        timezone: {
          type: "string",
          description: say(locale, {
            zh: "IANA 时区、城市或 UTC+8（可选，默认本机时区）",
            en: "IANA time zone, city or UTC+8 (optional, default: this machine's)",
          }),
          examples: ["Asia/Shanghai"],
        },
      },
      additionalProperties: false,
    },
    async run(args, context) {
      const wanted = typeof args.timezone === "string" ? args.timezone : undefined;
      const zone = findZone(wanted);
      if (zone !== undefined) return createSuccess(renderTime(now(), zone, context.locale));
      const example = "Asia/Shanghai, Europe/Berlin, UTC";
      const problem = toValueProblem(
        "timezone",
        wanted,
        `必须是 IANA 时区，如 ${example}`,
        `must be an IANA time zone such as ${example}`,
      );
      return toInvalidArgumentsResult(context.locale, [problem]);
    },
  });
}

/** Finds a zone by its IANA name, its UTC offset (`UTC+8`), or its city (`New York`). Returns undefined when there is none. */
function findZone(wanted: string | undefined): string | undefined {
  const name = wanted?.trim() ?? "";
  if (wanted === undefined || /^(local|本地)$/i.test(name)) return resolveZone(undefined);
  const [, sign, hours = "", minutes = "00"] = /^(?:UTC|GMT)?\s*([+-])(\d{1,2})(?::?(\d\d))?$/i.exec(name) ?? [];
  if (sign !== undefined) return resolveZone(`${sign}${hours.padStart(2, "0")}:${minutes}`);
  if (/^(Z|Zulu)$/i.test(name)) return "UTC";
  return resolveZone(name.replaceAll(" ", "_")) ?? resolveZone(findZoneOfCity(name.toLowerCase().replaceAll(" ", "_")));
}

/** Returns the machine's own zone for undefined. */
function resolveZone(name: string | undefined): string | undefined {
  if (name === "") return undefined;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** The IANA zone of all China is named after Shanghai and not after the capital. */
const chinese = /^(asia\/)?(beijing|北京|上海|中国|北京时间)$/;

function findZoneOfCity(city: string): string {
  if (chinese.test(city)) return "Asia/Shanghai";
  return Intl.supportedValuesOf("timeZone").find((zone) => zone.toLowerCase().endsWith(`/${city}`)) ?? "";
}

/** Writes the time in a zone for people, with ISO 8601 on a second line. */
export function renderTime(ms: number, zone: string, locale: Locale): string {
  const offsetMinutes = Math.round((toWallClock(ms, zone) - ms) / 60_000);
  const sign = offsetMinutes < 0 ? "-" : "+";
  const [hours, minutes] = [Math.floor(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60].map((n) =>
    `${n}`.padStart(2, "0"),
  );
  const offset = `${sign}${hours}:${minutes}`;
  const local = new Date(toWallClock(ms, zone)).toISOString().slice(0, 19);
  const weekday = new Intl.DateTimeFormat(say(locale, { zh: "zh-CN", en: "en" }), {
    weekday: "long",
    timeZone: zone,
  }).format(ms);
  const iso = `${local}${offset}`;
  return say(locale, {
    zh: `${local.replace("T", " ")} ${weekday}，时区 ${zone}（UTC${offset}）\nISO 8601: ${iso}`,
    en: `${local.replace("T", " ")}, ${weekday}, time zone ${zone} (UTC${offset})\nISO 8601: ${iso}`,
  });
}

/** Returns the local time of a zone as if it were UTC. It is in whole seconds, so the caller rounds the difference to `ms`. */
function toWallClock(ms: number, zone: string): number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const getPart = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return Date.UTC(
    getPart("year"),
    getPart("month") - 1,
    getPart("day"),
    getPart("hour"),
    getPart("minute"),
    getPart("second"),
  );
}
