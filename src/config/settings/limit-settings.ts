import { defaultedLimits, type LimitRow, limitRows, mapLimits, optionalLimits } from "../../core/limits.ts";
import { defineSetting, type SettingFacts } from "./setting.ts";

/** Holds the limits of a run as settings under `agent`. Their rows are in `src/core/limits.ts`. */
export const limitSettings = {
  // Keeps the order of the rows, in which errors list the keys; the entries below replace these.
  ...mapLimits(limitRows, ({ key }) => key, toOptional),
  ...mapLimits(
    defaultedLimits,
    ({ key }) => key,
    (row) => defineSetting(({ limit }) => limit(row).default(row.default), toFacts(row)),
  ),
  ...mapLimits(optionalLimits, ({ key }) => key, toOptional),
};

function toOptional(row: LimitRow) {
  return defineSetting(({ limit }) => limit(row).optional(), toFacts(row));
}

function toFacts({ help, fileHelp, environment, flag, flagPath }: LimitRow): SettingFacts {
  const facts = { help: { zh: toFragment(help.zh), en: toFragment(help.en) }, fileHelp, environment };
  const absent = { zh: "无", en: "none" };
  return { ...facts, absent, kind: "number", flag: flag === undefined ? undefined : { name: flag, path: flagPath } };
}

/** Converts a sentence to the fragment that stands in a table. */
function toFragment(sentence: string): string {
  const start = /^[A-Z]{2}/.test(sentence) ? sentence.charAt(0) : sentence.charAt(0).toLowerCase();
  return `${start}${sentence.slice(1)}`.replace(/[.。]$/, "");
}
