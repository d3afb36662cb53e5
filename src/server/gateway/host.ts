import { CLIENT_CAPABILITIES_META_KEY, type McpServer, type ServerContext } from "@modelcontextprotocol/server";
import { isRecord } from "../../core/json.ts";

/** What the host above can do, as far as it has said so. */
export interface Host {
  /** Shows a form to its user, and gives back what was filled in. */
  asksForms: boolean;
  /** Sends its user to an address. */
  asksUrls: boolean;
  /**
   * Of the 2026 era: it is asked by a result, whose answer comes with a second request. One of the 2025 era is asked by a
   * request of ours in the middle of its own.
   */
  isModern: boolean;
}

/** Reads what the request says of its sender, or what was said when the connection began. */
export function hostOf({ server }: McpServer, { mcpReq }: ServerContext): Host {
  const envelope: unknown = mcpReq.envelope;
  const isModern = isRecord(envelope);
  const said: unknown = isModern ? envelope[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities();
  const elicitation = isRecord(said) ? said.elicitation : undefined;
  if (!isRecord(elicitation)) return { asksForms: false, asksUrls: false, isModern };
  // An empty object is what hosts said before there were addresses.
  const asksForms = isRecord(elicitation.form) || !isRecord(elicitation.url);
  return { asksForms, asksUrls: isRecord(elicitation.url), isModern };
}
