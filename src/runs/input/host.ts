import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isRecord, toText } from "../../kit/json.ts";

/** The host above, as far as it has said what it is. */
export interface Host {
  /** As it names itself; empty where it does not. Shown to nobody. */
  name: string;
  /** The same for people; a Duet tells there which one it is. */
  title: string;
  /** Shows a form to its user, and gives back what was filled in. */
  asksForms: boolean;
  /** Sends its user to an address. */
  asksUrls: boolean;
  /**
   * Of the 2026 era: it is asked by a result, whose answer comes with a second request. One of the 2025 era is asked by a
   * request of ours in the middle of its own.
   */
  isModern: boolean;
  /** All that it says that it can do. */
  capabilities: Readonly<Record<string, unknown>>;
}

/** Whether the host can show its user such a question. */
export function canShow({ asksForms, asksUrls }: Host, kind: "form" | "url"): boolean {
  return kind === "form" ? asksForms : asksUrls;
}

/** Reads what the request says of its sender, or what was said when the connection began. */
export function readHost({ server }: McpServer, { mcpReq }: ServerContext): Host {
  const envelope: unknown = mcpReq.envelope;
  const isModern = isRecord(envelope);
  const info: unknown = isModern ? envelope[CLIENT_INFO_META_KEY] : server.getClientVersion();
  const name = isRecord(info) ? toText(info.name) : "";
  const title = isRecord(info) ? toText(info.title) : "";
  const said: unknown = isModern ? envelope[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities();
  const capabilities = isRecord(said) ? said : {};
  const { elicitation } = capabilities;
  if (!isRecord(elicitation)) return { name, title, asksForms: false, asksUrls: false, isModern, capabilities };
  // An empty object is what hosts said before there were addresses.
  const asksForms = isRecord(elicitation.form) || !isRecord(elicitation.url);
  return { name, title, asksForms, asksUrls: isRecord(elicitation.url), isModern, capabilities };
}
