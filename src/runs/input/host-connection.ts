import type { McpServer } from "@modelcontextprotocol/server";
import type { Caller } from "../../core/caller.ts";
import type { ServerLogLevel } from "../../core/server-log.ts";

/** Represents one connection to a host: a process's stdio, a session over HTTP, or a single request over HTTP. */
export interface HostConnection {
  readonly server: McpServer;
  readonly caller: Caller;
  /** Is the level that a host of the 2025 era has set for logs; undefined where it has set none. */
  logLevel?: ServerLogLevel | undefined;
  /**
   * Is true for a 2026-era request over HTTP. The connection ends with each request, and work that waits for the next request
   * outlives it.
   */
  readonly isOneRequest: boolean;
  /**
   * Only over stdio, where messages come as a stream of bytes and several may be read at once: it aborts when the host can
   * send nothing more.
   */
  readonly inputEnded: AbortSignal | undefined;
  /** Names the session of a 2025-era host over HTTP, which another process may serve with its next request. */
  readonly sessionId?: string | undefined;
}
