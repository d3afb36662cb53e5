import type { ToolAnnotations } from "../../core/tools/tool.ts";
import { isDeeperThan, isRecord } from "../../kit/json.ts";
import { schemaDepthLimit } from "../limits.ts";
import type { RemoteTool } from "../lists/listing.ts";

/** Stores the tools of a server that were seen and approved, from one start to the next (trust on first use). */
export interface ServerPins {
  /** Identifies the program or address of these pins by a digest of its command and arguments, or of its URL. */
  origin: string;
  /** Holds the protocol era of the last connection, so that it need not be probed again. */
  era?: "legacy" | "modern";
  /** Lists the approved tools in the server's order. A lazy server offers them before it has started. */
  tools: RemoteTool[];
  lastListing?: LastListing;
  /** Names the tools whose definition a person has read and approved. The others were trusted on first use. */
  approved?: string[];
  /** Holds the approved texts of prompts and resources, as `toTexts` makes them. */
  texts?: Partial<Record<TextList, RemoteTool[]>>;
  /** Lists what running processes were offered and nobody has approved, so that another process can ask a person. */
  offered?: OfferedDefinition[];
}

/** Holds what the server last said of its tools beside their definitions. */
export interface LastListing {
  /** Is the time in milliseconds since 1970, correct to an hour. */
  at: number;
  /** Names the tools that only the pages of the server may call. */
  pagesOnly: string[];
}

/** Names a list whose entries have texts that a model may see. */
export type TextList = (typeof textLists)[number];

export const textLists = ["prompts", "resources", "templates"] as const;

export interface OfferedDefinition {
  /** Begins with the number of the process. */
  owner: string;
  /** Is absent for a tool. */
  list?: TextList;
  tool: RemoteTool;
}

export interface WaitingTool {
  /** Says that this is no tool but the texts of an entry of that list. */
  list?: TextList;
  /** A `trusted` tool may be used although no person has approved it so far. */
  kind: "changed" | "new" | "trusted";
  tool: RemoteTool;
  /** Holds the definition that was approved before, and is absent for a new tool. */
  pinned?: RemoteTool;
}

/** Reads the pins from the text of a file. Returns undefined for a text that `writePins` did not write. */
export function readPins(text: string): ServerPins | undefined {
  const value = parseText(text);
  if (!isRecord(value) || value.version !== 1 || typeof value.origin !== "string") return undefined;
  if (!Array.isArray(value.tools)) return undefined;
  const tools = value.tools.map(readTool);
  if (!tools.every((tool) => tool !== undefined)) return undefined;
  const { era } = value;
  const approved = readNames(value.approved);
  const lastListing = readLastListing(value.lastListing);
  const texts = readTexts(value.texts);
  const offered = readOffered(value.offered);
  if (texts === undefined) return undefined;
  return {
    origin: value.origin,
    ...((era === "legacy" || era === "modern") && { era }),
    tools,
    ...(lastListing && { lastListing }),
    ...(approved.length > 0 && { approved }),
    ...(Object.keys(texts).length > 0 && { texts }),
    ...(offered.length > 0 && { offered }),
  };
}

export function writePins({ origin, era, tools, lastListing, approved, texts, offered }: ServerPins): string {
  return `${JSON.stringify({ version: 1, origin, era, tools, lastListing, approved, texts, offered })}\n`;
}

/** Files of older versions have none, so that a question waits for the next list. */
function readLastListing(value: unknown): ServerPins["lastListing"] {
  if (!isRecord(value) || typeof value.at !== "number" || !Array.isArray(value.pagesOnly)) return undefined;
  return { at: value.at, pagesOnly: readNames(value.pagesOnly) };
}

/** Returns undefined for texts that `writePins` did not write: what was approved is then unknown. */
function readTexts(value: unknown): ServerPins["texts"] | undefined {
  const texts: ServerPins["texts"] = {};
  for (const list of textLists) {
    const entries = isRecord(value) ? value[list] : undefined;
    if (entries === undefined) continue;
    const read = Array.isArray(entries) ? entries.map(readTool) : [undefined];
    if (!read.every((entry) => entry !== undefined)) return undefined;
    texts[list] = read;
  }
  return texts;
}

/** Leaves out what cannot be read, because whoever offers it writes it again. */
function readOffered(value: unknown): OfferedDefinition[] {
  return (Array.isArray(value) ? value : []).flatMap((each) => {
    const tool = isRecord(each) ? readTool(each.tool) : undefined;
    if (!isRecord(each) || tool === undefined || typeof each.owner !== "string") return [];
    const list = textLists.find((name) => name === each.list);
    return [{ owner: each.owner, ...(list && { list }), tool }];
  });
}

/** Files of older versions have no names, so the tools approved then count as trusted on first use. */
function readNames(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}

function parseText(text: string): unknown {
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
  const { title, titleHint, readOnly, destructive, idempotent, openWorld } = value;
  const flags = { readOnly, destructive, idempotent, openWorld };
  if (!isOptionalText(title) || !isOptionalText(titleHint) || !hasFlags(flags)) return undefined;
  return { ...(title !== undefined && { title }), ...(titleHint !== undefined && { titleHint }), ...flags };
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}

function hasFlags<K extends string>(flags: Record<K, unknown>): flags is Record<K, boolean | undefined> {
  return Object.values(flags).every((flag) => flag === undefined || typeof flag === "boolean");
}
