import { explainCallsUsed, explainReached, findLimitRow } from "../core/limits/describe-limit.ts";
import type { LimitRow } from "../core/limits/limit-row.ts";
import type { Outcome } from "../core/run/outcome.ts";
import { type Locale, say } from "../kit/locale.ts";

/** Says how the reader of a line changes settings: with a command of the chat, a flag, or by the name of the setting. */
export type SettingPlace = "chat" | "flag" | "setting";

/** Is how many times the limit that was reached is suggested. */
const suggestedFactor = 4;

/** Says which setting raises the limit that ended a run, as a sentence. Returns an empty text where there is none. */
export function describeRaise({ limit }: Pick<Outcome, "limit">, place: SettingPlace, locale: Locale): string {
  const row = findLimitRow(limit?.setting);
  if (limit === undefined || row === undefined) return "";
  return say(locale, explainReached(row, limit, describeChange(row, limit, place)));
}

/** Tells that a run has made all its calls, where the answer is complete as far as anybody knows. */
export function renderCallsUsed(
  { status, limit }: Pick<Outcome, "status" | "limit">,
  place: SettingPlace,
  locale: Locale,
): string | undefined {
  const row = findLimitRow(limit?.setting);
  if (status !== "complete" || limit === undefined || row === undefined) return undefined;
  return `ℹ ${say(locale, explainCallsUsed(limit, describeChange(row, limit, place)))}`;
}

/** Says what the reader does to raise a limit. Returns undefined where only the setting itself changes it. */
function describeChange(
  row: LimitRow,
  { value }: Pick<NonNullable<Outcome["limit"]>, "value">,
  place: SettingPlace,
): string | undefined {
  const most = row.ceiling ?? ("most" in row.range ? row.range.most : undefined) ?? Number.POSITIVE_INFINITY;
  const suggested = Math.min(most, value * suggestedFactor);
  if (place === "flag") return row.flag && `--${row.flag} ${suggested}`;
  if (place === "setting") return undefined;
  // The output of a model is set with its other parameters, under the same word.
  const word = row.set ?? row.ask;
  return word && `/set ${word} ${suggested}`;
}
