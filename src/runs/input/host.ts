import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  type McpServer,
  PROTOCOL_VERSION_META_KEY,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isLogLevel, type ServerLogLevel } from "../../core/server-log.ts";
import { isRecord, toText } from "../../kit/json.ts";

/** Describes the upstream host, as far as it has identified itself. */
export interface Host {
  /** Is the name that the host reports, or empty when it reports none. It is not shown to anybody. */
  name: string;
  /** Is the version that the host reports, or empty when it reports none. */
  version: string;
  /** Is true when the request asks for progress. */
  asksProgress: boolean;
  /** Is the host's name for people; a Duet reports here which instance it is. */
  title: string;
  /** Is the revision of MCP that the host speaks, such as `2025-06-18`. It is empty before one is agreed on. */
  protocolVersion: string;
  /** Shows a form to its user, and gives back what was filled in. */
  asksForms: boolean;
  /** Sends its user to an address. */
  asksUrls: boolean;
  /**
   * Is true for a host of the 2026 era: a result carries the question, and a second request brings the answer. A host of the
   * 2025 era gets a request from us while its own request is open.
   */
  isModern: boolean;
  /** Is the level from which on a request of the 2026 era wants logs; undefined where it wants none. */
  logLevel?: ServerLogLevel | undefined;
  /** Holds all capabilities that the host declares. */
  capabilities: Readonly<Record<string, unknown>>;
}

/** Is the revision of MCP that brought links (`resource_link`) in results. */
export const firstWithLinks = "2025-06-18";

export function canShow({ asksForms, asksUrls }: Host, kind: "form" | "url"): boolean {
  return kind === "form" ? asksForms : asksUrls;
}

/** Reads what the request says of its sender, or what was said when the connection began. */
export function readHost({ server }: McpServer, { mcpReq }: ServerContext): Host {
  const envelope: unknown = mcpReq.envelope;
  const isModern = isRecord(envelope);
  const info: unknown = isModern ? envelope[CLIENT_INFO_META_KEY] : server.getClientVersion();
  const name = isRecord(info) ? toText(info.name) : "";
  const version = isRecord(info) ? toText(info.version) : "";
  const title = isRecord(info) ? toText(info.title) : "";
  const asksProgress = mcpReq._meta?.progressToken !== undefined;
  const protocolVersion = isModern
    ? toText(envelope[PROTOCOL_VERSION_META_KEY])
    : (server.getNegotiatedProtocolVersion() ?? "");
  const said: unknown = isModern ? envelope[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities();
  const capabilities = isRecord(said) ? said : {};
  const { elicitation } = capabilities;
  const level: unknown = isModern ? envelope[LOG_LEVEL_META_KEY] : undefined;
  const logLevel = isLogLevel(level) ? level : undefined;
  const known = { logLevel, name, version, title, asksProgress, protocolVersion, isModern, capabilities };
  if (!isRecord(elicitation)) return { ...known, asksForms: false, asksUrls: false };
  // An empty object is what hosts said before there were addresses.
  const asksForms = isRecord(elicitation.form) || !isRecord(elicitation.url);
  return { ...known, asksForms, asksUrls: isRecord(elicitation.url) };
}
