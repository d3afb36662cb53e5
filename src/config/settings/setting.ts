import type { ZodType } from "zod";
import type { Text } from "../../kit/locale.ts";
import type { SchemaParts } from "../schema/schema-parts.ts";
import type { Path } from "../sources/setting-path.ts";

/**
 * Describes a setting beside its schema. The file's schema, the reader of the environment, the flags with their help, and the
 * tables in docs/ derive from it.
 */
export interface SettingFacts {
  /** Says what is set, as a fragment of Markdown for docs/. It is absent for keys of other hosts, which Duet ignores. */
  readonly help?: Text;
  /** Replaces `help` in the schema of the configuration file. */
  readonly fileHelp?: string;
  /** Says in docs/ what holds where the setting is absent. The default of the schema needs no such text. */
  readonly absent?: Text;
  /** Says how a variable or a flag is read, which is as text when absent. A model of a variable is JSON. */
  readonly kind?: SettingKind;
  readonly environment?: string;
  readonly flag?: FlagFacts;
  /** Describes the text that the file may have in place of the object of a group. Whoever reads the file makes the object of it. */
  readonly shortForm?: ShortForm;
}

export interface ShortForm {
  /** Lists the words in which an error says what is allowed. */
  readonly words: readonly string[];
  /** Matches the texts, for editors. */
  readonly pattern: string;
  readonly fileHelp: string;
}

export type SettingKind = "text" | "number" | "switch" | "model" | "list";

export interface FlagFacts {
  /** Is the name without its dashes. */
  readonly name: string;
  /** Is the line in `--help`, for which `help` stands when absent. */
  readonly help?: Text;
  readonly choices?: readonly string[];
  /** Is the help of `--no-…`. A switch without it can only be turned on. */
  readonly negation?: Text;
  /** Is true when the flag adds to the list of the file instead of replacing it. */
  readonly addsToFile?: true;
  /** Is the path that the flag sets, where that is not the setting itself. */
  readonly path?: Path;
  /** Names the only command that has the flag. All have it when absent. */
  readonly command?: "chat" | "serve";
}

/** Builds its schema when it is asked to, so that the table can be read without Zod. */
export interface Setting<Schema extends ZodType = ZodType> extends SettingFacts {
  readonly schema: (parts: SchemaParts) => Schema;
}

/** Holds settings by their keys. A group is an object of the file, and `presence` says how its schema treats its absence. */
export interface SettingGroup<Rows = SettingRows, Presence extends GroupPresence = GroupPresence> extends SettingFacts {
  readonly rows: Rows;
  readonly presence: Presence;
  /** Describes one object of a `named` group in the schema of the file. */
  readonly entryHelp?: string;
  /** Builds the schema of the names of a `named` group, which holds any number of such objects. */
  readonly names?: (parts: SchemaParts) => ZodType<string, string>;
}

export type GroupPresence = "defaults" | "optional" | "named";

export interface SettingRows {
  readonly [key: string]: Setting | SettingGroup;
}

export function defineSetting<Schema extends ZodType, const Facts extends SettingFacts>(
  schema: (parts: SchemaParts) => Schema,
  facts: Facts,
): Setting<Schema> & Facts {
  return { ...facts, schema };
}

/** Defines an object of the file that has the defaults of its settings when it is absent. */
export function defineGroup<Rows>(rows: Rows, facts: SettingFacts = {}): SettingGroup<Rows, "defaults"> {
  return { ...facts, rows, presence: "defaults" };
}

/** Defines an object of the file that may be absent. */
export function defineOptionalGroup<Rows, const Facts extends SettingFacts>(
  rows: Rows,
  facts: Facts,
): SettingGroup<Rows, "optional"> & Facts {
  return { ...facts, rows, presence: "optional" };
}

/** Defines an object of the file whose keys are names that people choose. */
export function defineNamedGroup<Rows>(
  names: (parts: SchemaParts) => ZodType<string, string>,
  rows: Rows,
  facts: { readonly fileHelp?: string; readonly entryHelp?: string },
): SettingGroup<Rows, "named"> {
  return { ...facts, rows, presence: "named", names };
}

export interface SettingAtPath extends SettingFacts {
  readonly path: Path;
}

/** Lists the settings of a table with their paths. `NAME` stands for names that people choose. */
export function listSettings(rows: SettingRows, path: Path = []): SettingAtPath[] {
  return Object.entries(rows).flatMap(([key, row]): SettingAtPath[] => {
    const own = [...path, key];
    if (!("rows" in row)) return [{ ...row, path: own }];
    const inner = listSettings(row.rows, row.presence === "named" ? [...own, "NAME"] : own);
    return row.help === undefined ? inner : [{ ...row, path: own }, ...inner];
  });
}
