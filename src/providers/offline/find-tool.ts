import type { ToolDefinition } from "../../core/model.ts";
import { isRecord, type JsonObject, type JsonSchema } from "../../kit/json.ts";

/** A tool on offer and the arguments that it takes. */
export interface MatchingTool {
  tool: string;
  arguments: JsonObject;
}

/** The tool's own name: a server's prefix ends with two underscores. */
export function toOwnName(tool: string): string {
  return tool.slice(tool.lastIndexOf("__") + (tool.includes("__") ? 2 : 0));
}

/** Whether a tool of that name, of whatever server, is one of `names`. */
export function isOneOf(tool: string, names: readonly string[]): boolean {
  return names.includes(tool) || names.includes(toOwnName(tool));
}

/**
 * The first tool on offer under one of these names that takes the arguments: an exact name before a server's, and
 * without the arguments that the tool does not know.
 */
export function findTool(
  tools: readonly ToolDefinition[],
  names: readonly string[],
  args: JsonObject,
): MatchingTool | undefined {
  const candidates = names.flatMap((name) => [
    ...tools.filter((tool) => tool.name === name),
    ...tools.filter((tool) => tool.name !== name && toOwnName(tool.name) === name),
  ]);
  for (const { name, inputSchema } of candidates) {
    const known = knownArguments(args, inputSchema);
    if (known !== undefined) return { tool: name, arguments: known };
  }
  return undefined;
}

/** Undefined when nothing that we have to say fits, or when the tool requires something that we do not have. */
function knownArguments(args: JsonObject, { properties, required }: JsonSchema): JsonObject | undefined {
  const names = isRecord(properties) ? Object.keys(properties) : Object.keys(args);
  const known = Object.fromEntries(Object.entries(args).filter(([name]) => names.includes(name)));
  if (Object.keys(args).length > 0 && Object.keys(known).length === 0) return undefined;
  if (Array.isArray(required) && required.some((name) => !Object.hasOwn(known, String(name)))) return undefined;
  return known;
}
