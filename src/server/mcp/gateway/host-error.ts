import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { type RpcError, toDuetError } from "../../../kit/errors.ts";
import { isDeeperThan } from "../../../kit/json.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import type { Host } from "../../../runs/input/host.ts";

/** Lists the codes with which a server speaks of the connection that it has with us, and not of what the host wants. */
const connectionCodes: ReadonlySet<number> = new Set([
  ProtocolErrorCode.ParseError,
  ProtocolErrorCode.InvalidRequest,
  ProtocolErrorCode.MethodNotFound,
  ProtocolErrorCode.MissingRequiredClientCapability,
  ProtocolErrorCode.UnsupportedProtocolVersion,
  // The connection is closed, or a request was not answered in time: official clients report it so.
  -32000,
  -32001,
  // The headers do not fit the request (2026-07-28).
  -32020,
]);

/** Is the one revision of MCP that has an error for pages which the user must open. */
const revisionWithPages = "2025-11-25";

/** Limits the levels of the data of an error; deeper ones break who reads them. */
const deepestData = 64;

/** Is what decides how a host reads an error. */
export type ErrorReader = Pick<Host, "protocolVersion" | "asksUrls">;

/**
 * Returns a server's error with its code and data, as the host gets it. Returns undefined where the host would misunderstand them, or where
 * there are none.
 */
export function toHostError(
  rpcError: RpcError | undefined,
  text: string,
  reader: ErrorReader,
): ProtocolError | undefined {
  if (rpcError === undefined || connectionCodes.has(rpcError.code)) return undefined;
  const { code, data } = rpcError;
  if (code === ProtocolErrorCode.UrlElicitationRequired && !canOpenPages(reader)) return undefined;
  return new ProtocolError(code, text, isDeeperThan(data, deepestData) ? undefined : data);
}

/** A host that does not say that it opens pages must not be asked to. */
function canOpenPages({ protocolVersion, asksUrls }: ErrorReader): boolean {
  return asksUrls && protocolVersion === revisionWithPages;
}

/** Converts an error to one that the host can read: a server's own with its code. A protocol error stays unchanged. */
export function toProtocolError(
  thrown: unknown,
  { locale, ...reader }: ErrorReader & { locale: Locale },
): ProtocolError {
  if (thrown instanceof ProtocolError) return thrown;
  const { text, hint, rpcError } = toDuetError(thrown);
  const message = [text, ...(hint ? [hint] : [])].map((each) => say(locale, each)).join("\n");
  return toHostError(rpcError, message, reader) ?? new ProtocolError(ProtocolErrorCode.InternalError, message);
}
