import type { McpServer } from "@modelcontextprotocol/server";
import type { Caller } from "../core/caller.ts";

/** One line to a host: a process's stdio, a session over HTTP, or a single request over HTTP. */
export interface Connection {
  readonly server: McpServer;
  readonly caller: Caller;
  /** Of the 2026 era over HTTP: it ends with each request, and what waits for the next one outlives it. */
  readonly isOneRequest: boolean;
  /** Messages come as a stream of bytes: several may be read at once. */
  readonly isStdio: boolean;
}
