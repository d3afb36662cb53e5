import { describeCallsUsed, limitRows } from "../core/limits/limits.ts";
import type { Outcome } from "../core/run/outcome.ts";
import { type Locale, say } from "../kit/locale.ts";
import { capitalize } from "../kit/text/capitalize.ts";

/** Says how the reader of a line changes settings: with a command of the chat, a flag, or by the name of the setting. */
export type SettingPlace = "chat" | "flag" | "setting";

/** Is how many times the limit that was reached is suggested. */
const suggestedFactor = 4;

/** Lists where a limit is set: by the operator for all runs, or for those of callers. */
export const limitPlaces = ["agent", "serve.limits"];

/** Says which setting raises the limit that ended a run, as a sentence. Returns an empty text where there is none. */
export function describeRaise({ limit }: Pick<Outcome, "limit">, place: SettingPlace, locale: Locale): string {
  const row = limitRows.find(({ key }) => limitPlaces.some((place) => `${place}.${key}` === limit?.setting));
  if (limit === undefined || row === undefined) return "";
  const { value } = limit;
  const units = { seconds: [`${value} 秒`, `${value} s`], dollars: [`${value} 美元`, `$${value}`] };
  const [zh, en] = row.unit === undefined ? [value, value] : units[row.unit];
  if (place === "setting" && limit.argument !== undefined) {
    const { argument } = limit;
    return say(locale, {
      zh: `上限是 ${zh}，由这次请求的 ${argument} 指定。`,
      en: `The limit is ${en}, as ${argument} of this request says.`,
    });
  }
  const how = describeChange(row, Math.min(getMost(row), value * suggestedFactor), place) ?? limit.setting;
  return say(locale, { zh: `上限是 ${zh}，可用 ${how} 调高。`, en: `The limit is ${en}; ${how} raises it.` });
}

type Row = (typeof limitRows)[number];

function getMost(row: Row): number {
  return ("ceiling" in row ? row.ceiling : row.range.most) ?? Number.POSITIVE_INFINITY;
}

/** Returns undefined where only the setting itself changes the limit. */
function describeChange(row: Row, value: number, place: SettingPlace): string | undefined {
  if (place === "flag") return "flag" in row ? `--${row.flag} ${value}` : undefined;
  if (place === "setting") return undefined;
  // The output of a model is set with its other parameters, under the same word.
  const word = "set" in row ? row.set : "ask" in row ? row.ask : undefined;
  return word && `/set ${word} ${value}`;
}

/** Tells that a run has made all its calls, where the answer is complete as far as anybody knows. */
export function renderCallsUsed(outcome: Outcome, place: SettingPlace, locale: Locale): string | undefined {
  if (outcome.status !== "complete" || outcome.limit === undefined) return undefined;
  const { zh, en } = describeCallsUsed(outcome.limit.value);
  const advice = describeRaise(outcome, place, locale);
  return say(locale, { zh: `ℹ ${zh}。${advice}`, en: `ℹ ${capitalize(en)}. ${advice}` });
}
