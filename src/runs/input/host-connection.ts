import type { McpServer } from "@modelcontextprotocol/server";
import type { Caller } from "../../core/caller.ts";

/** One line to a host: a process's stdio, a session over HTTP, or a single request over HTTP. */
export interface HostConnection {
  readonly server: McpServer;
  readonly caller: Caller;
  /** Of the 2026 era over HTTP: it ends with each request, and what waits for the next one outlives it. */
  readonly isOneRequest: boolean;
  /**
   * Only over stdio, where messages come as a stream of bytes and several may be read at once: it aborts when the host can
   * send nothing more.
   */
  readonly inputEnded: AbortSignal | undefined;
}
