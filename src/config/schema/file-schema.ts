import * as z from "zod";
import { isRecord } from "../../kit/json.ts";
import type { Setting, SettingGroup, SettingRows, ShortForm } from "../settings/setting.ts";
import { fileSettings, outsideSettings } from "../settings/settings.ts";
import { absentGroups } from "./absent-groups.ts";
import { type SchemaOf, toNamedSchema, toObjectSchema, toSchema } from "./object-schema.ts";

/** Is the schema of a row of the file. What a group is checked against is built when one is there. */
type FileSchemaOf<Row> =
  SchemaOf<Row> extends z.ZodPrefault<infer Schema>
    ? z.ZodDefault<z.ZodLazy<Schema>>
    : SchemaOf<Row> extends z.ZodDefault<infer Named extends z.ZodRecord>
      ? z.ZodDefault<z.ZodLazy<Named>>
      : SchemaOf<Row>;

type FileRows = typeof fileSettings;

function toFileShape(): { -readonly [Key in keyof FileRows]: FileSchemaOf<FileRows[Key]> } {
  const shape = Object.entries<Setting | SettingGroup>(fileSettings).map(([key, row]) => {
    const getDefaults = absentGroups[key];
    if (!("rows" in row)) return [key, toSchema(row)];
    if (row.presence === "named") return [key, z.lazy(() => toNamedSchema(row)).default({})];
    if (getDefaults === undefined) return [key, toSchema(row)];
    return [key, z.lazy(() => toObjectSchema(row.rows)).default(getDefaults)];
  });
  // The type is that of the loop: each key has the schema of its row.
  return Object.fromEntries(shape);
}

export const fileSchema = z.strictObject(toFileShape());

export const serveSchema = fileSchema.shape.serve;

/** Describes the settings of all sources together. The environment and the command line have a few values of their own. */
export const configurationSchema = fileSchema.extend(toObjectSchema(outsideSettings).shape);

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
