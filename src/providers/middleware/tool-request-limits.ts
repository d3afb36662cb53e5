import { createHash } from "node:crypto";
import type { Message, ToolCall } from "../../core/model/messages.ts";
import {
  type Model,
  type ModelRequest,
  replaceStream,
  type ToolDefinition,
  type Turn,
} from "../../core/model/model.ts";
import type { JsonSchema } from "../../kit/json.ts";
import { toToolSchema } from "../schema/tool-schema.ts";
import type { ModelContext } from "./middleware.ts";

/**
 * Offers tools in the form that the vendor takes: their names, their schemas, and always in the same order, so that a
 * vendor's cache finds them again; those that came late behind the others, as they came. Calls come back under the tools' own names.
 */
export function withToolRequestLimits(next: Model, { settings: { quirks } }: ModelContext): Model {
  const adapted = new WeakMap<JsonSchema, JsonSchema>();
  function adaptSchema(schema: JsonSchema): JsonSchema {
    const known = adapted.get(schema) ?? toToolSchema(schema, quirks.toolDialect);
    adapted.set(schema, known);
    return known;
  }
  return replaceStream(next, async (request, onEvent, signal) => {
    if (request.tools.length === 0) return next.stream(request, onEvent, signal);
    const names = createToolNames(request.tools.map((tool) => tool.name));
    const turn = await next.stream(adaptRequest(request, names, adaptSchema), onEvent, signal);
    return names.changed ? restoreNames(turn, names) : turn;
  });
}

function adaptRequest(
  request: ModelRequest,
  names: ToolNames,
  adapt: (schema: JsonSchema) => JsonSchema,
): ModelRequest {
  const fit = (tool: ToolDefinition): ToolDefinition => ({
    name: names.toVendor(tool.name),
    description: tool.description,
    inputSchema: adapt(tool.inputSchema),
  });
  const { toolChoice } = request;
  return {
    ...request,
    tools: sortTools(request.tools, fit),
    messages: request.messages.map((message) => renameMessage(message, names.toVendor)),
    ...(typeof toolChoice === "object" && { toolChoice: { tool: names.toVendor(toolChoice.tool) } }),
  };
}

/** Returns the tools in the order in which a vendor's cache finds them again. Those that came late stay behind the others. */
export function sortTools(
  tools: readonly ToolDefinition[],
  change: (tool: ToolDefinition) => ToolDefinition = (tool) => tool,
): ToolDefinition[] {
  return [
    ...tools
      .filter(({ late }) => !late)
      .map(change)
      .sort(compareNames),
    ...tools.filter(({ late }) => late).map(change),
  ];
}

function compareNames(a: ToolDefinition, b: ToolDefinition): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function renameMessage(message: Message, rename: (name: string) => string): Message {
  if (message.role === "tool") {
    const tool = rename(message.tool);
    return tool === message.tool ? message : { ...message, tool };
  }
  if (message.role !== "assistant") return message;
  return message.toolCalls.some((call) => rename(call.name) !== call.name)
    ? { ...message, toolCalls: renameCalls(message.toolCalls, rename) }
    : message;
}

function restoreNames(turn: Turn, { fromVendor }: ToolNames): Turn {
  return { ...turn, message: { ...turn.message, toolCalls: renameCalls(turn.message.toolCalls, fromVendor) } };
}

function renameCalls(calls: readonly ToolCall[], rename: (name: string) => string): ToolCall[] {
  return calls.map((call) => ({ ...call, name: rename(call.name) }));
}

/** Maps tool names to names that the vendor accepts, and back. */
interface ToolNames {
  /** Is true when at least one name had to be changed. */
  changed: boolean;
  toVendor(name: string): string;
  /** Returns a name that was never sent to the vendor unchanged. */
  fromVendor(name: string): string;
}

const allowed = /^[a-zA-Z0-9_-]{1,64}$/;

/** Names that every vendor takes stay; others are made to fit, each differently, the same each time. */
export function createToolNames(names: readonly string[]): ToolNames {
  const there = new Map<string, string>();
  const back = new Map<string, string>();
  for (const name of names) {
    if (allowed.test(name)) continue;
    const made = toFittingName(name, names);
    there.set(name, made);
    back.set(made, name);
  }
  return {
    changed: there.size > 0,
    toVendor: (name) => there.get(name) ?? name,
    fromVendor: (name) => back.get(name) ?? name,
  };
}

function toFittingName(name: string, taken: readonly string[]): string {
  const readable = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 55);
  for (let salt = 0; ; salt++) {
    const digest = createHash("sha256")
      .update(`${salt || ""}${name}`)
      .digest("hex")
      .slice(0, 8);
    const made = `${readable}_${digest}`;
    if (!taken.includes(made)) return made;
  }
}
