import { isRecord } from "../../../kit/json.ts";

/** Is the page type of MCP Apps (SEP-1865): `io.modelcontextprotocol/ui`, revision 2026-01-26. */
export const pageType = "text/html;profile=mcp-app";

export const runPageUri = "ui://duet/run.html";

/** Links `agent_ask` to its page, both in the current format and in the one that older hosts read. */
export const runPageMeta = { ui: { resourceUri: runPageUri }, "ui/resourceUri": runPageUri } as const;

/**
 * Returns true when a host with these capabilities shows pages. They come from the connection, or from a request of the 2026
 * era.
 */
export function canShowPages(capabilities: unknown): boolean {
  const extensions = isRecord(capabilities) ? capabilities.extensions : undefined;
  const pages = isRecord(extensions) ? extensions["io.modelcontextprotocol/ui"] : undefined;
  return isRecord(pages) && Array.isArray(pages.mimeTypes) && pages.mimeTypes.includes(pageType);
}
