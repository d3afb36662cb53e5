import * as z from "zod";
import type { AgentEvent } from "../../../core/run/events.ts";
import { conversationEntrySchema, conversationSchema } from "../../../core/schemas/conversation-schema.ts";
import { eventSchema, permissionSchema, phaseSchema, planStepSchema } from "../../../core/schemas/events-schema.ts";
import { operatorSchemas } from "../../../core/schemas/operator-schema.ts";
import { outcomeSchema, statusSchema, stopReasonSchema } from "../../../core/schemas/outcome-schema.ts";
import { ownUsageSchema } from "../../../core/schemas/own-usage-schema.ts";
import { stepResultSchema } from "../../../core/schemas/run-schema.ts";
import { traceSchema } from "../../../core/schemas/trace-schema.ts";
import type { Shape } from "./shape.ts";

// The build runs this file and puts its values in its place (scripts/build/build-page.mjs), so that the page does not carry Zod.

/** Lists the enumerations that the page translates word by word. It accepts any text for the others, which may get more words. */
const translated: ReadonlySet<unknown> = new Set([
  phaseSchema,
  statusSchema,
  stopReasonSchema,
  planStepSchema.shape.state,
]);

export const outcomeShape = toShape(outcomeSchema);

export const eventShapes = Object.fromEntries(
  eventSchema.options.map((option) => [option.shape.type.value, toShape(option)]),
) as Readonly<Record<AgentEvent["type"], Shape>>;

export const traceShape = toShape(traceSchema.pick({ phases: true, steps: true, notes: true, plan: true }));

export const conversationEntryShape = toShape(conversationEntrySchema.pick({ conversation_id: true, title: true }));

/** Describes a run in a conversation and in the list of runs. The page can do without the other fields. */
export const runEntryShape = toShape(conversationSchema.shape.runs.element.pick({ run_id: true, question: true }));

export const turnShape = toShape(conversationSchema.shape.turns.element);

export const sourceShape = toShape(conversationSchema.shape.sources.element);

export const stepResultShape = toShape(stepResultSchema);

export const ownUsageShape = toShape(ownUsageSchema);

export const operatorShapes = Object.fromEntries(
  Object.entries(operatorSchemas).map(([name, schema]) => [name, toShape(schema)]),
) as Readonly<Record<keyof typeof operatorSchemas, Shape>>;

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Leaves out permissions, which the page does not show. Throws for a schema that accepts every value, because a shape cannot say that. */
function toShape(schema: z.ZodType): Shape {
  const json = z.toJSONSchema(schema, {
    io: "input",
    override({ zodSchema, jsonSchema }) {
      if (!translated.has(zodSchema)) delete jsonSchema.enum;
      if (zodSchema === permissionSchema) delete jsonSchema.properties;
    },
  });
  const shape = convert(json);
  if (shape === undefined) throw new Error(`no shape for ${JSON.stringify(json)}`);
  return shape;
}

/** Returns undefined for a schema that accepts every value or is a constant, which are not checked. */
function convert(schema: JsonSchema): Shape | undefined {
  const { type, items, properties, required = [] } = schema;
  if (schema.const !== undefined) return undefined;
  if (schema.enum !== undefined) return schema.enum.join("|");
  if (type === "integer") return "number";
  if (type === "string" || type === "number" || type === "boolean") return type;
  if (type === "array" && isSchema(items)) return convertList(items);
  if (properties === undefined) return undefined;
  const fields: Record<string, Shape> = {};
  for (const [name, property] of Object.entries(properties)) {
    if (!isSchema(property)) continue;
    const { known, isNullable } = splitNull(property);
    const field = convert(known);
    if (field !== undefined) fields[isNullable || !required.includes(name) ? `${name}?` : name] = field;
  }
  return fields;
}

function convertList(items: JsonSchema): Shape | undefined {
  const each = convert(items);
  return each === undefined ? undefined : [each];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Separates `null` from the schema of a value that may be null. */
function splitNull(schema: JsonSchema): { known: JsonSchema; isNullable: boolean } {
  const [first = {}, second] = (schema.anyOf ?? []).filter(isSchema);
  return second?.type === "null" ? { known: first, isNullable: true } : { known: schema, isNullable: false };
}
