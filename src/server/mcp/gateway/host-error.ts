import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { type RpcError, toDuetError } from "../../../kit/errors.ts";
import { isDeeperThan } from "../../../kit/json.ts";
import { type Locale, say } from "../../../kit/locale.ts";

/** Lists the codes with which a server speaks of the connection that it has with us, and not of what the host wants. */
const connectionCodes: ReadonlySet<number> = new Set([
  ProtocolErrorCode.ParseError,
  ProtocolErrorCode.InvalidRequest,
  ProtocolErrorCode.MethodNotFound,
  ProtocolErrorCode.MissingRequiredClientCapability,
  ProtocolErrorCode.UnsupportedProtocolVersion,
  // The headers do not fit the request (2026-07-28).
  -32020,
]);

/** Is the one revision of MCP that has an error for pages which the user must open. */
const revisionWithPages = "2025-11-25";

/** Limits the levels of the data of an error; deeper ones break who reads them. */
const deepestData = 64;

/**
 * Returns a server's error with its code and data, as the host gets it. Returns undefined where the host would misunderstand them, or where
 * there are none.
 */
export function toHostError(
  rpcError: RpcError | undefined,
  text: string,
  protocolVersion: string,
): ProtocolError | undefined {
  if (rpcError === undefined || connectionCodes.has(rpcError.code)) return undefined;
  const { code, data } = rpcError;
  if (code === ProtocolErrorCode.UrlElicitationRequired && protocolVersion !== revisionWithPages) return undefined;
  return new ProtocolError(code, text, isDeeperThan(data, deepestData) ? undefined : data);
}

/** Converts an error to one that the host can read: a server's own with its code. A protocol error stays unchanged. */
export function toProtocolError(
  thrown: unknown,
  { locale, protocolVersion }: { locale: Locale; protocolVersion: string },
): ProtocolError {
  if (thrown instanceof ProtocolError) return thrown;
  const { text, hint, rpcError } = toDuetError(thrown);
  const asksForPages = rpcError?.code === ProtocolErrorCode.UrlElicitationRequired;
  const message = [say(locale, text), asksForPages && hint && say(locale, hint)].filter(Boolean).join("\n");
  return toHostError(rpcError, message, protocolVersion) ?? new ProtocolError(ProtocolErrorCode.InternalError, message);
}
