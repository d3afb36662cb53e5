import * as z from "zod";
import { isRecord } from "../../kit/json.ts";
import type { GroupPresence, Setting, SettingGroup, SettingRows, ShortForm } from "../settings/setting.ts";
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

/** Adds a description to the schema of a row. `getText` returns it. */
type AddHelp = <Schema extends z.ZodType>(schema: Schema, getText: () => string | undefined) => Schema;

/**
 * Builds the schema of the rows of the table. What values are checked against has no descriptions, because each costs a copy of its
 * schema, and every start of the program would wait for them.
 */
function toObjectSchema<Rows extends SettingRows>(
  rows: Rows,
  addHelp: AddHelp = (schema) => schema,
): ObjectSchema<Rows> {
  const shape = Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, toSchema(row, addHelp)]));
  // The type is that of the loop: each key has the schema of its row.
  return z.strictObject(shape) as unknown as ObjectSchema<Rows>;
}

function toSchema(row: Setting | SettingGroup, addHelp: AddHelp): z.ZodType {
  const getHelp = () => row.fileHelp ?? (row.help && toSentence(row.help.en));
  if (!("rows" in row)) return addHelp(row.schema(schemaParts), getHelp);
  const schema = toObjectSchema(row.rows, addHelp);
  if (row.presence === "defaults") return addHelp(schema, getHelp).prefault({});
  if (row.presence === "optional") return addHelp(schema, getHelp).optional();
  const names = row.names?.(schemaParts) ?? z.string();
  return addHelp(
    z
      .record(
        names,
        addHelp(schema, () => row.entryHelp),
      )
      .default({}),
    getHelp,
  );
}

/** Converts a fragment of Markdown to a sentence of plain text. */
function toSentence(markdown: string): string {
  const plain = markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`;
}

export const fileSchema = toObjectSchema(fileSettings);

export const serveSchema = fileSchema.shape.serve;

/** Describes the settings of all sources together. The environment and the command line have a few values of their own. */
export const configurationSchema = fileSchema.extend(toObjectSchema(outsideSettings).shape);

/** Turns off compiled parsers for what is parsed once, because compiling takes longer than parsing. */
export const parseOnce = { jitless: true };

/** Holds the merged settings of all sources, with defaults added. */
export type Settings = z.infer<typeof configurationSchema>;

export type ServerEntry = Settings["mcpServers"][string];

/** Holds a model as the file has it, before defaults are added. */
export type ModelInput = NonNullable<NonNullable<z.input<typeof fileSchema>["models"]>["functionCall"]>;

/** Returns the JSON Schema of the configuration file in draft 7, which editors support. */
export function createFileJsonSchema(): Record<string, unknown> {
  const described = toObjectSchema(fileSettings, (schema, getText) => {
    const description = getText();
    return description === undefined ? schema : schema.meta({ description });
  });
  const titled = described.meta({ title: "Duet configuration" });
  // Editors know these two of JSON with comments.
  const allowed = { allowComments: true, allowTrailingCommas: true };
  const schema = { ...z.toJSONSchema(titled, { target: "draft-7", io: "input" }), ...allowed };
  return withShortForms(schema, fileSettings, ({ pattern, fileHelp: description }) => ({
    ...{ type: "string", pattern, description },
  }));
}

/** Returns the JSON Schema by which errors say what is allowed. */
export function createAllowedSchema(schema: z.ZodType): Record<string, unknown> {
  return withShortForms({ ...z.toJSONSchema(schema, { io: "input" }) }, fileSettings, ({ words }) => ({ enum: words }));
}

/** Adds the texts that may stand in place of an object. They are read before anything is checked by the schema. */
function withShortForms<Schema>(schema: Schema, rows: SettingRows, toText: (form: ShortForm) => object): Schema {
  const properties = isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};
  for (const [key, row] of Object.entries(rows)) {
    if (!("rows" in row) || properties[key] === undefined) continue;
    const own = withShortForms(properties[key], row.rows, toText);
    properties[key] = row.shortForm === undefined ? own : { anyOf: [toText(row.shortForm), own] };
  }
  return schema;
}
