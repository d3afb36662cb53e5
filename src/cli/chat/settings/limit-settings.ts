import { mergeLimits } from "../../../app/merge-limits.ts";
import { describeLimit, readLimit } from "../../../config/limit-setting.ts";
import { settableLimits, unitNames } from "../../../core/limits.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import type { Setting } from "./setting.ts";

/** Creates the settings that `/set` offers for the limits of a run. */
export function createLimitSettings(): Setting[] {
  return settableLimits.map(toLimitSetting);
}

const none: Text = { zh: "无", en: "none" };

function toLimitSetting({ key, field, set: word, factor = 1, unit }: (typeof settableLimits)[number]): Setting {
  const allowed = describeLimit(key, word);
  const withUnit = (locale: Locale): string =>
    unit ? `${allowed[locale]}${renderUnit(locale, say(locale, unitNames[unit]))}` : allowed[locale];
  return {
    key: word,
    allowed: { zh: withUnit("zh"), en: withUnit("en") },
    async value({ config, settings }) {
      const value = mergeLimits(config, settings.limits)[field];
      return value === undefined ? say(settings.locale, none) : String(value / factor);
    },
    async change({ settings }, written) {
      const value = written === undefined ? undefined : readLimit(key, word, written) * factor;
      settings.limits = { ...settings.limits, [field]: value };
    },
  };
}

function renderUnit(locale: Locale, unit: string): string {
  return locale === "zh" ? `（${unit}）` : ` (${unit})`;
}
