import type { Tool } from "@modelcontextprotocol/server";
import * as z from "zod";
import { isRecord } from "../../../kit/json.ts";
import { askInput, cancelInput, messageInput, resultInput, unlistedFields } from "../../../runs/ask-schema.ts";

type Schema = Tool["inputSchema"];

/** Holds the schemas of the agent's tools as a list of tools has them. */
export type ListedSchemas = Readonly<Record<"ask" | "result" | "cancel" | "message" | "output", Schema>>;

export async function createListedSchemas(): Promise<ListedSchemas> {
  const { hostOutcomeSchema } = await import("./host-outcome-schema.ts");
  return {
    ask: toListedInput(toSchema(askInput, "input")),
    result: toListedInput(toSchema(resultInput, "input"), ["include"]),
    cancel: toListedInput(toSchema(cancelInput, "input")),
    message: toListedInput(toSchema(messageInput, "input")),
    output: toListedOutput(toSchema(hostOutcomeSchema, "output")),
  };
}

/** Returns the schema without what is not listed. Gateways and adapters that check arguments let that pass all the same. */
function toListedInput(
  { properties, additionalProperties: _, ...rest }: Schema,
  alsoUnlisted: readonly string[] = [],
): Schema {
  const unlisted = [...unlistedFields, ...alsoUnlisted];
  const listed = Object.entries(properties ?? {}).filter(([name]) => !unlisted.includes(name));
  return { ...rest, properties: Object.fromEntries(listed) };
}

/** Holds what stands in the list for fields whose parts `content` tells in words. */
const listedShort: Readonly<Record<string, object>> = {
  error: { type: "object" },
  notices: { type: "array", items: { type: "object" } },
  output: { type: "object" },
  confirmation: { type: "object" },
};

/** Returns the schema without what only says more of its parts: hosts send it to their model with each request. */
function toListedOutput(schema: Schema): Schema {
  const short: Schema = JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => {
      if (Object.hasOwn(listedShort, key)) return listedShort[key];
      if (key === "" || !isRecord(value) || value.type !== "object") return value;
      const { required: _, additionalProperties: __, ...rest } = value;
      return rest;
    }),
  );
  return short;
}

/** Returns a schema in the words that every host knows: no bounds that say nothing to a model, no empty schemas. */
function toSchema(schema: z.ZodType, io: "input" | "output"): Schema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (isRecord(jsonSchema.additionalProperties)) delete jsonSchema.additionalProperties;
      delete jsonSchema.propertyNames;
      // No model comes near these limits, and a text that does is refused with its limit.
      delete jsonSchema.minLength;
      delete jsonSchema.maxLength;
      delete jsonSchema.maxItems;
    },
  });
  const json: Record<string, unknown> = JSON.parse(JSON.stringify(rest));
  return { ...json, type: "object" };
}
