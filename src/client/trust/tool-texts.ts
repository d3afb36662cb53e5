import { isRecord } from "../../kit/json.ts";
import type { RemoteTool } from "../lists/listing.ts";

/** Where in a tool a text stands. */
export type ToolPart = "name" | "title" | "description" | "inputSchema" | "outputSchema";

/** Every word that a tool's server wrote, by part: of a schema its strings and its keys, a line each. */
export function listToolTexts(tool: RemoteTool): [ToolPart, string][] {
  const parts: [ToolPart, string][] = [
    ["name", tool.name],
    ["title", tool.annotations.title ?? ""],
    ["description", tool.description],
    ["inputSchema", wordsIn(tool.inputSchema)],
    ["outputSchema", wordsIn(tool.outputSchema)],
  ];
  return parts.filter(([, text]) => text !== "");
}

function wordsIn(schema: unknown): string {
  const words: string[] = [];
  collect(schema, words);
  return words.join("\n");
}

function collect(value: unknown, words: string[]): void {
  if (typeof value === "string") {
    if (value !== "") words.push(value);
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) collect(item, words);
    return;
  }
  if (!isRecord(value)) return;
  for (const key of Object.keys(value)) {
    words.push(key);
    collect(value[key], words);
  }
}
