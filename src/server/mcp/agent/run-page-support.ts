import { isRecord } from "../../../kit/json.ts";

/** Of MCP Apps (SEP-1865): `io.modelcontextprotocol/ui`, revision 2026-01-26. */
export const pageType = "text/html;profile=mcp-app";

/** Where hosts find the page of a run. */
export const runPageUri = "ui://duet/run.html";

/** What `agent_ask` says of its page, in today's words and in those of hosts that came before them. */
export const runPageMeta = { ui: { resourceUri: runPageUri }, "ui/resourceUri": runPageUri } as const;

/** Whether a host with these capabilities shows pages: those of the connection, or of a request of the 2026 era. */
export function canShowPages(capabilities: unknown): boolean {
  const extensions = isRecord(capabilities) ? capabilities.extensions : undefined;
  const pages = isRecord(extensions) ? extensions["io.modelcontextprotocol/ui"] : undefined;
  return isRecord(pages) && Array.isArray(pages.mimeTypes) && pages.mimeTypes.includes(pageType);
}
