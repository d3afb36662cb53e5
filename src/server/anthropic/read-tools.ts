import type { ClientToolDefinition } from "../../core/client-tools.ts";
import type { ToolChoice } from "../../core/model/model.ts";
import type { Text } from "../../kit/locale.ts";
import { fieldRefusedError } from "../model-api/field-refused-error.ts";

/** Represents a tool as a client sends it. */
export interface WireTool {
  type?: string | null | undefined;
  name: string;
  description?: string | null | undefined;
  input_schema?: Record<string, unknown> | null | undefined;
}

export interface WireChoice {
  type: "auto" | "any" | "tool" | "none";
  name?: string | null | undefined;
  disable_parallel_tool_use?: boolean | null | undefined;
}

/** Holds the tools of a request: those that the client runs, and what it wants of ours. */
export interface ReadTools {
  own: ClientToolDefinition[];
  /** Holds the place of each of them among the tools of the request. */
  places: number[];
  /** Is true when the client offers Anthropic's web search, in whose place ours is. */
  isSearch: boolean;
  notes: Text[];
}

/** Reads the tools of a request. Throws `HttpRefusalError` (400) for a tool of the client without a schema. */
export function readTools(tools: readonly WireTool[]): ReadTools {
  const read: ReadTools = { own: [], places: [], isSearch: false, notes: [] };
  for (const [index, { type, name, description, input_schema: schema }] of tools.entries()) {
    if (type === undefined || type === null || type === "custom") {
      if (!schema) throw fieldRefusedError(`tools[${index}].input_schema`, noSchema);
      read.own.push({ name, description: description ?? "", inputSchema: schema });
      read.places.push(index);
    } else if (type.startsWith("web_search_")) read.isSearch = true;
    else read.notes.push(describeUnusedTool(type));
  }
  return read;
}

/** Returns what the client wants of the calls. Throws `HttpRefusalError` (400) where a tool is to be called that has no name. */
export function readToolChoice(choice: WireChoice | null | undefined): ToolChoice | undefined {
  if (!choice || choice.type === "auto") return undefined;
  if (choice.type === "any") return "required";
  if (choice.type === "none") return "none";
  if (!choice.name) throw fieldRefusedError("tool_choice.name", noName);
  return { tool: choice.name };
}

/** Names a field of a tool in a request, as a path. */
export function toToolField(index: number, field: "name" | "inputSchema"): string {
  return `tools[${index}].${field === "name" ? "name" : "input_schema"}`;
}

const noSchema: Text = { zh: "缺少（允许：JSON Schema）", en: "is missing (allowed: a JSON Schema)" };

const noName: Text = { zh: "缺少（允许：工具的名称）", en: "is missing (allowed: the name of a tool)" };

function describeUnusedTool(type: string): Text {
  const shown = type.slice(0, 100);
  return {
    zh: `Duet 没有 Anthropic 的工具 ${shown}，已忽略。`,
    en: `Anthropic's tool ${shown} is not used: Duet does not have it.`,
  };
}
