/** One downstream MCP server, as the configuration names it. */
export interface ServerSettings {
  /** The key under `mcpServers`; the prefix of its tools. */
  name: string;
  transport: ServerTransport;
  /** Only tools whose own name matches one of these patterns (`*` is any run of characters). */
  includeTools?: string[];
  excludeTools?: string[];
  /** Limit of one call, in milliseconds. */
  timeoutMs: number;
  /** Limit of starting, up to its first list of tools, in milliseconds. */
  startTimeoutMs: number;
  maxConcurrent?: number;
  callsPerSecond?: number;
}

export type ServerTransport =
  | { type: "stdio"; command: string; args: string[]; env: Record<string, string>; cwd?: string }
  | { type: "http"; url: string; headers: Record<string, string> }
  | { type: "sse"; url: string; headers: Record<string, string> };
