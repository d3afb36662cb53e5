import type { ZodType } from "zod";
import type { ArgumentProblem } from "../../core/tools/tool.ts";
import { getMessage } from "../../kit/errors.ts";
import { isRecord, type JsonObject, type JsonSchema } from "../../kit/json.ts";
import type { DescribedSchema, StandardIssue, StandardSchema } from "./standard-schema.ts";
import { wrongToolError } from "./wrong-tool.ts";

/** Describes a tool's arguments, and reads them. */
export interface ToolSchema {
  schema: JsonSchema;
  /** Parses checked arguments. A schema of a library fills in defaults, transforms values, and has rules of its own. */
  parse(args: JsonObject): Promise<{ args: unknown } | { problems: ArgumentProblem[] }>;
}

const allowed = "JSON Schema, Zod 4 object, Standard Schema with JSON Schema";

/** Reads the schema that a user has given a tool. Throws a `config` error that names `where` and what is wrong with it. */
export async function readToolSchema(given: unknown, where: string): Promise<ToolSchema> {
  // The schemas of some libraries are functions.
  if (!isRecord(given) && typeof given !== "function") throw wrongToolError(where, "inputSchema", given, allowed);
  if ("_def" in given && !("_zod" in given)) throw wrongToolError(where, "inputSchema", "Zod 3", allowed);
  if (!isStandardSchema(given)) {
    if (typeof given === "function") throw wrongToolError(where, "inputSchema", given, allowed);
    const { type = "object" } = given;
    if (type !== "object") throw wrongToolError(where, "inputSchema.type", type, "object");
    return { schema: { ...given, type }, parse: async (args) => ({ args }) };
  }
  const { $schema: _, ...schema } = await toJsonSchema(given, where);
  if (schema.type !== "object") throw wrongToolError(where, "inputSchema.type", schema.type, "object");
  return { schema, parse: (args) => parseBy(given, args) };
}

/**
 * Returns a JSON Schema as it is, and that of the values that the schema of a library takes. Throws a `config` error that names
 * `place` for a schema that cannot say what it is.
 */
export async function toPlainJsonSchema(given: JsonSchema | StandardSchema, place: string): Promise<JsonSchema> {
  // A program in JavaScript may give anything; what is neither is refused with the schema's other faults.
  if (typeof given !== "object" || given === null) return given;
  return isStandardSchema(given) ? toJsonSchema(given, place, "") : { ...given };
}

async function toJsonSchema(schema: StandardSchema, where: string, key = "inputSchema"): Promise<JsonSchema> {
  const { vendor } = schema["~standard"];
  if (!isDescribed(schema) && !isZod(schema)) throw wrongToolError(where, key, vendor, allowed);
  try {
    return isDescribed(schema) ? describe(schema) : await describeZod(schema);
  } catch (thrown) {
    throw wrongToolError(where, key, getMessage(thrown), allowed);
  }
}

function describe(schema: DescribedSchema): JsonSchema {
  // Dates and the like have no JSON Schema, and are left to the schema's own rules.
  const libraryOptions = { unrepresentable: "any" };
  return schema["~standard"].jsonSchema.input({ target: "draft-2020-12", libraryOptions });
}

/** Describes a schema of Zod before 4.2, which cannot do it by itself. Another copy of the package takes memory. */
async function describeZod(schema: ZodType): Promise<JsonSchema> {
  const { toJSONSchema } = await import("./zod-schema.ts");
  return toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

/** A rule that JSON Schema cannot express, such as a `refine`, is reported to the model like a failed check. */
async function parseBy(schema: StandardSchema, args: JsonObject): ReturnType<ToolSchema["parse"]> {
  const result = await schema["~standard"].validate(args);
  if (result.issues === undefined) return { args: result.value };
  return { problems: result.issues.map(toProblem) };
}

function toProblem({ path = [], message }: StandardIssue): ArgumentProblem {
  const steps = path.map((step) => (typeof step === "object" ? step.key : step));
  const written = steps.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("");
  return { path: written.replace(/^\./, ""), text: { zh: message, en: message } };
}

function isStandardSchema(value: object): value is StandardSchema {
  const standard: unknown = Reflect.get(value, "~standard");
  return isRecord(standard) && standard.version === 1 && typeof standard.validate === "function";
}

function isDescribed(schema: StandardSchema): schema is DescribedSchema {
  const jsonSchema: unknown = Reflect.get(schema["~standard"], "jsonSchema");
  return isRecord(jsonSchema) && typeof jsonSchema.input === "function";
}

function isZod(schema: StandardSchema): schema is StandardSchema & ZodType {
  return schema["~standard"].vendor === "zod" && "_zod" in schema;
}
