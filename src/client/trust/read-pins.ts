import type { ToolAnnotations } from "../../core/tools/tool.ts";
import { isDeeperThan, isRecord } from "../../kit/json.ts";
import { schemaDepthLimit } from "../limits.ts";
import type { RemoteTool } from "../lists/listing.ts";
import type { ServerPins } from "./pins.ts";

/** Pins as a file has them; undefined for what no `writePins` has written. */
export function readPins(text: string): ServerPins | undefined {
  const value = parsed(text);
  if (!isRecord(value) || value.version !== 1 || typeof value.origin !== "string") return undefined;
  if (!Array.isArray(value.tools)) return undefined;
  const tools = value.tools.map(readTool);
  if (!tools.every((tool) => tool !== undefined)) return undefined;
  const { era } = value;
  const approved = namesIn(value.approved);
  return {
    origin: value.origin,
    ...((era === "legacy" || era === "modern") && { era }),
    tools,
    ...(approved.length > 0 && { approved }),
  };
}

export function writePins({ origin, era, tools, approved }: ServerPins): string {
  return `${JSON.stringify({ version: 1, origin, era, tools, approved })}\n`;
}

/** Files of older versions have none: what was approved then counts as trusted at first use. */
function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readTool(value: unknown): RemoteTool | undefined {
  if (!isRecord(value)) return undefined;
  const { name, description, inputSchema, outputSchema, annotations } = value;
  if (typeof name !== "string" || typeof description !== "string") return undefined;
  if (!isSchema(inputSchema) || !(outputSchema === undefined || isSchema(outputSchema))) return undefined;
  const hints = readAnnotations(annotations);
  if (hints === undefined) return undefined;
  return { name, description, inputSchema, ...(outputSchema && { outputSchema }), annotations: hints };
}

function isSchema(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && !isDeeperThan(value, schemaDepthLimit);
}

function readAnnotations(value: unknown): ToolAnnotations | undefined {
  if (!isRecord(value)) return undefined;
  const { title, readOnly, destructive, idempotent, openWorld } = value;
  const flags = { readOnly, destructive, idempotent, openWorld };
  if (!(title === undefined || typeof title === "string") || !areFlags(flags)) return undefined;
  return { ...(title !== undefined && { title }), ...flags };
}

function areFlags<K extends string>(flags: Record<K, unknown>): flags is Record<K, boolean | undefined> {
  return Object.values(flags).every((flag) => flag === undefined || typeof flag === "boolean");
}
