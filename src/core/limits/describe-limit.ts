import type { Text } from "../../kit/locale.ts";
import { capitalize } from "../../kit/text/capitalize.ts";
import type { Outcome } from "../run/outcome.ts";
import { describeCallsUsed, limitRows } from "./limits.ts";

type Row = (typeof limitRows)[number];
type ReachedLimit = NonNullable<Outcome["limit"]>;

/** Matches the settings that hold a limit: for all runs, for those of an agent beside the main one, or for callers. */
const settingForm = /^(?:agent|agents\.[^.]+\.limits|serve\.limits)\.(?<key>\w+)$/;

/** Returns the row of the limit that a setting holds; undefined for a budget, which several runs share. */
export function findLimitRow(setting = ""): Row | undefined {
  const key = settingForm.exec(setting)?.groups?.key;
  return limitRows.find((row) => row.key === key);
}

/**
 * Says as a sentence which limit ended a run, and what raises it: what the reader does (`how`), or the setting, where the request
 * itself has not set the limit.
 */
export function explainReached({ unit }: Pick<Row, "unit">, limit: ReachedLimit, how?: string): Text {
  const { value, setting, argument } = limit;
  const units = { seconds: [`${value} 秒`, `${value} s`], dollars: [`${value} 美元`, `$${value}`] };
  const [zh, en] = unit === undefined ? [value, value] : units[unit];
  if (how === undefined && argument !== undefined)
    return {
      zh: `上限是 ${zh}，由这次请求的 ${argument} 指定。`,
      en: `The limit is ${en}, as ${argument} of this request says.`,
    };
  return { zh: `上限是 ${zh}，可用 ${how ?? setting} 调高。`, en: `The limit is ${en}; ${how ?? setting} raises it.` };
}

/** Says in the same way that a run has answered from all the calls that it may make. */
export function explainCallsUsed({ value, setting, argument }: ReachedLimit, how?: string): Text {
  const { zh, en } = describeCallsUsed(value);
  if (how === undefined && argument !== undefined)
    return {
      zh: `${zh}（次数由这次请求的 ${argument} 指定）。`,
      en: `${capitalize(en)}, as ${argument} of this request says.`,
    };
  return { zh: `${zh}；可用 ${how ?? setting} 调高。`, en: `${capitalize(en)}; ${how ?? setting} allows more.` };
}
