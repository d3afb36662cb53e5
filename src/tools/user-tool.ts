import { toInvalidArgumentsResult } from "../core/tools/argument-feedback.ts";
import type { Tool, ToolAnnotations, ToolContext } from "../core/tools/tool.ts";
import { isRecord, type JsonObject, type JsonSchema } from "../kit/json.ts";
import type { Locale } from "../kit/locale.ts";
import { createTool } from "./create-tool.ts";
import type { InferOutput, StandardSchema } from "./schema/standard-schema.ts";
import { readToolSchema } from "./schema/tool-schema.ts";
import { wrongToolError } from "./schema/wrong-tool.ts";
import { toUserToolResult } from "./user-tool-result.ts";

/** Defines a tool as its user writes it: in a program that embeds Duet, or as the default export of a module. */
export interface UserTool<Arguments = JsonObject> {
  /** Consists of 1 to 64 letters, digits, `_` or `-`. */
  name: string;
  /** Tells the model what the tool does and when to use it. */
  description: string;
  /**
   * Is a JSON Schema whose root describes an object, a Zod 4 object, or a schema of another library that follows the Standard Schema
   * and can say what it is as JSON Schema.
   */
  inputSchema: JsonSchema | StandardSchema;
  annotations?: ToolAnnotations;
  /**
   * Gets validated arguments. Gives a text, any JSON value, or MCP content blocks; what it throws reaches the model
   * as the tool's failure.
   */
  run(args: Arguments, context: UserToolContext): unknown;
}

/** Holds what a tool may use during one call. */
export interface UserToolContext {
  /** Aborts when the run is cancelled or out of time. */
  readonly signal: AbortSignal;
  /** Is the language of the question. */
  readonly locale: Locale;
  /** Tells the reader what the tool is doing. */
  progress(message: string): void;
}

/** Returns the same tool, with its arguments typed by the schema of a library. At run time it is unchanged. */
export function withTypes<Schema extends StandardSchema<unknown, object>>(
  tool: Omit<UserTool<InferOutput<Schema>>, "inputSchema"> & { inputSchema: Schema },
): UserTool<InferOutput<Schema>>;
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
  if (typeof run !== "function") throw wrongToolError(where, "run", run, "function");
  const { schema, parse } = await readToolSchema(inputSchema, where);
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

function toUserToolContext(context: ToolContext): UserToolContext {
  return { signal: context.signal, locale: context.locale, progress: (message) => context.progress(String(message)) };
}
