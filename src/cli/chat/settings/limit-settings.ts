import { mergeLimits } from "../../../app/merge-limits.ts";
import type { LimitChanges } from "../../../app/open-duet.ts";
import { describeLimit, type LimitKey, readLimit } from "../../../config/limit-setting.ts";
import { type Locale, say, type Text } from "../../../kit/errors.ts";
import type { Setting } from "./setting.ts";

/** Creates the settings that `/set` offers for the limits of a run. */
export function createLimitSettings(): Setting[] {
  return [
    limit("max_iterations", { key: "maxIterations", changes: "maxIterations" }),
    limit("max_tool_calls", { key: "maxToolCalls", changes: "maxToolCalls" }),
    limit("max_execution_time", {
      key: "maxExecutionTime",
      changes: "maxExecutionTimeMs",
      factor: 1000,
      unit: seconds,
    }),
    limit("token_budget", { key: "tokenBudget", changes: "tokenBudget" }),
    limit("cost_budget", { key: "costBudget", changes: "costBudget", unit: dollars }),
  ];
}

interface Limit {
  key: LimitKey;
  changes: Extract<
    keyof LimitChanges,
    "maxIterations" | "maxToolCalls" | "maxExecutionTimeMs" | "tokenBudget" | "costBudget"
  >;
  /** Converts the typed unit to the limit's own unit: one typed unit is this many of the limit's. */
  factor?: number;
  unit?: Text;
}

const seconds: Text = { zh: "秒", en: "seconds" };
const dollars: Text = { zh: "美元", en: "US dollars" };
const none: Text = { zh: "无", en: "none" };

function limit(word: string, { key, changes, factor = 1, unit }: Limit): Setting {
  const allowed = describeLimit(key, word);
  const withUnit = (locale: Locale): string =>
    unit ? `${allowed[locale]}${unitOf(locale, say(locale, unit))}` : allowed[locale];
  return {
    key: word,
    allowed: { zh: withUnit("zh"), en: withUnit("en") },
    async value({ config, settings }) {
      const value = mergeLimits(config, settings.limits)[changes];
      return value === undefined ? say(settings.locale, none) : String(value / factor);
    },
    async change({ settings }, written) {
      const value = written === undefined ? undefined : readLimit(key, word, written) * factor;
      settings.limits = { ...settings.limits, [changes]: value };
    },
  };
}

function unitOf(locale: Locale, unit: string): string {
  return locale === "zh" ? `（${unit}）` : ` (${unit})`;
}
