import * as z from "zod";
import { modelRows } from "../settings/model-settings.ts";
import { serveSettings } from "../settings/serve-settings.ts";
import type { GroupPresence, Setting, SettingGroup, SettingRows } from "../settings/setting.ts";
import { fileSettings, outsideSettings } from "../settings/settings.ts";
import { schemaParts } from "./schema-parts.ts";

/** Is the schema of a row or of a group of the table of settings. */
type SchemaOf<Row> = Row extends { rows: infer Rows; presence: infer Presence extends GroupPresence }
  ? GroupSchema<ObjectSchema<Rows>, Presence>
  : Row extends Setting<infer Schema>
    ? Schema
    : never;

type ObjectSchema<Rows> = z.ZodObject<{ -readonly [Key in keyof Rows]: SchemaOf<Rows[Key]> }, z.core.$strict>;

type GroupSchema<Schema extends z.ZodType, Presence extends GroupPresence> = {
  defaults: z.ZodPrefault<Schema>;
  optional: z.ZodOptional<Schema>;
  named: z.ZodDefault<z.ZodRecord<z.ZodString, Schema>>;
}[Presence];

/** Builds the schema of the rows of the table. */
function toObjectSchema<Rows extends SettingRows>(rows: Rows): ObjectSchema<Rows> {
  const shape = Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, toSchema(row)]));
  // The type is that of the loop: each key has the schema of its row.
  return z.strictObject(shape) as unknown as ObjectSchema<Rows>;
}

function toSchema(row: Setting | SettingGroup): z.ZodType {
  const { help, fileHelp = help && toSentence(help.en) } = row;
  if (!("rows" in row)) return describe(row.schema(schemaParts), fileHelp);
  const schema = toObjectSchema(row.rows);
  if (row.presence === "defaults") return describe(schema, fileHelp).prefault({});
  if (row.presence === "optional") return describe(schema, fileHelp).optional();
  const names = row.names?.(schemaParts) ?? z.string();
  return describe(z.record(names, describe(schema, row.entryHelp)).default({}), fileHelp);
}

function describe<Schema extends z.ZodType>(schema: Schema, description: string | undefined): Schema {
  return description === undefined ? schema : schema.meta({ description });
}

/** Converts a fragment of Markdown to a sentence of plain text. */
function toSentence(markdown: string): string {
  const plain = markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`;
}

export const modelSchema = toObjectSchema(modelRows);
export const serveSchema = toObjectSchema(serveSettings.rows).prefault({});

export const fileSchema = toObjectSchema(fileSettings).meta({ title: "Duet configuration" });

/** Describes the settings of all sources together. The environment and the command line have a few values of their own. */
export const configurationSchema = fileSchema.extend(toObjectSchema(outsideSettings).shape);

/** Turns off compiled parsers for what is parsed once, because compiling takes longer than parsing. */
export const parseOnce = { jitless: true };

/** Holds the merged settings of all sources, with defaults added. */
export type Settings = z.infer<typeof configurationSchema>;

export type ServerEntry = Settings["mcpServers"][string];

export type ModelEntry = z.infer<typeof modelSchema>;

/** Returns the JSON Schema of the configuration file in draft 7, which editors support. */
export function createFileJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(fileSchema, { target: "draft-7", io: "input" }) };
}
