import { isRecord } from "../../kit/json.ts";
import type { HostToolFields, Tool } from "./tool.ts";

/** Is the page type of MCP Apps (SEP-1865): `io.modelcontextprotocol/ui`, revision 2026-01-26. */
export const pageType = "text/html;profile=mcp-app";

/** Returns true for a tool whose results a page of its server shows in the host (MCP Apps). */
export function hasPage(tool: Tool): boolean {
  const meta = tool.hostFields?.()?.meta;
  return typeof readPage(meta).resourceUri === "string" || typeof meta?.["ui/resourceUri"] === "string";
}

/** Returns true for a tool that only the pages of its server may call: its server does not want it shown to a model. */
export function isForPagesOnly(tool: Tool): boolean {
  return isHiddenFromModels(tool.hostFields?.());
}

/** Says the same by what the server has said of the tool. */
export function isHiddenFromModels(fields: Pick<HostToolFields, "meta"> | undefined): boolean {
  const { visibility } = readPage(fields?.meta);
  return Array.isArray(visibility) && !visibility.includes("model");
}

function readPage(meta: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  return isRecord(meta?.ui) ? meta.ui : {};
}
