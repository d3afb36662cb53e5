import { type CallToolResult, isSpecType, type Tool as ListedTool } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Tool } from "../../../core/tools/tool.ts";
import { createSearchSchema, renderToolSources } from "../../../core/tools/tool-search.ts";
import type { JsonObject, JsonValue } from "../../../kit/json.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { readInput } from "../read-input.ts";

/** These are the names of the two tools that replace a list that would be too long. */
export const findName = "find_tools";
export const callName = "call_tool";

const mostFound = 20;
const usuallyFound = 8;

/** Creates the two tools that find and call the others. */
export function createSearchTools(tools: readonly Tool[], locale: Locale): ListedTool[] {
  const count = tools.length;
  const sources = renderToolSources(tools, locale);
  const find = {
    zh: `按名称、说明和参数在 ${count} 个工具中查找（各来源的工具数：${sources}）。给出名称、说明和 inputSchema；随后用 ${callName} 调用。`,
    en: `Searches ${count} tools by name, description and parameters (tools by source: ${sources}). Returns names, descriptions and input schemas; then call one with ${callName}.`,
  };
  const call = {
    zh: `调用 ${findName} 找到的一个工具。arguments 须符合该工具的 inputSchema。`,
    en: `Calls a tool found by ${findName}. The arguments must match that tool's inputSchema.`,
  };
  return [
    {
      name: findName,
      title: say(locale, { zh: "查找工具", en: "Find tools" }),
      description: say(locale, find),
      inputSchema: { ...createSearchSchema(locale, { usual: usuallyFound, most: mostFound }), type: "object" },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    {
      name: callName,
      title: say(locale, { zh: "调用工具", en: "Call a tool" }),
      description: say(locale, call),
      inputSchema: {
        type: "object",
        properties: { name: { type: "string" }, arguments: { type: "object" } },
        required: ["name"],
        additionalProperties: false,
      },
      // What it does is what the tool does, so it promises nothing.
      annotations: { readOnlyHint: false, idempotentHint: false, openWorldHint: true },
    },
  ];
}

const findArguments = z.strictObject({
  query: z.string().trim().min(1).max(1000),
  limit: z.int().min(1).max(mostFound).default(usuallyFound),
});

/** Returns the search arguments, or a text that says what is wrong with them. */
export function readFind(args: JsonObject, locale: Locale): z.infer<typeof findArguments> | string {
  return readInput(findArguments, args, locale);
}

const callArguments = z.strictObject({
  name: z.string().min(1).max(64),
  // What they hold is checked by the tool that is called.
  arguments: z.object({}).catchall(z.custom<JsonValue>()).default({}),
});

/** Returns the call to make, or a text that says what is wrong with the arguments. */
export function readCall(args: JsonObject, locale: Locale): z.infer<typeof callArguments> | string {
  return readInput(callArguments, args, locale);
}

/** Renders the tools that were found, as text for models and as data for programs. */
export function toFoundResult(tools: readonly Tool[], locale: Locale): CallToolResult {
  const found = tools.map((tool) => {
    const { name, title, description, inputSchema } = toListed(tool);
    return { name, title, description, inputSchema };
  });
  const nothing = say(locale, {
    zh: "没有找到符合的工具，请换几个词再找。",
    en: "No tool matches these words; try others.",
  });
  const text = found.length === 0 ? nothing : JSON.stringify(found);
  return { content: [{ type: "text", text }], structuredContent: { tools: found } };
}

/** Returns a tool as a host sees it: its server's description under our name. */
export function toListed(tool: Tool): ListedTool {
  const { name, description, inputSchema, outputSchema, annotations } = tool;
  const { title, titleHint, readOnly, destructive, idempotent, openWorld } = annotations;
  const { titleIn = "tool", icons, meta } = tool.hostFields?.() ?? {};
  const hints = {
    title: titleHint ?? (titleIn === "tool" ? undefined : title),
    readOnlyHint: readOnly,
    destructiveHint: destructive,
    idempotentHint: idempotent,
    openWorldHint: openWorld,
  };
  return {
    name,
    title: titleIn === "annotations" ? undefined : title,
    description,
    inputSchema: { ...inputSchema, type: "object" },
    outputSchema: outputSchema && { ...outputSchema, type: "object" },
    annotations: Object.values(hints).some((hint) => hint !== undefined) ? hints : undefined,
    icons: icons?.filter((icon) => isSpecType.Icon(icon)),
    _meta: meta && { ...meta },
  };
}

/** Estimates how many tokens a list takes in a host's requests, at about four characters each. No model is shown an icon or `_meta`. */
export function weighToolList(tools: readonly ListedTool[]): number {
  return Math.ceil(JSON.stringify(tools.map(({ icons, _meta, ...shown }) => shown)).length / 4);
}
