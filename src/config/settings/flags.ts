import type { flaggedLimits } from "../../core/limits.ts";
import type { Path } from "../sources/setting-path.ts";
import type { FlagFacts, SettingKind } from "./setting.ts";
import { type fileSettings, settings } from "./settings.ts";

/** Holds the configuration flags of the command line, `--max-tokens` as `maxTokens`. A flag that is not given is absent. */
export type Flags = { config?: string | undefined } & {
  [Row in FlaggedRow as CamelCase<Row["flag"]["name"]>]?: FlagValue<Row> | undefined;
} & { [Name in (typeof flaggedLimits)[number]["flag"] as CamelCase<Name>]?: number | undefined };

type RowsBelow<Rows> = {
  [Key in keyof Rows]: Rows[Key] extends { rows: infer Inner } ? Rows[Key] | RowsBelow<Inner> : Rows[Key];
}[keyof Rows];

type FlaggedRow = Extract<RowsBelow<typeof fileSettings>, { flag: { name: string } }>;

type FlagValue<Row> = Row extends { kind: "switch" } ? boolean : Row extends { kind: "list" } ? string[] : string;

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** Describes the flag of a setting. */
export interface SettingFlag extends FlagFacts {
  /** Names the value in `Flags`. */
  readonly field: keyof Flags;
  /** Is the path that the flag sets. */
  readonly path: Path;
  readonly kind: SettingKind;
  /** Is the line in `--help`. */
  readonly help: string;
}

/** Lists the flags of the settings, in the order of the table. */
export const settingFlags: readonly SettingFlag[] = settings.flatMap(({ flag, path, kind = "text", help }) =>
  flag === undefined
    ? []
    : [{ help: help?.en ?? "", ...flag, path: flag.path ?? path, field: toField(flag.name), kind }],
);

/** Returns the field of a flag. The mapped type above says the same of each. */
function toField(name: string): keyof Flags {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()) as keyof Flags;
}
