import { inspect } from "node:util";
import type { ZodObject, z } from "zod";
import { toInvalidArgumentsResult } from "../core/tools/argument-feedback.ts";
import type { ArgumentProblem, Tool, ToolAnnotations, ToolContext } from "../core/tools/tool.ts";
import { DuetError } from "../kit/errors.ts";
import { isRecord, type JsonObject, type JsonSchema } from "../kit/json.ts";
import type { Locale } from "../kit/locale.ts";
import { toShortLine } from "../kit/text/sanitize.ts";
import { createTool } from "./create-tool.ts";
import { toUserToolResult } from "./user-tool-result.ts";

/** Defines a tool as its user writes it: in a program that embeds Duet, or as the default export of a module. */
export interface UserTool<Arguments = JsonObject> {
  /** Consists of 1 to 64 letters, digits, `_` or `-`. */
  name: string;
  /** Tells the model what the tool does and when to use it. */
  description: string;
  /** Is a JSON Schema whose root describes an object, or a Zod 4 object. */
  inputSchema: JsonSchema | ZodObject;
  annotations?: ToolAnnotations;
  /**
   * Gets validated arguments. Gives a text, any JSON value, or MCP content blocks; what it throws reaches the model
   * as the tool's failure.
   */
  run(args: Arguments, context: UserToolContext): unknown;
}

export interface UserToolContext {
  /** Aborts when the run is cancelled or out of time. */
  readonly signal: AbortSignal;
  /** Is the language of the question. */
  readonly locale: Locale;
  /** Tells the reader what the tool is doing. */
  progress(message: string): void;
}

/** Returns the same tool, with its arguments typed by the Zod schema. At run time it is unchanged. */
export function withTypes<Schema extends ZodObject>(
  tool: Omit<UserTool<z.infer<Schema>>, "inputSchema"> & { inputSchema: Schema },
): UserTool<z.infer<Schema>>;
export function withTypes(tool: UserTool): UserTool;
export function withTypes(tool: UserTool): UserTool {
  return tool;
}

/**
 * Converts a user's tool to the agent's form. `described` is used when the tool has no description. Throws a `config` error that
 * names `where` and what is wrong with the tool.
 */
export async function toTool(definition: unknown, where: string, described?: string): Promise<Tool> {
  if (!isRecord(definition)) throw wrongToolError(where, "", definition, "{ name, description, inputSchema, run }");
  const { name, inputSchema, annotations, run } = definition;
  const description = isMissing(definition.description)
    ? (described ?? definition.description)
    : definition.description;
  if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
    throw wrongToolError(where, "name", name, "^[a-zA-Z0-9_-]{1,64}$");
  if (typeof description !== "string") throw wrongToolError(where, "description", description, "string");
  if (!isRecord(inputSchema)) throw wrongToolError(where, "inputSchema", inputSchema, "JSON Schema, Zod 4 object");
  if (typeof run !== "function") throw wrongToolError(where, "run", run, "function");
  const { schema, parse } = await readSchema(inputSchema, where);
  return createTool({
    name,
    description,
    inputSchema: schema,
    source: "user",
    annotations: isRecord(annotations) ? annotations : {},
    async run(args, context) {
      const read = await parse(args);
      if ("problems" in read) return toInvalidArgumentsResult(context.locale, read.problems);
      const given: unknown = await run.call(definition, read.args, toUserToolContext(context));
      return toUserToolResult(given, where, context.locale);
    },
  });
}

function isMissing(description: unknown): boolean {
  return description === undefined || (typeof description === "string" && description.trim() === "");
}

interface ReadSchema {
  schema: JsonSchema;
  /** Parses checked arguments. A Zod schema fills in defaults, transforms values, and has rules of its own. */
  parse(args: JsonObject): Promise<{ args: unknown } | { problems: ArgumentProblem[] }>;
}

async function readSchema(given: Record<string, unknown>, where: string): Promise<ReadSchema> {
  if (!("_zod" in given)) {
    if ("_def" in given) throw wrongToolError(where, "inputSchema", "Zod 3", "JSON Schema, Zod 4 object");
    const { type = "object" } = given;
    if (type !== "object") throw wrongToolError(where, "inputSchema.type", type, "object");
    return { schema: { ...given, type }, parse: async (args) => ({ args }) };
  }
  if (!isZodObject(given)) throw wrongToolError(where, "inputSchema", "Zod", "z.object({ … })");
  const { $schema: _, ...schema } = await toJsonSchema(given);
  return { schema, parse: (args) => parseBy(given, args) };
}

/** Uses the schema's own method where it exists (Zod 4.2 and later), because another copy of the package costs memory. */
async function toJsonSchema(schema: ZodObject): Promise<JsonSchema> {
  const options = { io: "input", unrepresentable: "any" } as const;
  if (typeof schema.toJSONSchema === "function") return schema.toJSONSchema(options);
  const { toJSONSchema } = await import("./schema/zod-schema.ts");
  return toJSONSchema(schema, options);
}

/** Returns a JSON Schema as it is, and that of the values that a Zod object accepts. */
export async function toOutputJsonSchema(schema: JsonSchema | ZodObject): Promise<JsonSchema> {
  return isRecord(schema) && isZodObject(schema) ? toJsonSchema(schema) : { ...schema };
}

/** A rule that JSON Schema cannot express, such as a `refine`, is reported to the model like a failed check. */
async function parseBy(schema: ZodObject, args: JsonObject): ReturnType<ReadSchema["parse"]> {
  const { success: isValid, data, error } = await schema.safeParseAsync(args);
  if (isValid) return { args: data };
  const problems = error.issues.map(({ path, message }) => ({
    path: path
      .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
      .join("")
      .replace(/^\./, ""),
    text: { zh: message, en: message },
  }));
  return { problems };
}

function isZodObject(value: unknown): value is ZodObject {
  return (
    isRecord(value) && isRecord(value.def) && value.def.type === "object" && typeof value.safeParseAsync === "function"
  );
}

function toUserToolContext(context: ToolContext): UserToolContext {
  return { signal: context.signal, locale: context.locale, progress: (message) => context.progress(String(message)) };
}

function wrongToolError(where: string, key: string, value: unknown, allowed: string): DuetError {
  const text = typeof value === "object" ? inspect(value, { depth: 1, breakLength: Infinity }) : String(value);
  const shown = toShortLine(text, 80);
  const place = [where, key].filter((part) => part !== "").join(": ");
  return new DuetError({
    code: "config",
    text: {
      zh: `${place}: ${shown}（允许：${allowed}）`,
      en: `${place}: ${shown} is not allowed (allowed: ${allowed})`,
    },
  });
}
