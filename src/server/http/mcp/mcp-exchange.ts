import type { AuthInfo } from "@modelcontextprotocol/server";
import type { Message } from "../../mcp/check-message.ts";
import type { HttpConnection } from "../connection.ts";

/** Holds an HTTP request to `/mcp` as far as it has arrived: its sender, its message and its connection. */
export interface McpExchange {
  request: Request;
  authInfo: AuthInfo | undefined;
  /** Is undefined unless the request is a POST. */
  message: Message | undefined;
  connection: HttpConnection;
}

/** Ends a stream of what has yet to happen when the sign-in that opened it has run out. */
export function closeWhenExpired({ authInfo, connection }: StreamOpener): void {
  const { expiresAt } = authInfo ?? {};
  if (expiresAt === undefined) return;
  const leftMs = Math.max(0, expiresAt * 1000 - Date.now());
  const expiry = setTimeout(connection.drop, Math.min(longestMs, leftMs));
  connection.onClose(() => clearTimeout(expiry));
}

/** Says who opened a stream, and on which connection. */
interface StreamOpener {
  authInfo?: AuthInfo | undefined;
  connection: Pick<HttpConnection, "drop" | "onClose">;
}

/** Timers accept no more, in milliseconds. */
const longestMs = 2_147_483_647;
