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
  /** `lazy`: its process or connection begins at the first call, once its tools are known from an earlier start. */
  start: "eager" | "lazy";
  /** Whether our function-call model may write texts for it. */
  sampling: boolean;
  /** Directories that it is told it may work in, absolute; undefined: it is told nothing of directories. */
  roots?: string[];
  /** How to sign in; undefined: with what the server itself says. Of HTTP servers only. */
  auth?: AuthSettings;
}

/** OAuth 2.1. `client_credentials` signs in by itself; with `oauth` a person does, once, by `duet login`. */
export interface AuthSettings {
  type: "oauth" | "client_credentials";
  clientId?: string;
  clientSecret?: string;
  /** Address of a client ID metadata document, in place of a registration. */
  clientMetadataUrl?: string;
  /** Scopes, parted by blanks; what the server asks for when undefined. */
  scope?: string;
  /** Port of the loopback address that the browser comes back to; any free one when undefined. */
  callbackPort?: number;
}

export type ServerTransport =
  | {
      type: "stdio";
      command: string;
      args: string[];
      env: Record<string, string>;
      /** Names of variables of ours that it sees too. */
      inheritEnv: string[];
      cwd?: string;
    }
  | { type: "http"; url: string; headers: Record<string, string> }
  | { type: "sse"; url: string; headers: Record<string, string> };
