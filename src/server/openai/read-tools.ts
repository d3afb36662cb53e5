import * as z from "zod";
import type { ClientToolCall, ClientToolDefinition } from "../../core/client-tools.ts";
import type { ToolChoice } from "../../core/model/model.ts";
import { isRecord, toText } from "../../kit/json.ts";
import { describeNoTool } from "../model-api/check-tool-choice.ts";
import { fieldRefusedError } from "../model-api/field-refused-error.ts";

/** Is a tool as a client sends it. */
export const wireTool = z.looseObject({
  type: z.literal("function"),
  function: z.looseObject({
    name: z.string(),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
  }),
});

/** Reads the tools of a request. Their names and schemas are checked where they are opened. */
export function readTools(tools: readonly z.infer<typeof wireTool>[]): ClientToolDefinition[] {
  return tools.map(({ function: { name, description, parameters } }) => ({
    name,
    description: description ?? "",
    inputSchema: { type: "object", ...(parameters ?? { properties: {} }) },
  }));
}

/** Names a field of a tool in a request, as a path. */
export function toToolField(index: number, field: "name" | "inputSchema"): string {
  return `tools[${index}].function.${field === "name" ? "name" : "parameters"}`;
}

export interface ReadToolChoice {
  choice: ToolChoice | undefined;
  /** Names the only tools of the client that may be called; absent where all may. */
  allowed?: ReadonlySet<string>;
}

/** Throws `HttpRefusalError` (400) for a choice that there is not. */
export function readToolChoice(written: unknown): ReadToolChoice {
  if (written === undefined || written === null) return { choice: undefined };
  if (written === "auto" || written === "none" || written === "required") return { choice: written };
  const { type, function: named, allowed_tools: list } = isRecord(written) ? written : {};
  if (type === "function" && isRecord(named) && typeof named.name === "string") return { choice: { tool: named.name } };
  if (type === "allowed_tools" && isRecord(list) && Array.isArray(list.tools)) {
    const names = list.tools.flatMap((tool) => (isRecord(tool) && isRecord(tool.function) ? [tool.function.name] : []));
    return { choice: list.mode === "required" ? "required" : "auto", allowed: new Set(names.map(toText)) };
  }
  const shown = JSON.stringify(written).slice(0, 100);
  throw fieldRefusedError("tool_choice", {
    zh: `${shown} 不可用（允许：auto、none、required，或 { type: "function", function: { name } }）`,
    en: `${shown} (allowed: auto, none, required, or { type: "function", function: { name } })`,
  });
}

/** Throws `HttpRefusalError` (400) where a tool may be called alone that the request does not bring. */
export function checkAllowed(allowed: ReadonlySet<string> | undefined, tools: readonly ClientToolDefinition[]): void {
  const names = tools.map(({ name }) => name);
  const unknown = [...(allowed ?? [])].find((name) => !names.includes(name));
  if (unknown !== undefined) throw fieldRefusedError("tool_choice", describeNoTool(unknown, names));
}

/** Reads the calls of an assistant's message. What is no call of a function is left out. */
export function readCalls(calls: unknown): ClientToolCall[] {
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call) => {
    if (!isRecord(call) || !isRecord(call.function)) return [];
    const { name, arguments: written } = call.function;
    return [{ id: toText(call.id), name: toText(name), argumentsText: toText(written) }];
  });
}
