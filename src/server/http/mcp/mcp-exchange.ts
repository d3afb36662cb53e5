import type { AuthInfo } from "@modelcontextprotocol/server";
import type { HttpConnection } from "../connection.ts";
import type { Message } from "../request/read-message.ts";

/** A request of HTTP to `/mcp` as far as it has come: who sent it, what it says, by what connection. */
export interface McpExchange {
  request: Request;
  authInfo: AuthInfo | undefined;
  /** Of a POST. */
  message: Message | undefined;
  connection: HttpConnection;
}

/** Ends a stream of what has yet to happen when the sign-in that opened it has run out. */
export function closeWhenExpired({ authInfo, connection }: Opened): void {
  const { expiresAt } = authInfo ?? {};
  if (expiresAt === undefined) return;
  const leftMs = Math.max(0, expiresAt * 1000 - Date.now());
  const expiry = setTimeout(connection.drop, Math.min(longestMs, leftMs));
  connection.onClose(() => clearTimeout(expiry));
}

/** By whom and over what a stream was opened. */
interface Opened {
  authInfo?: AuthInfo | undefined;
  connection: Pick<HttpConnection, "drop" | "onClose">;
}

/** A timer takes no more, in milliseconds. */
const longestMs = 2_147_483_647;
