import { setImmediate } from "node:timers/promises";
import type { Client, StandardSchemaV1 } from "@modelcontextprotocol/client";
import { showValue } from "../../core/tools/argument-feedback.ts";
import type { HostToolFields, ToolAnnotations } from "../../core/tools/tool.ts";
import { DuetError } from "../../kit/errors.ts";
import { isDeeperThan, isRecord, type JsonSchema, toText } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { type Redact, redactValue } from "../../kit/text/redact.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { listLimits, schemaDepthLimit } from "../limits.ts";
import { findHeaderProblem } from "./parameter-headers.ts";

/** Describes a tool as its server does: everything that a model or a host would see of it. */
export interface RemoteTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  /** Is meant for hosts; models never see it (it can be most of a list). */
  outputSchema?: JsonSchema;
  annotations: ToolAnnotations;
}

export interface Listing {
  tools: RemoteTool[];
  /** Maps the names of tools to what is meant for hosts alone. */
  hostFields: Map<string, HostToolFields>;
  /** Lists the tools that were left out, and why. */
  problems: Text[];
}

/**
 * Fetches all pages of `tools/list`. A malformed tool is skipped, and endless pages are cut at the limit; with either, the
 * package's own `listTools` would lose the whole server.
 */
export async function listTools(
  client: Client,
  redact: Redact,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Listing> {
  const listing: Listing = { tools: [], hostFields: new Map(), problems: [] };
  if (client.getServerCapabilities()?.tools === undefined) return listing;
  const isModern = client.getProtocolEra() === "modern";
  const known = new Set<string>();
  let cursor: string | undefined;
  let bytes = 0;
  for (let page = 0; page < listLimits.pages; page += 1) {
    const request = { method: "tools/list", params: cursor === undefined ? {} : { cursor } };
    const result = await client.request(request, looseResult, { signal, timeout: timeoutMs });
    for (const value of readList(result, "tools", redact)) {
      const weight = weigh(value);
      // A long list is read in pieces: others have a turn in between.
      if (Math.floor((bytes + weight) / pieceBytes) > Math.floor(bytes / pieceBytes)) await setImmediate();
      bytes += weight;
      if (bytes > listLimits.bytes || listing.tools.length >= listLimits.tools) return cutListing(listing);
      const tool = readTool(value, redact);
      // Servers of the 2025 era know no such headers, and what they write under the name means nothing.
      const problem = isModern && "name" in tool ? findHeaderProblem(tool.inputSchema) : undefined;
      if (addTool(listing, known, problem && "name" in tool ? describeLeftOut(tool.name, problem) : tool))
        listing.hostFields.set(listing.tools.at(-1)?.name ?? "", readHostFields(value, redact));
    }
    // An empty cursor is a cursor; the same one again would go round for ever.
    if (typeof result.nextCursor !== "string" || result.nextCursor === cursor) return listing;
    cursor = result.nextCursor;
  }
  return cutListing(listing);
}

/** Returns a list of a result, which is empty where the server has left it out. */
export function readList(result: Record<string, unknown>, field: string, redact: Redact): unknown[] {
  checkList(result, field, redact);
  const value = result[field];
  return Array.isArray(value) ? value : [];
}

/** Throws where a field is not a list. Servers leave out an empty one, or write null. */
export function checkList(result: Record<string, unknown>, field: string, redact: Redact): void {
  const value = result[field] ?? [];
  if (Array.isArray(value)) return;
  const shown = showValue(redactValue(value, redact));
  const text = { zh: `返回的 ${field} 不是列表：${shown}`, en: `what it sent as ${field} is not a list: ${shown}` };
  throw new DuetError({ code: "bad_response", text });
}

const pieceBytes = 200_000;
const mostProblems = 20;

/** Returns true when the tool was added. */
function addTool(listing: Listing, known: Set<string>, tool: RemoteTool | Text): boolean {
  if ("name" in tool && !known.has(tool.name)) {
    known.add(tool.name);
    listing.tools.push(tool);
    return true;
  }
  if (listing.problems.length >= mostProblems) return false;
  const isTaken = { zh: "名称重复", en: "another tool of the server has the same name" };
  listing.problems.push("name" in tool ? describeLeftOut(tool.name, isTaken) : tool);
  return false;
}

function cutListing(listing: Listing): Listing {
  const { pages, tools, bytes } = listLimits;
  listing.problems.push({
    zh: `工具列表过长，只保留前 ${listing.tools.length} 个（上限：${pages} 页、${tools} 个、${bytes} 字节）`,
    en: `The list of tools is too long; kept the first ${listing.tools.length} (limits: ${pages} pages, ${tools} tools, ${bytes} bytes)`,
  });
  return listing;
}

/** Limits the name of a tool, in UTF-16 units. */
const longestName = 128;

/** Reads one entry of a list, or returns why it cannot be used. */
export function readTool(value: unknown, redact: Redact): RemoteTool | Text {
  if (!isRecord(value) || typeof value.name !== "string" || value.name === "")
    return describeLeftOut("?", { zh: "没有名称", en: "it has no name" });
  if (value.name.length > longestName) {
    const { length } = value.name;
    return describeLeftOut(value.name, {
      zh: `名称有 ${length} 个字符（允许：最多 ${longestName} 个）`,
      en: `its name has ${length} characters (allowed: at most ${longestName})`,
    });
  }
  const { name, execution, annotations } = value;
  if (isRecord(execution) && execution.taskSupport === "required") {
    return describeLeftOut(name, { zh: "只能作为任务运行", en: "it runs only as a task" });
  }
  const inputSchema = value.inputSchema;
  if (!isRecord(inputSchema) || inputSchema.type !== "object") {
    return describeLeftOut(name, {
      zh: '其 inputSchema 不是 type 为 "object" 的 JSON Schema',
      en: 'its inputSchema is not a JSON Schema of type "object"',
    });
  }
  if (isDeeperThan(inputSchema, schemaDepthLimit)) {
    return describeLeftOut(name, { zh: "其 inputSchema 嵌套过深", en: "its inputSchema is nested too deeply" });
  }
  const { outputSchema } = value;
  return {
    name,
    description: redact(toText(value.description)).toWellFormed(),
    // A server may write its key into a default or an example.
    inputSchema: redactValue(inputSchema, redact),
    ...(isUsable(outputSchema) && { outputSchema: redactValue(outputSchema, redact) }),
    annotations: readAnnotations(isRecord(annotations) ? annotations : {}, value.title, redact),
  };
}

/** Returns false for an output schema that no host could use; it is dropped, and the tool stays usable without it. */
function isUsable(outputSchema: unknown): outputSchema is JsonSchema {
  return isRecord(outputSchema) && outputSchema.type === "object" && !isDeeperThan(outputSchema, schemaDepthLimit);
}

function readAnnotations(hints: Record<string, unknown>, title: unknown, redact: Redact): ToolAnnotations {
  const [shown, ...others] = [title, hints.title].filter(isTitle).map((each) => toTitle(each, redact));
  const titleHint = others.find((each) => each !== shown);
  const toFlag = (value: unknown): boolean | undefined => (typeof value === "boolean" ? value : undefined);
  return {
    ...(shown !== undefined && { title: shown }),
    ...(titleHint !== undefined && { titleHint }),
    readOnly: toFlag(hints.readOnlyHint),
    destructive: toFlag(hints.destructiveHint),
    idempotent: toFlag(hints.idempotentHint),
    openWorld: toFlag(hints.openWorldHint),
  };
}

function isTitle(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function toTitle(title: string, redact: Redact): string {
  return sanitizeLine(redact(title)).slice(0, 200);
}

/** Reads what no model sees. What no host could read, or too deep a value, is left out. */
function readHostFields(value: unknown, redact: Redact): HostToolFields {
  const { name, title, annotations, icons, _meta: meta } = isRecord(value) ? value : {};
  const hasHint = isRecord(annotations) && isTitle(annotations.title);
  const titleIn = !hasHint ? "tool" : isTitle(title) ? "both" : "annotations";
  const isShallow = (one: unknown): boolean => !isDeeperThan(one, schemaDepthLimit);
  return {
    name: toText(name),
    titleIn,
    ...(Array.isArray(icons) && isShallow(icons) && { icons: redactValue(icons, redact) }),
    ...(isRecord(meta) && isShallow(meta) && { meta: redactValue(meta, redact) }),
  };
}

function describeLeftOut(name: string, why: Text): Text {
  const shown = sanitizeLine(name.slice(0, 80));
  return { zh: `工具 ${shown} 已略去：${why.zh}`, en: `Tool ${shown} was skipped: ${why.en}` };
}

function weigh(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0;
  } catch {
    // Nested too deeply to be written; `readTool` leaves out what is.
    return 0;
  }
}

/**
 * Takes any object as a result. The package's own schemas refuse a whole list for one bad tool and a whole answer for
 * one block of an unknown type, so we look at each part ourselves.
 */
export const looseResult: StandardSchemaV1<unknown, Record<string, unknown>> = {
  "~standard": {
    version: 1,
    vendor: "duet",
    validate: (value) => (isRecord(value) ? { value } : { issues: [{ message: "The result is not an object" }] }),
  },
};
