import type { Tool as ListedTool } from "@modelcontextprotocol/server";
import type { Tool } from "../../../core/tools/tool.ts";

/** Returns a tool as a host sees it: its server's description under our name. */
export function toListed({ name, description, inputSchema, outputSchema, annotations }: Tool): ListedTool {
  const { title, readOnly, destructive, idempotent, openWorld } = annotations;
  const hints = {
    readOnlyHint: readOnly,
    destructiveHint: destructive,
    idempotentHint: idempotent,
    openWorldHint: openWorld,
  };
  return {
    name,
    title,
    description,
    inputSchema: { ...inputSchema, type: "object" },
    outputSchema: outputSchema && { ...outputSchema, type: "object" },
    annotations: Object.values(hints).some((hint) => hint !== undefined) ? hints : undefined,
  };
}

/** Estimates how many tokens a list takes in a host's requests, at about four characters each. */
export function weighToolList(tools: readonly ListedTool[]): number {
  return Math.ceil(JSON.stringify(tools).length / 4);
}
