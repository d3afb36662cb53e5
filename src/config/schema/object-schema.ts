import * as z from "zod";
import type { GroupPresence, Setting, SettingGroup, SettingRows } from "../settings/setting.ts";
import { schemaParts } from "./schema-parts.ts";

/** Is the schema of a row or of a group of the table of settings. */
export type SchemaOf<Row> = Row extends { rows: infer Rows; presence: infer Presence extends GroupPresence }
  ? GroupSchema<ObjectSchema<Rows>, Presence>
  : Row extends Setting<infer Schema>
    ? Schema
    : never;

export type ObjectSchema<Rows> = z.ZodObject<{ -readonly [Key in keyof Rows]: SchemaOf<Rows[Key]> }, z.core.$strict>;

type GroupSchema<Schema extends z.ZodType, Presence extends GroupPresence> = {
  defaults: z.ZodPrefault<Schema>;
  optional: z.ZodOptional<Schema>;
  named: z.ZodDefault<z.ZodRecord<z.ZodString, Schema>>;
}[Presence];

/** Adds a description to the schema of a row. `getText` returns it. */
type AddHelp = <Schema extends z.ZodType>(schema: Schema, getText: () => string | undefined) => Schema;

/**
 * Builds the schema of the rows of the table. What values are checked against has no descriptions, because each costs a copy of its
 * schema, and every start of the program would wait for them.
 */
export function toObjectSchema<Rows extends SettingRows>(
  rows: Rows,
  addHelp: AddHelp = (schema) => schema,
): ObjectSchema<Rows> {
  const shape = Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, toSchema(row, addHelp)]));
  // The type is that of the loop: each key has the schema of its row.
  return z.strictObject(shape) as unknown as ObjectSchema<Rows>;
}

/** Builds the schema of a row or of a group. */
export function toSchema(row: Setting | SettingGroup, addHelp: AddHelp = (schema) => schema): z.ZodType {
  const getHelp = () => row.fileHelp ?? (row.help && toSentence(row.help.en));
  if (!("rows" in row)) return addHelp(row.schema(schemaParts), getHelp);
  if (row.presence === "named") return addHelp(toNamedSchema(row, addHelp).default({}), getHelp);
  const schema = toObjectSchema(row.rows, addHelp);
  if (row.presence === "defaults") return addHelp(schema, getHelp).prefault({});
  return addHelp(schema, getHelp).optional();
}

/** Builds the schema of a group whose keys are names that people choose, without its default. */
export function toNamedSchema(row: SettingGroup, addHelp: AddHelp = (schema) => schema) {
  const names = row.names?.(schemaParts) ?? z.string();
  const schema = addHelp(toObjectSchema(row.rows, addHelp), () => row.entryHelp);
  return z.record(names, schema);
}

/** Converts a fragment of Markdown to a sentence of plain text. */
function toSentence(markdown: string): string {
  const plain = markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`;
}

/** Turns off compiled parsers for what is parsed once, because compiling takes longer than parsing. */
export const parseOnce = { jitless: true };
