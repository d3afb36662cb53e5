import type { Message, ToolCall } from "../../core/messages.ts";
import type { Model, ModelEvent, ModelRequest, ToolDefinition } from "../../core/model.ts";
import type { JsonSchema } from "../../kit/json.ts";
import { createToolNames, type ToolNames } from "../schema/tool-names.ts";
import { toToolSchema } from "../schema/tool-schema.ts";
import type { ModelContext } from "./middleware.ts";

/**
 * Offers tools in the form that the vendor takes: their names, their schemas, and always in the same order, so that a
 * vendor's cache finds them again; those that came late behind the others, as they came. Calls come back under the tools' own names.
 */
export function withToolRequestLimits(next: Model, { settings: { quirks } }: ModelContext): Model {
  const adapted = new WeakMap<JsonSchema, JsonSchema>();
  function adapt(schema: JsonSchema): JsonSchema {
    const known = adapted.get(schema) ?? toToolSchema(schema, quirks.toolDialect);
    adapted.set(schema, known);
    return known;
  }
  return {
    provider: next.provider,
    model: next.model,
    stream(request, signal) {
      if (request.tools.length === 0) return next.stream(request, signal);
      const names = createToolNames(request.tools.map((tool) => tool.name));
      const events = next.stream(offered(request, names, adapt), signal);
      return names.changed ? renaming(events, names) : events;
    },
  };
}

async function* renaming(events: AsyncIterable<ModelEvent>, names: ToolNames): AsyncGenerator<ModelEvent> {
  for await (const event of events) yield returned(event, names);
}

function offered(request: ModelRequest, names: ToolNames, adapt: (schema: JsonSchema) => JsonSchema): ModelRequest {
  const fit = (tool: ToolDefinition): ToolDefinition => ({
    name: names.toVendor(tool.name),
    description: tool.description,
    inputSchema: adapt(tool.inputSchema),
  });
  const tools = [
    ...request.tools
      .filter(({ late }) => !late)
      .map(fit)
      .sort(byName),
    ...request.tools.filter(({ late }) => late).map(fit),
  ];
  return { ...request, tools, messages: request.messages.map((message) => renamed(message, names.toVendor)) };
}

function byName(a: ToolDefinition, b: ToolDefinition): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function renamed(message: Message, rename: (name: string) => string): Message {
  if (message.role === "tool") {
    const tool = rename(message.tool);
    return tool === message.tool ? message : { ...message, tool };
  }
  if (message.role !== "assistant") return message;
  return message.toolCalls.some((call) => rename(call.name) !== call.name)
    ? { ...message, toolCalls: renamedCalls(message.toolCalls, rename) }
    : message;
}

function returned(event: ModelEvent, { fromVendor }: ToolNames): ModelEvent {
  if (event.type !== "turn-end") return event;
  const { turn } = event;
  return {
    ...event,
    turn: { ...turn, message: { ...turn.message, toolCalls: renamedCalls(turn.message.toolCalls, fromVendor) } },
  };
}

function renamedCalls(calls: readonly ToolCall[], rename: (name: string) => string): ToolCall[] {
  return calls.map((call) => ({ ...call, name: rename(call.name) }));
}
